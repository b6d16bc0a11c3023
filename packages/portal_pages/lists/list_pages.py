"""One page of a list, as its templates show it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from portal.query import Params, literal_params
from portal.web.present import ParamValue, with_params
from portal_pages.lists.cells import Cells, written_cells
from portal_pages.lists.columns import Heading, cells_of, column_fault, headings_of, is_descending, unsorted_headings
from portal_pages.lists.controls import ListControls, orders_of
from portal_pages.lists.list_filters import ShownFilters
from portal_pages.lists.saved_views import ShownView, TableLayout
from portal_pages.lists.totals import TotalsRow
from portal_pages.page_names import PageNames


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What of a list is the same on all its pages of one language."""

    title: str
    search_hint: str
    sorts: tuple[tuple[str, str], ...]
    cell: SimpleNamespace
    cells: Cells


@lru_cache(maxsize=256)
def words_of(
    view: Any,
    pages: PageNames,
    locale: str,  # noqa: ARG001  the key
    hidden: tuple[str, ...],
) -> Words:
    """The words of a list in the active language `locale`, looked up once.

    :param view: the `ListView`, whose module is above this one.
    :param hidden: names of the columns that the user does not want to see.
    """
    return Words(
        title=str(pages.title),
        search_hint=str(view.search_hint),
        sorts=tuple(_all_sorts(view).items()),
        cell=cells_of(view.columns, left_out=hidden),
        cells=Cells(written_cells(view.columns, view.hook.item, left_out=hidden)),
    )


@lru_cache(maxsize=256)
def headings_in(
    view: Any,
    sort: str | None,
    locale: str,  # noqa: ARG001  as above
    hidden: tuple[str, ...],
) -> tuple[Heading, ...]:
    """The headings of a list that is in one of its orders; None for one that can't be sorted."""
    columns = {name: column for name, column in view.columns.items() if name not in hidden}
    if sort is None:
        return tuple(unsorted_headings(columns))
    return tuple(headings_of(columns, sort=sort, default_sort=view.default_sort))


def declaration_faults(view: Any) -> Iterator[str]:
    """What the declaration of a list has, and its hook or its rows do not have."""
    if not view.sorts:
        yield "sorts should have one order at least, the backend's own"
        return
    for name, column in (*view.columns.items(), *view.exported.items()):
        yield from filter(None, [column_fault(name, column, view.hook.item)])
    asked = [each.param for each in view.filters]
    asked += [name for each in view.ranges for name in (each.first_param, each.last_param)]
    for name in (name for each in view.views if not callable(each.params) for name in each.params):
        if name not in {*asked, "q", "sort"}:
            yield f"views: the list has no parameter {name}"
    params, hook = view.hook.params, view.hook.hook_name
    if not (isinstance(params, type) and issubclass(params, Params)):
        return
    orders = literal_params(params).get("sort")
    for order in sorted(orders_of(view) - orders - {""}) if orders else ():
        yield f"{order!r} is no sort order of {hook}, which has {', '.join(sorted(orders or ()))}"
    for name in (name for name in asked if name not in params.__struct_encode_fields__):
        yield f"{name} is no parameter of {hook}, which has {params.__name__}"


def _all_sorts(view: Any) -> dict[str, str]:
    """The orders of the sort menu with their labels: those of the list, then those of its columns."""
    sorts = {order: str(label) for order, label in view.sorts.items()}
    for column in view.columns.values():
        for order in sorted(column.sorts, reverse=True):
            text = gettext("%(column)s, descending") if is_descending(order) else gettext("%(column)s, ascending")
            sorts.setdefault(order, text % {"column": str(column.label)})
    return sorts


#: The parameter that gives each row a box; those of what is done with the rows then: their ids, and the list's own.
SELECT: Final = "select"
ROW: Final = "row"
LIST: Final = "list"
#: The field of a form, and the parameter of a new row's page, with the address of the list as it was.
LIST_FIELD: Final = "listUrl"


#: A longer address than any that a list makes leads to the list alone.
_MAX_QUERY_CHARS: Final = 4000


def list_url(name: str, /, **filters: ParamValue) -> str:
    """The address of a list with filters: `list_url("invoices", status=["sent", "overdue"], dueAtTo=date.today())`.

    :param name: of the list's URL.
    :param filters: by their names on the wire; also `q`, `sort`, and the days of a range (`startedAtFrom`,
        `startedAtTo`, both inclusive). None leaves one out.
    """
    return with_params(reverse(name), filters)


def list_url_before(request: HttpRequest, name: str) -> str:
    """The address of a list as the user saw it, if this page was opened from there; else of the list alone.

    The path is always the list's own: of `Referer`, or of the field in which a form that was sent kept it, or after a
    create the address, the parameters count, and only where it names that list.

    :param name: of the list's URL.
    """
    path = reverse(name)
    try:
        given = request.POST if request.method == "POST" else request.GET if request.META.get("QUERY_STRING") else {}
        parts = urlsplit(given.get(LIST_FIELD) or request.META.get("HTTP_REFERER", ""))
        is_list = parts.path == path and parts.netloc in {"", request.get_host()}
        params = parse_qsl(parts.query) if is_list and len(parts.query) <= _MAX_QUERY_CHARS else []
    except ValueError:
        params = []
    return f"{path}?{urlencode(params)}" if params else path


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """One page of a list, as its templates show it.

    :param headings: of the columns.
    :param sorts: the sort orders of the menu, each with its label.
    :param is_searchable: whether the backend searches the list.
    :param not_known: what people call those filters of the address that the backend did not follow. Only rows that fit
        are among `rows`.
    :param left_out: what they call those parameters of the address that the backend does not offer.
    :param shown: number of rows from the list's beginning to the last of these; 0 where that is not known.
    :param total: number of all rows that match; None if the backend does not count them.
    :param totals: what they add up to; None for no such row.
    :param first_path: the list without parameters.
    :param first_url: the first page of this state.
    :param next_url: the next page; empty at the end.
    :param more_url: the same for htmx, which appends its rows: it says how many pages are shown then.
    :param has_error: days of the address are none, so no row fits.
    :param is_restarted: the address named a place that the backend does not know any more, so this is the first page.
    :param is_outage: the backend did not answer, and the rows are older, cached ones.
    :param is_cut_off: the backend has more rows, and does not say where they begin.
    :param as_of: when the rows were fetched.
    :param selects: rows have a box to be selected by, for who has no scripts.
    :param is_fragment: only the table is rendered, for htmx.
    :param is_appended: of that table, htmx uses the rows only.
    :param views: those that are declared, and those of this user.
    :param layout: how the user wants the table.
    """

    title: str
    search_hint: str
    headings: Sequence[Heading]
    sorts: Sequence[tuple[str, str]]
    is_searchable: bool
    not_known: Sequence[str]
    left_out: Sequence[str]
    rows: Sequence[object]
    shown: int
    total: int | None
    totals: TotalsRow | None
    q: str
    sort: str
    filters: ShownFilters
    controls: ListControls
    first_path: str
    first_url: str
    next_url: str
    more_url: str
    is_continuation: bool
    has_error: bool
    is_restarted: bool
    is_outage: bool
    is_cut_off: bool
    selects: bool
    as_of: datetime | None
    is_fragment: bool
    is_appended: bool
    views: Sequence[ShownView] = ()
    layout: TableLayout

    @property
    def can_be_narrowed(self) -> bool:
        """Return whether there is a filter, a range or an order to choose."""
        return bool(self.sorts or self.filters.filters or self.filters.ranges or self.filters.clear_url)

    @property
    def sort_label(self) -> str:
        """What its order is called."""
        return dict(self.sorts).get(self.sort, "")

    @property
    def is_narrowed(self) -> bool:
        """Whether there are rows that a search or a filter leaves out."""
        return bool(self.q or self.filters.clear_url)

    @property
    def query(self) -> str:
        """The parameters of its address."""
        return self.controls.url("", pages=self.controls.pages).removeprefix("?")

    @property
    def select_url(self) -> str:
        """The same with boxes."""
        return f"{self.first_path}?{'&'.join(filter(None, (self.query, f'{SELECT}=yes')))}"

    def sorted_url(self, sort: str) -> str:
        """The first page in another order."""
        return replace(self.controls, sort=sort).url(self.first_path)
