"""What the edge reads from a request and writes to a response."""
