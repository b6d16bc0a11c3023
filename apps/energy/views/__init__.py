"""The energy app's views, one module for each kind of row. They ask hooks, and let presenters and templates show."""
