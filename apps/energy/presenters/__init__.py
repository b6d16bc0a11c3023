"""Presenters of the energy app: from a record of the backend to a frozen value for a template."""
