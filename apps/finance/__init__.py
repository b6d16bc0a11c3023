"""The finance platform."""
