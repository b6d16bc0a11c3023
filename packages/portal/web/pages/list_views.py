"""List pages: search, sort menu and "load more".

A list's URL has the parameters `q`, `sort` and `cursor`. "Load more" is a link with the next page's cursor. With htmx,
the rows of that page are appended; without scripts, it is a page of its own with a link back to the first one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from urllib.parse import urlencode

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.query import PaginatedQueryHook, Row
from portal.web.pages.page_names import DeclaredPage, ShownRow
from portal.web.request import active_locale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from portal.query import PaginatedResult
    from portal.web.pages.page_names import PageNames
    from portal.web.present import LazyText

TRow = TypeVar("TRow", bound=Row)

MAX_QUERY_CHARS: Final = 200
#: Ids of the elements that htmx fills; htmx names the element in the header `HX-Target`.
_TABLE_ID: Final = "list"
_ROWS_ID: Final = "rows"

#: The hint of a search that has none of its own.
SEARCH: Final = _("Search")
#: Entries of a sort menu that many lists have.
AGE_SORTS: Final = {SORT_NEWEST_FIRST: _("Newest first"), SORT_OLDEST_FIRST: _("Oldest first")}
NAME_SORTS: Final = {SORT_BY_NAME: _("Name, A to Z"), SORT_BY_NAME_DESCENDING: _("Name, Z to A")}
NUMBER_SORTS: Final = {SORT_BY_NAME: _("Number, ascending"), SORT_BY_NAME_DESCENDING: _("Number, descending")}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListControls:
    """What the user asked for, as the URL has it.

    :param cursor: where the page begins; empty for the first page.
    """

    q: str
    sort: str
    cursor: str

    @property
    def params(self) -> dict[str, str]:
        """The parameters of the list's query; an empty one is left out."""
        return {name: value for name, value in (("q", self.q), ("sort", self.sort)) if value}

    def url(self, *, path: str, cursor: str = "") -> str:
        """The URL of the page at `cursor`, with the same search and sort order."""
        params = self.params | ({"cursor": cursor} if cursor else {})
        return f"{path}?{urlencode(params)}" if params else path


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """One page of a list, as its templates show it.

    :param sorts: the sort orders of the menu, each with its label.
    :param total: number of all rows that match; None if the backend does not count them.
    :param is_outage: the backend did not answer, and the rows are older, cached ones.
    :param as_of: when the rows were fetched.
    :param is_fragment: only the table is rendered, for htmx.
    :param is_appended: of that table, htmx uses the rows only.
    """

    title: str
    search_hint: str
    sorts: Sequence[tuple[str, str]]
    rows: Sequence[object]
    total: int | None
    q: str
    sort: str
    first_path: str
    first_url: str
    next_url: str
    is_continuation: bool
    is_outage: bool
    as_of: datetime | None
    is_fragment: bool
    is_appended: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class ListView(DeclaredPage, Generic[TRow]):
    """A list: `ListView(hook=ClientQueries.use_get_clients_query, search_hint=_("Name or city"))`.

    Its template has the variables `list` (:class:`ListPage`) and `pages`, and those of the resource; a row is `row`.

    :param sorts: the backend's sort orders with their labels. The first one is the default, and is not sent.
    :param template: extends `portal/list.html`: the columns, and the cells of a row. htmx gets its block `table`. By
        default `list.html` in the resource's folder.
    """

    methods = ("GET", "HEAD")

    hook: PaginatedQueryHook[TRow, ...]
    search_hint: LazyText = SEARCH
    sorts: Mapping[str, LazyText] = field(default_factory=lambda: AGE_SORTS)
    template: str = ""

    def __post_init__(self) -> None:
        """Refuse a hook that is none of a list, and an empty sort menu."""
        self.check_hook("hook", PaginatedQueryHook)
        if not self.sorts:
            self.refuse("sorts should have one order at least, the backend's own")

    @property
    def call(self) -> str:
        """The key of the list."""
        return self.hook.key

    def shown(self, pages: PageNames) -> ShownRow:
        """The template, and the class of a row."""
        return ShownRow(template=self._template(pages), row=self.hook.item, declared_at=self.declared_at)

    def _template(self, pages: PageNames) -> str:
        return self.template or f"{pages.templates}/list.html"

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Read the page that the URL asks for, and render it; for htmx the table alone.

        :raises portal.errors.ApiError: there is nothing to show.
        """
        controls = self.controls(request)
        result = self.hook(request, **controls.params, cursor=controls.cursor or None, **values)
        page = self.page(pages, controls=controls, result=result, path=request.path, target=_htmx_target(request))
        template = self._template(pages)
        context = {**pages.context, "pages": pages, "list": page}
        response = render(request, f"{template}#table" if page.is_fragment else template, context)
        # The response has no such header yet: nothing to merge.
        response["Vary"] = "HX-Request, HX-Target"
        return response

    def controls(self, request: HttpRequest) -> ListControls:
        """Read the URL. An unknown sort order counts as the default."""
        sort = request.GET.get("sort", "")
        return ListControls(
            q=" ".join(request.GET.get("q", "").split())[:MAX_QUERY_CHARS],
            sort=sort if sort in self.sorts and sort != self._default_sort else "",
            cursor=request.GET.get("cursor", ""),
        )

    def page(
        self,
        pages: PageNames,
        *,
        controls: ListControls,
        result: PaginatedResult[TRow],
        path: str,
        target: str | None,
    ) -> ListPage:
        """The page that shows `result`.

        :param target: id of the element that htmx fills; None for a whole page.
        :raises portal.errors.ApiError: there is nothing to show.
        """
        data = result.unwrap()
        title, search_hint, sorts = _words(self, pages, active_locale())
        cursor = data.next_cursor if data.has_next and data.next_cursor else ""
        return ListPage(
            title=title,
            search_hint=search_hint,
            sorts=sorts,
            rows=data.items,
            total=data.total,
            q=controls.q,
            sort=controls.sort or self._default_sort,
            first_path=path,
            first_url=controls.url(path=path),
            next_url=controls.url(path=path, cursor=cursor) if cursor else "",
            is_continuation=bool(controls.cursor) and target != _ROWS_ID,
            is_outage=result.error is not None,
            as_of=result.as_of,
            is_fragment=target is not None,
            is_appended=target == _ROWS_ID,
        )

    @property
    def _default_sort(self) -> str:
        return next(iter(self.sorts))


@lru_cache(maxsize=256)
def _words(
    view: ListView[Any],
    pages: PageNames,
    locale: str,  # noqa: ARG001  the key
) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """The title, the search hint and the sort menu in the active language `locale`, looked up once."""
    sorts = tuple((order, str(label)) for order, label in view.sorts.items())
    return str(pages.title), str(view.search_hint), sorts


def is_load_more(request: HttpRequest) -> bool:
    """Whether htmx appends the rows of the response to a list."""
    return _htmx_target(request) == _ROWS_ID


def _htmx_target(request: HttpRequest) -> str | None:
    """Id of the list's element that htmx fills; None for a whole page, also after a form that htmx sent."""
    # `request.headers` would first copy all headers of the request.
    if request.META.get("HTTP_HX_REQUEST") != "true":
        return None
    target = request.META.get("HTTP_HX_TARGET")
    return target if target in {_TABLE_ID, _ROWS_ID} else None
