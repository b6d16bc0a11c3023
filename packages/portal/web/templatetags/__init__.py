"""Template tags and filters of every application."""
