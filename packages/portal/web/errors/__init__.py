"""Error pages."""
