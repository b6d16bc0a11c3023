"""The state of a list that a request asks for: its address, and the part of the page that htmx fills."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final

from django.http import HttpRequest, QueryDict

from portal.web.present import ParamValue, with_params
from portal.web.request import search_text
from portal_pages.lists.date_ranges import ChosenDays, read_days
from portal_pages.lists.filters import Filter, read_values

#: Pages that one address shows at most; the backend is asked for each of them after a reload.
MAX_SHOWN_PAGES: Final = 20
#: The parameter of the menu that shows its choices.
MENU: Final = "menu"
#: The parameter of rows that are added to a table: the columns that it does not show.
HIDDEN: Final = "hiddenColumns"
#: Ids of the elements that htmx fills; htmx names the element in the header `HX-Target`.
_TABLE_ID: Final = "list"
ROWS_ID: Final = "rows"


@dataclass(frozen=True, kw_only=True)
class ListControls:
    """The state of a list.

    :param sort: empty for the backend's own order.
    :param cursor: where the page begins; empty for the first page.
    :param pages: how many pages are shown, from the first one on.
    :param values: the values of each filter.
    :param days: the days of each range.
    :param menu: the parameter of the filter whose menu shows its choices; empty for none.
    :param left_out: the parameters of the address that the backend does not offer.
    """

    q: str = ""
    sort: str = ""
    cursor: str = ""
    pages: int = 1
    values: tuple[tuple[Filter, tuple[str, ...]], ...] = ()
    days: tuple[ChosenDays, ...] = ()
    menu: str = ""
    left_out: tuple[str, ...] = ()

    @property
    def is_narrowed(self) -> bool:
        """Whether the address has filters or days, also ones that are not applied."""
        return any(values for _, values in self.values) or any(days.texts for days in self.days)

    @property
    def has_error(self) -> bool:
        """Whether days of the address are none, so that no row can be shown for them."""
        return any(days.error for days in self.days)

    @cached_property
    def params(self) -> Mapping[str, Any]:
        """The parameters of the list's query; an empty one is left out."""
        params: dict[str, Any] = {"q": self.q, "sort": self.sort}
        params |= {each.param: each.sent(values) for each, values in self.values}
        for days in self.days:
            params |= days.params
        return {name: value for name, value in params.items() if value}

    def url(self, path: str, *, cursor: str = "", pages: int = 1, menu: str = "", hidden: str = "") -> str:
        """The address of this state: the first `pages` pages, or the page at `cursor`.

        :param menu: the parameter of a filter, to show its choices.
        :param hidden: the columns that the table lacks to which rows are added.
        """
        place = {"cursor": cursor, "pages": str(pages) if pages > 1 else "", MENU: menu, HIDDEN: hidden}
        return with_params(path, self._shown_params | place)

    @property
    def _shown_params(self) -> dict[str, ParamValue]:
        """The parameters of the address, but for the place in the list; those that are not set are empty."""
        params: dict[str, ParamValue] = {"q": self.q, **{each.param: values for each, values in self.values}}
        for days in self.days:
            params |= {days.range.first_param: days.first_text, days.range.last_param: days.last_text}
        return params | {"sort": self.sort}

    def without(self, param: str, value: str) -> ListControls:
        """The state without one value of a filter."""
        kept = tuple(
            (each, tuple(one for one in values if (each.param, one) != (param, value))) for each, values in self.values
        )
        return replace(self, values=kept)

    def with_days(self, chosen: ChosenDays) -> ListControls:
        """The state with other days of a range."""
        days = tuple(chosen if each.range is chosen.range else each for each in self.days)
        return replace(self, days=days)


@lru_cache(maxsize=256)
def orders_of(view: Any) -> frozenset[str]:
    """All orders that the list can be in."""
    return frozenset(view.sorts) | {order for column in view.columns.values() for order in column.sorts}


def read_controls(view: Any, given: QueryDict) -> ListControls:
    """The state that an address asks for. What is unknown, beyond a limit or not offered is left out.

    :param view: the `ListView`, whose module is above this one.
    """
    return _read(view, view.offered, given) if given else _unchanged(view, view.offered)


@lru_cache(maxsize=256)
def _unchanged(view: Any, offered: frozenset[str]) -> ListControls:
    """The state without a parameter, as most addresses ask for it."""
    return _read(view, offered, QueryDict())


def _read(view: Any, offered: frozenset[str], given: QueryDict) -> ListControls:
    left_out = tuple(param for param in view.params if param not in offered and given.get(param))
    sort = "" if "sort" in left_out else given.get("sort", "")
    return ListControls(
        q="" if "q" in left_out else search_text(given.get("q", "")),
        sort=sort if sort in orders_of(view) and sort != view.default_sort else "",
        cursor=given.get("cursor", ""),
        pages=number_of_pages(given.get("pages", "")),
        values=tuple((each, read_values(given.getlist(each.param))) for each in view.filters if each.param in offered),
        days=tuple(read_days(each, given) for each in view.ranges if each.first_param in offered),
        menu=given.get(MENU, ""),
        left_out=left_out,
    )


def number_of_pages(text: str, *, most: int = MAX_SHOWN_PAGES) -> int:
    """How many pages an address asks for; one where it does not say."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return min(max(int(text), 1), most) if is_number else 1


def is_load_more(request: HttpRequest) -> bool:
    """Whether htmx appends the rows of the response to a list."""
    return htmx_target(request) == ROWS_ID


def htmx_target(request: HttpRequest) -> str | None:
    """Id of the list's element that htmx fills; None for a whole page, also after a form that htmx sent."""
    # `request.headers` would first copy all headers of the request.
    if request.META.get("HTTP_HX_REQUEST") != "true":
        return None
    target = request.META.get("HTTP_HX_TARGET")
    return target if target in {_TABLE_ID, ROWS_ID} else None
