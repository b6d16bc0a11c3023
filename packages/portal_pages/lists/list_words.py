"""What of a list is the same on all its pages of one language: its texts, its orders, the attributes of its cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from portal_pages.lists.columns import cells_of, is_descending

if TYPE_CHECKING:
    from types import SimpleNamespace

    from portal_pages.page_names import PageNames


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What of a list is the same on all its pages of one language."""

    title: str
    search_hint: str
    sorts: tuple[tuple[str, str], ...]
    cells: SimpleNamespace


@lru_cache(maxsize=256)
def words_of(
    view: Any,
    pages: PageNames,
    locale: str,  # noqa: ARG001  the key
) -> Words:
    """The words of a list in the active language `locale`, looked up once.

    :param view: the `ListView`, whose module is above this one.
    """
    return Words(
        title=str(pages.title),
        search_hint=str(view.search_hint),
        sorts=tuple(_all_sorts(view).items()),
        cells=cells_of(view.columns),
    )


@lru_cache(maxsize=256)
def orders_of(view: Any) -> frozenset[str]:
    """All orders that the list can be in."""
    return frozenset(view.sorts) | {order for column in view.columns.values() for order in column.sorts}


def _all_sorts(view: Any) -> dict[str, str]:
    """The orders of the sort menu with their labels: those of the list, then those of its columns."""
    sorts = {order: str(label) for order, label in view.sorts.items()}
    for column in view.columns.values():
        for order in sorted(column.sorts, reverse=True):
            text = gettext("%(column)s, descending") if is_descending(order) else gettext("%(column)s, ascending")
            sorts.setdefault(order, text % {"column": str(column.label)})
    return sorts
