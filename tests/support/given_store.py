"""A shared store on a backend that a test gives it, without settings."""

from __future__ import annotations

from django.core.cache.backends.base import BaseCache

from portal.store import SharedStore


class StoreOn(SharedStore):
    """See the module."""

    def __init__(self, backend: BaseCache) -> None:
        super().__init__(alias="test")
        self._given = backend

    def backend(self) -> BaseCache:
        return self._given
