"""The operations platform."""
