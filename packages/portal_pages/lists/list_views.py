"""List pages: search, filters, ranges, sort orders and "load more".

All that a list is asked for stands in its URL: `q`, `sort`, `cursor`, each filter by its name on the wire, the days of
a range, and `pages`, how many are shown. "Load more" is a link with the next page's cursor. With htmx, the rows of that
page are appended; without scripts, it is a page of its own with a link back to the first one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final, Generic, TypeVar

from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext_lazy as _

from portal.config.contract_names import ITEMS_FIELD
from portal.config.current import portal_config
from portal.config.limits import VAR_DEFAULT_PAGE_SIZE
from portal.query import PaginatedQueryHook, PaginatedResult, QueryHook, QueryResult, Row, in_order, offers, versions_of
from portal.web.context_processors import render_kept
from portal.web.present import LazyText
from portal.web.request import PortalRequest, active_locale
from portal.web.templating import own_or_default
from portal_pages.lists.cells import words_in
from portal_pages.lists.columns import AGE_SORTS, Column
from portal_pages.lists.controls import HIDDEN, MAX_SHOWN_PAGES, ROWS_ID, ListControls, htmx_target, read_controls
from portal_pages.lists.date_ranges import DateRange
from portal_pages.lists.filters import Filter
from portal_pages.lists.list_filters import (
    SEARCH_TEXT,
    SORT,
    not_known,
    shown_filters,
)
from portal_pages.lists.list_pages import (
    SELECT,
    ListPage,
    declaration_faults,
    headings_in,
    words_of,
)
from portal_pages.lists.list_reads import is_stale, names_of, read_list
from portal_pages.lists.saved_views import QuickView, change_views, table_layout, views_of
from portal_pages.lists.totals import Totals, totals_row
from portal_pages.page_names import DeclaredPage, PageNames, ShownRow, offered_pages

TRow = TypeVar("TRow", bound=Row)

#: The hint of a search that has none of its own.
SEARCH: Final = _("Search")


@dataclass(frozen=True, kw_only=True, eq=False)
class ListView(DeclaredPage, Generic[TRow]):
    """A list.

    ::

        ListView(
            hook=ClientQueries.use_get_clients_query,
            counts=ClientQueries.use_get_clients_counts_query,
            columns={"name": Column(_("Name"), sort="name"), "city": Column(_("City"), sort="city")},
            filters=(Filter("city", _("City")),),
            ranges=(DateRange("createdAt", _("Client since")),),
        )

    Without a template of its own it has a cell for each column. Such a template has the variables `list`
    (:class:`~portal_pages.lists.list_pages.ListPage`), `cell` (the attributes of the cells by the names of their
    columns) and `pages`, and those of the resource; a row is `row`.

    :param columns: by their names, in their order; the first one names the row.
    :param sorts: sort orders of the menu with their labels; those of the columns follow. The first one is the backend's
        own, and is not sent.
    :param counts: how many rows have each value of the filters that are offered.
    :param totals: what its rows add up to, for a last row of the table.
    :param views: states of the list that one click asks for, before those that users save.
    :param beside: further pages about the rows, by the names of their URLs, with their labels; the template's `beside`
        has those that the user may open.
    :param exported: further columns of the list's file, and others in place of those of the same name.
    :param template: extends `portal/list.html`: the cells of a row. htmx gets its block `table`. By default `list.html`
        in the resource's folder, if it is there.
    """

    methods = ("GET", "HEAD", "POST")
    about = "hook"

    hook: PaginatedQueryHook[TRow, ...]
    columns: Mapping[str, Column] = field(default_factory=dict)
    search_hint: LazyText = SEARCH
    sorts: Mapping[str, LazyText] = field(default_factory=lambda: AGE_SORTS)
    filters: Sequence[Filter] = ()
    ranges: Sequence[DateRange] = ()
    counts: QueryHook[Any, ...] | None = None
    totals: Totals | None = None
    views: Sequence[QuickView] = ()
    beside: Mapping[str, LazyText] = field(default_factory=dict)
    exported: Mapping[str, Column] = field(default_factory=dict)
    template: str = ""

    def __post_init__(self) -> None:
        """Refuse what the list's hook and its rows do not have."""
        self.check_hook("hook", PaginatedQueryHook)
        for fault in declaration_faults(self):
            self.refuse(fault)

    def shown(self, pages: PageNames) -> ShownRow:
        """The template, and the class of a row."""
        return ShownRow(
            template=self._template(pages),
            row=self.hook.item,
            declared_at=self.declared_at,
            columns=self.columns,
            filters=self.filters,
        )

    @property
    def file_columns(self) -> Mapping[str, Column]:
        """The columns of the list's file, by their names."""
        return {**self.columns, **self.exported}

    def _template(self, pages: PageNames) -> str:
        own = f"{pages.templates}/list.html"
        return self.template or (own_or_default(own, "portal/list.html") if self.columns else own)

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Read the page that the URL asks for, and render it; for htmx the table alone. A POST changes the saved views.

        :param values: further parameters of the hook.
        :raises portal.errors.ApiError: there is nothing to show.
        """
        if request.method == "POST":
            return change_views(self, request, pages.list)
        target = htmx_target(request)
        controls = self.controls(request.GET)
        result, counts, totals = read_list(self, request, controls, values, is_whole=target != ROWS_ID)
        is_restarted = is_stale(result, controls)
        if is_restarted:
            if target == ROWS_ID:
                # These rows would not follow those that are shown: the page says so itself.
                return HttpResponse(headers={"HX-Redirect": request.get_full_path()})
            controls = replace(controls, cursor="", pages=1)
            result, counts, totals = read_list(self, request, controls, values, is_whole=True)
        if target == ROWS_ID and request.GET.get(HIDDEN, "") != table_layout(request, pages.list, self.columns).text:
            # These rows would not stand below their headings.
            return HttpResponse(headers={"HX-Redirect": controls.url(request.path, pages=controls.pages)})
        names = names_of(request, controls, result)

        def variables() -> dict[str, object]:
            page = self.page(
                request,
                pages,
                controls=controls,
                result=result,
                target=target,
                counts=counts,
                totals=totals,
                names=names,
                is_restarted=is_restarted,
            )
            page = replace(page, views=views_of(self, request, pages.list, shown_url=page.first_url))
            of_columns = words_of(self, pages, active_locale(), page.layout.hidden)
            words = {**pages.context, **words_in(self.columns)}
            return {
                **words,
                "pages": pages.offered(request),
                "list": page,
                "cell": of_columns.cell,
                "cells": of_columns.cells,
                "words": words,
                "beside": offered_pages(self.beside, request),
                "columns": list(self.columns.items())[1:],
            }

        versions = versions_of(result, *(each for each in (counts, totals) if each is not None))
        key = None if versions is None else (target, *versions, is_restarted, *names.items())
        template = f"{self._template(pages)}#table" if target else self._template(pages)
        response = render_kept(request, template, variables, key=key, is_fragment=target is not None)
        # The response has no such header yet: nothing to merge.
        response["Vary"] = "HX-Request, HX-Target"
        if target == ROWS_ID and 1 < controls.pages < MAX_SHOWN_PAGES:
            # Who comes back to this address finds all the pages again.
            response["HX-Replace-Url"] = controls.url(request.path, pages=controls.pages)
        return response

    def controls(self, query: QueryDict) -> ListControls:
        """Read the parameters of an address. An unknown sort order counts as the default."""
        return read_controls(self, query)

    def page(
        self,
        request: PortalRequest,
        pages: PageNames,
        *,
        controls: ListControls,
        result: PaginatedResult[TRow],
        target: str | None,
        counts: QueryResult[Any] | None,
        totals: QueryResult[Any] | None,
        names: Mapping[tuple[str, str], str],
        is_restarted: bool,
    ) -> ListPage:
        """The page that shows `result`.

        :param target: id of the element that htmx fills; None for a whole page.
        :param counts: how many rows have which value; None if that was not asked.
        :param totals: what the rows add up to; None if that was not asked.
        :param names: what related rows are called, by parameter and id.
        :param is_restarted: whether the address named a page that is not there any more.
        :raises portal.errors.ApiError: there is nothing to show.
        """
        data, path, layout = result.unwrap(), request.path, table_layout(request, pages.list, self.columns)
        words = words_of(self, pages, active_locale(), layout.hidden)
        cursor = data.next_cursor if data.has_next and data.next_cursor and not controls.has_error else ""
        is_appended = target == ROWS_ID
        is_continuation = bool(controls.cursor) and not is_appended
        before = (controls.pages - 1) * VAR_DEFAULT_PAGE_SIZE if is_appended else 0
        shown_pages = 1 if is_continuation else controls.pages + 1
        sort = controls.sort or self.default_sort
        sent = (row for body in data.raw_res for row in body[ITEMS_FIELD])
        is_ordered = SORT not in data.ignored if controls.sort else in_order(sent, sort, item=self.hook.item)
        offered = self.offered
        named = None if SORT not in offered else sort if is_ordered else ""
        headings = headings_in(self, named, active_locale(), layout.hidden)
        left_out = (*controls.left_out, *([SORT] if controls.sort and not is_ordered else ()))
        is_filtered_out = bool(set(data.ignored) - {SORT})
        is_summed = self.totals is not None and not is_filtered_out
        sums = self.totals.texts(self.hook.item, totals, total=data.total) if self.totals and is_summed else {}
        return ListPage(
            title=words.title,
            search_hint=words.search_hint,
            headings=headings,
            sorts=words.sorts if named else (),
            is_searchable=SEARCH_TEXT in offered,
            not_known=self._names_of({*data.ignored} - {SORT}),
            left_out=self._names_of(left_out),
            rows=() if controls.has_error else data.items,
            shown=0 if is_continuation else before + len(data.items),
            total=None if controls.has_error else data.total,
            totals=None if controls.has_error else totals_row(sums, headings, data.total),
            q=controls.q,
            sort=sort,
            filters=shown_filters(
                controls,
                path=path,
                counts=None if is_filtered_out else counts,
                names=names,
                unknown={each.otherwise for each, _ in controls.values},
                can_count=not is_filtered_out and self.counts is not None and offers(self.counts),
            ),
            controls=controls,
            first_path=path,
            first_url=controls.url(path),
            next_url=controls.url(path, cursor=cursor) if cursor else "",
            more_url=controls.url(path, cursor=cursor, pages=shown_pages, hidden=layout.text) if cursor else "",
            is_continuation=is_continuation,
            has_error=controls.has_error,
            is_restarted=is_restarted,
            is_outage=result.error is not None,
            is_cut_off=data.is_cut_off,
            selects=SELECT in request.GET,
            as_of=result.as_of,
            is_fragment=target is not None,
            is_appended=is_appended,
            layout=layout,
        )

    @property
    def offered(self) -> frozenset[str]:
        """The parameters by which the list can be narrowed or ordered: the backend offers all that they take."""
        return _offered_params(self, portal_config().offers)

    @cached_property
    def params(self) -> tuple[str, ...]:
        """The names on the wire of all that narrows or orders the list."""
        ends = (name for each in self.ranges for name in (each.first_param, each.last_param))
        return SEARCH_TEXT, SORT, *(each.param for each in self.filters), *ends

    def _names_of(self, params: Collection[str]) -> tuple[str, ...]:
        return tuple(not_known(params, filters=self.filters, ranges=self.ranges)) if params else ()

    @property
    def default_sort(self) -> str:
        """Its own order, which is that of an address without one."""
        return next(iter(self.sorts))


@lru_cache(maxsize=256)
def _offered_params(
    view: ListView[Any],
    declared: frozenset[str] | None,  # noqa: ARG001  the key
) -> frozenset[str]:
    rows = {each.param: each.rows for each in view.filters if each.rows is not None and not offers(each.rows)}
    absent = {param for param in view.params if param in rows or not offers(view.hook, param)}
    ends = ({each.first_param, each.last_param} for each in view.ranges)
    return frozenset(view.params) - absent.union(*(each for each in ends if each & absent))
