"""The operations app's views. They ask hooks, and let presenters and templates show."""
