"""Stores of a test: both by the projects' own settings, and one on a backend that is given to it."""

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import NoReturn

from django.conf import settings
from django.core.cache.backends.base import BaseCache
from django.test import override_settings

from portal.config.base_settings import build_settings
from portal.config.environment.store_urls import check_store_url
from portal.store import SharedStore


@contextlib.contextmanager
def stores_on(url: str, **changes: object) -> Iterator[None]:
    """Both stores as a project's settings make them of these variables; of an empty address, embedded ones."""
    checked = {name: check_store_url(name.upper(), url) for name in ("cache_url", "refresh_cache_url") if url}
    config = dataclasses.replace(settings.PORTAL, **checked, **changes)
    with override_settings(CACHES=build_settings(config)["CACHES"]):
        yield


class LostBackend:
    """A backend whose every operation fails."""

    def __getattr__(self, name: str) -> NoReturn:
        raise OSError("gone")


class StoreOn(SharedStore):
    """A store without settings."""

    def __init__(self, backend: BaseCache) -> None:
        super().__init__(alias="test")
        self._given = backend

    def backend(self) -> BaseCache:
        return self._given
