"""The commands of `python -m sandbox_api`."""
