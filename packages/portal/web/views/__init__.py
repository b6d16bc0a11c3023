"""Views that every application has."""
