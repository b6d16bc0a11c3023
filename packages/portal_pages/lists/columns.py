"""Columns: each is declared once, with its heading, its sort order and what its cells have in common."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, Final, Literal, get_args

from django.utils.translation import gettext_lazy as _
from markupsafe import Markup, escape

from portal.config.contract_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.query import Row
from portal.web.present import Badge, LazyText

#: What a column holds, which is the class of its heading and of its cells: docs/reference/templates.md.
ColumnKind = Literal["", "number", "wide", "nowrap", "corner", "extra"]
#: How a value is written: the filters of docs/reference/templates.md that need nothing but the value and its currency.
ColumnFormat = Literal[
    "",
    "ago",
    "amount",
    "calendar_day",
    "clock",
    "day",
    "kw",
    "kwh",
    "mailto",
    "moment",
    "money",
    "quantity",
    "short_moment",
    "tel",
]

#: Entries of a sort menu that many lists have.
AGE_SORTS: Final = {SORT_NEWEST_FIRST: _("Newest first"), SORT_OLDEST_FIRST: _("Oldest first")}
NAME_SORTS: Final = {SORT_BY_NAME: _("Name, A to Z"), SORT_BY_NAME_DESCENDING: _("Name, Z to A")}
NUMBER_SORTS: Final = {SORT_BY_NAME: _("Number, ascending"), SORT_BY_NAME_DESCENDING: _("Number, descending")}
#: A badge stands beside the row's name on a narrow screen; what needs room is not there at all.
_WITHOUT_LABEL: Final = frozenset({"corner", "extra"})
_DESCENDING: Final = "-"
#: The descending orders that every list knows, which may be called anything, with their opposites.
_OF_ALL_LISTS: Final = {SORT_NEWEST_FIRST: SORT_OLDEST_FIRST, SORT_BY_NAME_DESCENDING: SORT_BY_NAME}
_OPPOSITES: Final = _OF_ALL_LISTS | {ascending: descending for descending, ascending in _OF_ALL_LISTS.items()}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a list: `"email": Column(_("Email"), sort="email", kind="wide")`.

    Its name is the attribute of the row that it shows, unless `value` gives something else.

    :param label: the heading, and what narrow screens show before the value.
    :param sort: the backend's sort order that the first click on the heading asks for; `-amount` begins with the
        highest. The second click asks for the opposite. Empty for a column that can't be sorted by.
    :param kind: what its cells hold.
    :param format: how a page without a template of its own writes the value; by default as its type is written.
    :param value: what the column shows of a row, where that is no attribute of the row.
    :param words: the words for the row's codes.
    :param late: whether the day of this row is missed: then it is written so.
    """

    label: LazyText
    sort: str = ""
    kind: ColumnKind = ""
    format: ColumnFormat = ""
    value: Callable[[Any], object] | None = None
    words: Mapping[Any, LazyText | Badge] | None = None
    late: Callable[[Any], bool] | None = None

    @property
    def sorts(self) -> tuple[str, ...]:
        """The two sort orders of its heading, that of the first click first."""
        return (self.sort, opposite_of(self.sort)) if self.sort else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The heading of a column, as the template shows it.

    :param sort: the order that the next click asks for: that of the first click, its opposite, then the list's own
        again. Empty if the column can't be sorted by.
    :param direction: `ascending` or `descending` where the list is sorted by this column, as `aria-sort` has it.
    """

    name: str
    label: str
    kind: str
    sort: str
    direction: str


def column_fault(name: str, column: Column, row: Any) -> str:
    """What is wrong with a column of a list, or a fact of a row; empty for nothing.

    :param row: its class. Of another class than one of rows nothing is known.
    """
    is_row = isinstance(row, type) and issubclass(row, Row)
    if column.value is None and is_row and not hasattr(row, name):
        return f"the column {name!r} is no attribute of {row.__name__}; name one, or say its value=…"
    formats = get_args(ColumnFormat)
    if column.format not in formats:
        return f"the column {name!r} has no format {column.format!r}; there are {', '.join(filter(None, formats))}"
    return ""


def opposite_of(sort: str) -> str:
    """The same sort order from its other end."""
    own = sort[1:] if sort.startswith(_DESCENDING) else f"{_DESCENDING}{sort}"
    return _OPPOSITES.get(sort, own)


def is_descending(sort: str) -> bool:
    """Whether a sort order begins with the highest."""
    return sort in _OF_ALL_LISTS or (sort not in _OPPOSITES and sort.startswith(_DESCENDING))


def headings_of(columns: Mapping[str, Column], *, sort: str, default_sort: str = "") -> Iterator[Heading]:
    """The headings of a list that is sorted by `sort`.

    :param default_sort: the list's own order.
    """
    for name, column in columns.items():
        is_sorted = sort in column.sorts
        direction = ("descending" if is_descending(sort) else "ascending") if is_sorted else ""
        is_last = is_sorted and sort != column.sort and default_sort not in column.sorts
        yield Heading(
            name=name,
            label=str(column.label),
            kind=column.kind,
            sort=(default_sort if is_last else opposite_of(sort)) if is_sorted else column.sort,
            direction=direction,
        )


def unsorted_headings(columns: Mapping[str, Column]) -> Iterator[Heading]:
    """The headings of a list that can't be sorted."""
    return (replace(each, sort="") for each in headings_of(columns, sort=""))


def cells_of(columns: Mapping[str, Column], *, left_out: Collection[str] = ()) -> SimpleNamespace:
    """The attributes of the cells by the names of their columns: `<td{{ cell.email }}>`.

    The first column names the row: its cell is a `<th>`.

    :param left_out: names of columns whose cells are not shown.
    """
    first = next(iter(columns), "")
    cells = {name: _attributes(column, is_name=name == first) for name, column in columns.items()}
    return SimpleNamespace(**cells | dict.fromkeys(left_out, Markup(" hidden")))


def _attributes(column: Column, *, is_name: bool) -> Markup:
    css = Markup(f' class="{column.kind}"') if column.kind else Markup()  # noqa: S704  ours
    if is_name:
        return css + Markup(' scope="row"')
    label = "" if column.kind in _WITHOUT_LABEL else f' data-label="{escape(str(column.label))}"'
    return css + Markup(label)  # noqa: S704  escaped
