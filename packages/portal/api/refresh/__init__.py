"""The silent refresh."""
