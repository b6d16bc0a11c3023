"""HTTP to the backend: the session, the request's tokens, and the silent refresh."""
