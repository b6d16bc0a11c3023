"""What the search over everything looks through: each domain declares its lists, in a module `search`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from portal.config.contract_names import SEARCH_PARAM
from portal.config.current import portal_config
from portal.config.platforms import PLATFORMS, PRODUCT, Platform
from portal.query import PaginatedQueryHook, Row, offers

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


logger = logging.getLogger(__name__)

TRow = TypeVar("TRow", bound=Row)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SearchedList(Generic[TRow]):
    """A list that the search over everything asks with `q`. A row is called `str(row)`.

    ::

        SearchedList(hook=OrderQueries.use_get_orders_query, path="orders", title=_("Orders"))

    :param path: of the list's page, below the platform's home. A row's own page is below it.
    :param title: the list's heading.
    :param detail: what is shown beside a row's name, in parts; an empty part is left out.
    """

    hook: PaginatedQueryHook[TRow, ...]
    path: str
    title: str | _StrPromise
    detail: Callable[[TRow], tuple[str | None, ...]] = lambda _: ()


def offered_lists() -> tuple[tuple[Platform, SearchedList[Any]], ...]:
    """Return those that the backend searches, each with its platform."""
    return _offered(portal_config().offers)


@lru_cache(maxsize=16)
def _offered(declared: frozenset[str] | None) -> tuple[tuple[Platform, SearchedList[Any]], ...]:  # noqa: ARG001  the key
    return tuple(each for each in searched_lists() if offers(each[1].hook, SEARCH_PARAM))


@cache
def searched_lists() -> tuple[tuple[Platform, SearchedList[Any]], ...]:
    """The lists of all platforms, in the registry's order, each with its platform."""
    return tuple((platform, each) for platform in PLATFORMS for each in _declared(platform))


def _declared(platform: Platform) -> Iterator[SearchedList[Any]]:
    """What the platform's domain declares. A service that can't be imported stops no other platform's search."""
    name = f"{PRODUCT.services}.{platform.app}.search"
    try:
        yield from import_module(name).SEARCHED
    except Exception as error:
        if not (isinstance(error, ModuleNotFoundError) and name.startswith(error.name or "-")):
            logger.exception("%s is not searched", platform.name)
