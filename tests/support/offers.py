"""A backend that is declared to offer certain calls and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.test import override_settings

from portal.config.environment.offers import ALL, CONTRACT_FILE, read_offers_file
from portal.web.templating import part_cache


@contextmanager
def offered(*names: str) -> Iterator[None]:
    """Declare what is offered inside the block: `required`, `contract` or `all`, or names.

    A process has one declaration, so it may keep what it has rendered.
    """
    words: dict[Any, frozenset[str]] = {
        ("required",): frozenset(),
        ("all",): ALL,
        ("contract",): read_offers_file(CONTRACT_FILE),
    }
    declared = words.get(names, frozenset(names))
    part_cache.clear()
    with override_settings(PORTAL=replace(settings.PORTAL, offers=declared)):
        yield
    part_cache.clear()
