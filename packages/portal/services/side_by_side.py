"""Hooks of one page side by side, for the projects: they see this layer, and none below it."""

from __future__ import annotations

from portal.query import use_queries

__all__ = ["use_queries"]
