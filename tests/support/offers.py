"""A backend that is declared to offer certain calls and parameters."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.template import engines
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
    with override_settings(PORTAL=replace(settings.PORTAL, offers=declared)):
        _forget()
        yield
    _forget()


def _forget() -> None:
    part_cache.clear()
    pages: Any = engines["pages"]
    for engine in pages._engines.values():
        links = engine.env.filters["link"].__self__
        links._kept_link.cache_clear()
        links._leads_nowhere.cache_clear()
