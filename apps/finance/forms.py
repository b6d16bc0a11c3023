"""The finance app sends nothing to the backend, so it has no form of its own. One that it gets stands here."""
