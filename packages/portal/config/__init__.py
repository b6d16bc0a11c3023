"""What is configured: read once, into frozen typed objects."""
