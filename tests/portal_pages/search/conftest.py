"""These tests have the backend of `portal.testing`."""

from __future__ import annotations

from portal.testing.fixtures import backend

__all__ = ["backend"]
