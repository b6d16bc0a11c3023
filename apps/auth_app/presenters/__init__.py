"""Presenters of the gateway: from a record of the backend to a frozen value for a template."""
