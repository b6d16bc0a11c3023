"""Route gating: every request of every app passes here first, and nothing here can call the backend."""
