"""List pages: what the address asks for, and what the template shows. Both are values; only `render_list` renders.

A list's address holds `q`, `sort` and `cursor`. "Load more" is a link with the cursor: it renders that one page,
which htmx appends; without scripts it is a page of its own with a way back to the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

from django.shortcuts import render
from django.utils.cache import patch_vary_headers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse
    from django.utils.functional import _StrPromise

    from portal.query.results import PaginatedResult


MAX_QUERY_CHARS: Final = 200
#: The elements that htmx fills; it names its target in a header.
LIST_TARGET: Final = "list"
ROWS_TARGET: Final = "rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListControls:
    """What the address asks for; whatever a list does not know is left out.

    :param cursor: where the one page begins that is asked for; empty for the first.
    """

    q: str
    sort: str
    cursor: str

    @property
    def params(self) -> dict[str, str]:
        """The parameters of the list's query; an empty one is none."""
        return {name: value for name, value in (("q", self.q), ("sort", self.sort)) if value}

    def url(self, *, path: str, cursor: str = "") -> str:
        """The address of this list, or of its page at a cursor."""
        params = self.params | ({"cursor": cursor} if cursor else {})
        return f"{path}?{urlencode(params)}" if params else path


@dataclass(frozen=True, slots=True, kw_only=True)
class SortOption:
    """One entry of the sort menu."""

    value: str
    label: str | _StrPromise
    selected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """One list as its templates show it.

    :param total: rows that match in all, where the backend counts them.
    :param outdated: the backend did not answer, and the rows are older ones.
    :param as_of: when the oldest page of it was fetched.
    :param is_fragment: only the table is rendered, for htmx.
    :param is_appended: only its rows are used, below those that are there.
    """

    title: str | _StrPromise
    search_hint: str | _StrPromise
    table_template: str
    rows: Sequence[object]
    total: int | None
    q: str
    sort_options: Sequence[SortOption]
    first_path: str
    first_url: str
    next_url: str
    is_continuation: bool
    outdated: bool
    as_of: datetime | None
    is_fragment: bool
    is_appended: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListView:
    """What is fixed about a list: its words, its sort orders, its templates, and how a record becomes a row.

    :param sorts: the backend's sort names with their labels; the first is the default and is not sent.
    """

    title: str | _StrPromise
    search_hint: str | _StrPromise
    template: str
    table_template: str
    sorts: Mapping[str, str | _StrPromise]
    present: Callable[[Any], object]

    def controls(self, request: HttpRequest) -> ListControls:
        """Read the address. An unknown sort order counts as the default."""
        sort = request.GET.get("sort", "")
        default = next(iter(self.sorts))
        return ListControls(
            q=" ".join(request.GET.get("q", "").split())[:MAX_QUERY_CHARS],
            sort=sort if sort in self.sorts and sort != default else "",
            cursor=request.GET.get("cursor", ""),
        )

    def page(self, *, controls: ListControls, result: PaginatedResult[Any], path: str, target: str | None) -> ListPage:
        """Put a query's result and the address's wishes together.

        :param target: the element that htmx fills; None for a whole page.
        :raises portal.errors.ApiError: there is nothing to show.
        """
        data = result.unwrap()
        cursor = data.next_cursor if data.has_next and data.next_cursor else ""
        return ListPage(
            title=self.title,
            search_hint=self.search_hint,
            table_template=self.table_template,
            rows=[self.present(record) for record in data.items],
            total=data.total,
            q=controls.q,
            sort_options=[
                SortOption(value=value, label=label, selected=value == (controls.sort or next(iter(self.sorts))))
                for value, label in self.sorts.items()
            ],
            first_path=path,
            first_url=controls.url(path=path),
            next_url=controls.url(path=path, cursor=cursor) if cursor else "",
            is_continuation=bool(controls.cursor) and target != ROWS_TARGET,
            outdated=result.error is not None,
            as_of=result.as_of,
            is_fragment=target is not None,
            is_appended=target == ROWS_TARGET,
        )

    def render(self, request: HttpRequest, *, controls: ListControls, result: PaginatedResult[Any]) -> HttpResponse:
        """The whole page, or for htmx its table alone."""
        target = htmx_target(request)
        page = self.page(controls=controls, result=result, path=request.path, target=target)
        response = render(request, self.table_template if page.is_fragment else self.template, {"list": page})
        patch_vary_headers(response, ("HX-Request", "HX-Target"))
        return response


def htmx_target(request: HttpRequest) -> str | None:
    """The element of a list that htmx fills; None for a whole page, also after a form that htmx sent."""
    if request.headers.get("HX-Request") != "true":
        return None
    target = request.headers.get("HX-Target")
    return target if target in {LIST_TARGET, ROWS_TARGET} else None


def total_of(result: PaginatedResult[Any]) -> int | None:
    """How many rows a list has in all, where the backend counts them.

    :raises portal.errors.ApiError: there is nothing to show.
    """
    return result.unwrap().total
