"""The energy platform."""
