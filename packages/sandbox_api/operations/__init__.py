"""The operations platform: work orders."""
