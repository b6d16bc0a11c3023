"""The cache of pages."""
