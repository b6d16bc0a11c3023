"""Presenters of the operations app: from a record of the backend to a frozen value for a template."""
