"""The clients list of energy with and without each feature of a list. It needs the settings of the app.

A feature is the difference of two pages. Most are declared; a subclass of `ListView` changes what no declaration can.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from apps.energy.views.clients import client_pages
from benchmarks._page_rows import CLIENTS, Row, Visitor
from benchmarks._servers import ROOT
from benchmarks._stub_backend import CITIES
from portal.config.contract_names import SORT_BY_NAME, SORT_NEWEST_FIRST
from portal.services.energy.clients import Client, ClientQueries
from portal.web.guards import platform_page
from portal.web.present import Badge
from portal_pages import AGE_SORTS, NAME_SORTS, Column, DateRange, Filter, ListView
from portal_pages.page_names import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from django.http import HttpRequest, HttpResponse, QueryDict

    from portal_pages.lists.controls import ListControls
    from portal_pages.lists.list_pages import ListPage

#: The name of the first row.
PAGE: Final = "the whole page"
#: Of the clients list.
TEMPLATE: Final = ROOT / "apps/energy/templates/energy/clients/list.html"
#: The folder of the variants' templates.
FOLDER: Final = "list_features"
#: Its cells, as a template of its own would have them; a variant with one more column adds a cell.
_CELLS: Final = """{% block row %}
<th{{ cell.name }}>{{ row|link("client", row.id) }}</th>
<td{{ cell.email }}>{{ row.email }}</td>
<td{{ cell.phone }}>{{ row.phone }}</td>
<td{{ cell.city }}>{{ row.city }}</td>
<td{{ cell.created_at }}>{{ row.created_at|day }}</td>
"""
_CSRF: Final = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"')

[_PATTERN] = [each for each in client_pages if each.name == "clients"]
_names = names_of(_PATTERN.callback)
assert _names is not None
_NAMES: Final = _names
#: The view at the list's address; at first the app's own.
_chosen: list[Callable[..., HttpResponse]] = [_PATTERN.callback]


@wraps(_PATTERN.callback)
def _show_chosen(request: HttpRequest) -> HttpResponse:
    return _chosen[0](request)


# Before the first request, since the app remembers what stands at an address.
_PATTERN.callback = _show_chosen

_COLUMNS: Final = {
    "name": Column("Name", sort=SORT_BY_NAME),
    "email": Column("Email", sort="email", kind="wide"),
    "phone": Column("Phone", kind="nowrap"),
    "city": Column("City", sort="city"),
    "created_at": Column("Client since", sort=SORT_NEWEST_FIRST),
}
_SHOWN: Final = ListView(
    hook=ClientQueries.use_get_clients_query,
    columns=_COLUMNS,
    counts=ClientQueries.use_get_clients_counts_query,
    filters=(Filter("city", "City"),),
    ranges=(DateRange("createdAt", "Client since"),),
    search_hint="Name, email, phone or city",
    sorts=AGE_SORTS | NAME_SORTS,
)
_BADGES: Final = {city: Badge(label=city, tone="good") for city in CITIES}
_CHIPS: Final = Filter("city", "City", choices=dict(zip(CITIES, CITIES, strict=True)))
_BADGE_CHIPS: Final = Filter("city", "City", choices=_BADGES)


@dataclass(frozen=True, kw_only=True, eq=False)
class ChangedList(ListView[Client]):
    """A list whose page is changed before it is shown. One that changes nothing does the same work.

    :param unknown: parameters that count as unknown to the backend: what needs them is not offered.
    :param menu: the parameter of the filter whose menu is open.
    """

    unknown: tuple[str, ...] = ()
    menu: str = ""
    changed: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int = 20

    def controls(self, query: QueryDict) -> ListControls:
        return replace(super().controls(query), menu=self.menu)

    def _not_offered(self, request: HttpRequest) -> set[str]:
        return {*super()._not_offered(request), *self.unknown}

    def page(self, *args: Any, **values: Any) -> ListPage:
        page = super().page(*args, **values)
        return replace(page, rows=page.rows[: self.most_rows], **self.changed)


@dataclass(kw_only=True, eq=False)
class Variant:
    """One page.

    :param cell: of the template, behind the others.
    :param names: changes of what the list knows of its other pages.
    :param rows: how many it shows.
    :param without_presets: whether no range has presets, which no declaration can leave out.
    """

    view: ListView[Client]
    cell: str = ""
    names: Mapping[str, Any] = field(default_factory=dict)
    rows: int = 20
    without_presets: bool = False
    _template: str = field(default="", init=False)
    _view: Any = field(default=None, init=False)
    #: Browsers that open it: one that searches for another word each time, and one that opens the same page again.
    searching: Visitor = field(init=False)
    staying: Visitor = field(init=False)

    def write(self, folder: Path, number: int) -> None:
        """Write its template. Of its own, since pages of one template and the same rows are kept as one."""
        self._template = f"{FOLDER}/{number}.html"
        text = TEMPLATE.read_text()
        assert "{% block row %}" not in text
        path = folder / self._template
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}{_CELLS}{self.cell}{'{% endblock %}'}\n")

    def begin(self, send: Callable[[bytes], bytes]) -> None:
        """Make its view, and its browsers."""
        view = replace(self.view, template=self._template).as_view(replace(_NAMES, **self.names))
        self._view = platform_page("energy/clients", view, name="clients", part_of="clients").callback
        row = Row(name=self._template, path=CLIENTS, marker='id="rows"', rows=self.rows)
        self.staying = Visitor(row, send)
        self.searching = Visitor(replace(row, searches=True, is_cached=False), send)

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Have the address of the list show it meanwhile."""
        before, _chosen[0] = _chosen[0], self._view
        presets = patch("portal_pages.lists.list_filters.presets_of", return_value=())
        try:
            with presets if self.without_presets else contextlib.nullcontext():
                yield
        finally:
            _chosen[0] = before


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One row of the table: what `shown` costs more than `without`.

    :param mark: a pattern of what it adds to the page.
    :param number: how often `shown` has that.
    :param rest: how often `without` has it.
    """

    name: str
    shown: Variant
    without: Variant
    mark: str
    number: int = 1
    rest: int = 0

    def check(self, shown: str, without: str) -> None:
        """Refuse pages that do not differ in the feature.

        :raises AssertionError: they do not.
        """
        found = tuple(len(re.findall(self.mark, body)) for body in (shown, without))
        if found != (self.number, self.rest):
            raise AssertionError(f"{self.name}: {self.mark} is there {found} times, not {(self.number, self.rest)}")


def same_page(one: bytes, other: bytes) -> bool:
    """Whether two pages are the same but for the tokens of their forms."""
    return _CSRF.sub(b"", one) == _CSRF.sub(b"", other)


def _more(cell: str, *, sort: str = "", kind: Any = "", view: ListView[Client] = _SHOWN, **names: Any) -> Variant:
    """A list with one more column."""
    columns = {**view.columns, "more": Column("More", sort=sort, kind=kind, value=str)}
    return Variant(view=replace(view, columns=columns), cell=f"<td{{{{ cell.more }}}}>{cell}</td>", names=names)


def _changed(**values: Any) -> Variant:
    rows = values.get("most_rows", 20)
    given = {name: getattr(_SHOWN, name) for name in ("hook", "columns", "counts", "filters", "ranges", "sorts")}
    return Variant(view=ChangedList(search_hint=_SHOWN.search_hint, **(given | values)), rows=rows)


#: As the app shows it.
AS_IT_IS: Final = Variant(view=_SHOWN)
_UNCHANGED: Final = _changed()
_UNFILTERED: Final = Variant(view=replace(_SHOWN, filters=()))
_UNCOUNTED: Final = Variant(view=replace(_SHOWN, filters=(_CHIPS,), counts=None))
_COUNTED: Final = Variant(view=replace(_SHOWN, filters=(_CHIPS,)))
_UNSORTED: Final = {name: replace(column, sort="") for name, column in _COLUMNS.items()}
_TEXTS: Final = _more("{{ row.city }}")
_MORE: Final = 'data-label="More"'


def _times() -> Iterator[datetime]:
    """Each of another day."""
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(days=number) for number in itertools.count())


def _cells(name: str, shown: Variant, *, mark: str = _MORE, without: Variant = AS_IT_IS) -> Feature:
    return Feature(name=name, shown=shown, without=without, mark=mark, number=20)


def features() -> Iterator[Feature]:
    """The rows of the table."""

    def part(name: str, mark: str, without: Variant, *, shown: Variant = AS_IT_IS, number: int = 1) -> Feature:
        return Feature(name=name, shown=shown, without=without, mark=mark, number=number)

    def row(mark: str) -> Feature:
        return replace(part("a row of five cells", mark, _changed(most_rows=19), shown=_UNCHANGED, number=20), rest=19)

    yield row("data-row-id=")
    new = {"new_time": partial(next, _times()), "new_number": partial(next, itertools.count())}
    new["new_id"] = partial(next, map(str, itertools.count()))
    yield _cells("a column of texts", _TEXTS)
    yield _cells("a column of days", _more("{{ row.created_at|day }}"))
    yield _cells("a column of days, each new", _more("{{ new_time()|day }}", context=new))
    yield _cells("a column of amounts", _more('{{ row.created_at.day|money("EUR") }}', kind="number"))
    yield _cells("a column of amounts, each new", _more('{{ new_number()|money("EUR") }}', kind="number", context=new))
    yield _cells("a column of links", _more('{{ row|link("client", row.id) }}'))
    yield _cells("a column of links, each new", _more('{{ row|link("client", new_id()) }}', context=new))
    yield _cells("a column of email links", _more("{{ row.email|mailto }}"))
    badges = "{{ row.city|badge(cities) }}"
    yield _cells("a column of badges", _more(badges, context={"cities": _BADGES}), mark='class="badge ')
    yield part("a heading that sorts", 'id="sort-more"', _TEXTS, shown=_more("{{ row.city }}", sort="email"))
    yield part(
        "the sort menu, four orders",
        '<select id="sort"',
        _changed(columns=_UNSORTED, unknown=("sort",)),
        shown=_changed(columns=_UNSORTED),
    )
    yield part("the search field", 'id="search"', _changed(unknown=("q",)), shown=_UNCHANGED)
    yield part("a filter whose choices the backend counts", 'id="menu-city"', _UNFILTERED)
    yield part("the five choices in its open menu", 'name="list-menu" open>', _UNCHANGED, shown=_changed(menu="city"))
    yield part("a filter of five declared choices", 'class="chips"', _UNFILTERED, shown=_UNCOUNTED)
    yield part("the counts beside these", 'class="chip-count"', _UNCOUNTED, shown=_COUNTED, number=5)
    yield part("a range of days", 'id="menu-createdAt"', Variant(view=replace(_SHOWN, ranges=())))
    days = _changed(menu="createdAt")
    yield part(
        "the presets in its open menu",
        rf'<li><a href="{CLIENTS}\?',
        replace(days, without_presets=True),
        shown=days,
        number=9,
    )
    yield part("the export link and its dialog", 'id="list-export"', Variant(view=_SHOWN, names={"export": ""}))
    yield part('the button "New"', 'data-shortcut="c"', Variant(view=_SHOWN, names={"create": ""}))
    yield part('"Load more"', 'id="load-more"', _changed(changed={"next_url": "", "more_url": ""}), shown=_UNCHANGED)
    yield part("the number of all rows", "data-shown=", _changed(changed={"total": None}), shown=_UNCHANGED)
    yield part('when it was loaded, and "Refresh"', "data-refresh", _changed(changed={"as_of": None}), shown=_UNCHANGED)
