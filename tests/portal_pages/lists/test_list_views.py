"""List pages: from an address to a query, and from a result to what the template shows."""

from typing import Any

import pytest
from django.http import QueryDict
from django.test import RequestFactory

from portal.query import PaginatedRes, PaginatedResult, Row
from portal.services.energy.clients import ClientQueries
from portal_pages.lists.columns import Column
from portal_pages.lists.controls import ListControls
from portal_pages.lists.date_ranges import DateRange
from portal_pages.lists.filters import Filter
from portal_pages.lists.list_pages import ListPage
from portal_pages.lists.list_views import ListView
from portal_pages.page_names import PageNames
from tests.support.offers import offered

ROWS = (Row(id="a"),)
HOOK = ClientQueries.use_get_clients_query
VIEW = ListView(hook=HOOK, search_hint="Name", sorts={"-createdAt": "Newest", "name": "Name"})
FILTERED = ListView(
    hook=HOOK,
    columns={"name": Column("Name", sort="name"), "city": Column("City", sort="city")},
    filters=(Filter("city", "City"),),
    ranges=(DateRange("createdAt", "Since"),),
    counts=ClientQueries.use_get_clients_counts_query,
)
CHOICES = ListView(hook=HOOK, filters=(Filter("city", "City", choices={"Ulm": "Ulm"}),))


def controls_of(query: str, view: ListView[Any] = VIEW) -> ListControls:
    return view.controls(QueryDict(query))


def page_of(query: str, view: ListView[Any] = VIEW, *, target: str | None = None, **changes: Any) -> ListPage:
    """The page at this address, of a result with these changes: fields of its data, or of the result."""
    data = {"items": ROWS, "has_next": True, "next_cursor": "c&1", "total": 41}
    data |= {name: changes.pop(name) for name in list(changes) if name in PaginatedRes.__dataclass_fields__}
    fields = {"error": None, "fetched_at": 1.0, "is_stale": False, "pages": 1} | changes
    result = PaginatedResult(
        _data=lambda: PaginatedRes(**data), **fields, _refetch=lambda: None, _fetch_next=lambda: None
    )
    names = PageNames(list="things", title="Things")
    return view.page(
        RequestFactory().get("/en/things"),
        names,
        controls=controls_of(query, view),
        result=result,
        target=target,
        counts=None,
        totals=None,
        names={},
        is_restarted=False,
    )


@pytest.mark.parametrize(
    ("query", "params"),
    [
        ("", {}),
        ("q=+two++words+", {"q": "two words"}),
        ("sort=name", {"sort": "name"}),
        ("sort=-createdAt", {}),
        ("sort=DROP+TABLE", {}),
        (f"q={'x' * 300}", {"q": "x" * 200}),
        ("q=a%00b%1B", {"q": "a b"}),
    ],
)
def test_the_address_gives_the_query(query: str, params: dict[str, str]) -> None:
    assert controls_of(query).params == params


@pytest.mark.parametrize(
    ("text", "pages"), [("", 1), ("3", 3), ("0", 1), ("-1", 1), ("99", 20), ("9" * 5000, 1), ("x", 1), ("²", 1)]
)
def test_an_address_shows_so_many_pages_and_no_more_than_the_bound(text: str, pages: int) -> None:
    assert controls_of(f"pages={text}", FILTERED).pages == pages


def test_the_words_the_rows_and_the_total_of_a_page_are_those_of_the_view_and_the_result() -> None:
    page = page_of("sort=name", raw_res=({"total": 41},), total=40)
    assert (page.title, page.search_hint, page.rows) == ("Things", "Name", ROWS)
    assert page.sorts == (("-createdAt", "Newest"), ("name", "Name"))
    assert (page.sort, page_of("").sort) == ("name", "-createdAt")
    assert page.total == 40, "the one after the user's own writes, and not the server's"
    assert page_of("", total=None).total is None
    assert page_of("q=a%26b&sort=name").next_url == "/en/things?q=a%26b&sort=name&cursor=c%261"
    assert page_of("", has_next=False, next_cursor=None).next_url == ""


def test_the_orders_of_the_columns_follow_those_of_the_list() -> None:
    page = page_of("city=Ulm", FILTERED)
    assert page.sorts == (
        ("-createdAt", "Newest first"),
        ("createdAt", "Oldest first"),
        ("name", "Name, ascending"),
        ("-name", "Name, descending"),
        ("city", "City, ascending"),
        ("-city", "City, descending"),
    )
    assert (page.not_known, page.is_searchable) == ((), True)


def test_every_link_of_a_list_keeps_what_is_chosen() -> None:
    page = page_of("q=x&city=K%C3%B6ln&city=Ulm&createdAtFrom=2026-01-01&sort=name", FILTERED)
    state = "q=x&city=K%C3%B6ln&city=Ulm&createdAtFrom=2026-01-01"
    assert page.next_url == f"/en/things?{state}&sort=name&cursor=c%261"
    assert page.more_url == f"/en/things?{state}&sort=name&cursor=c%261&pages=2"
    assert page.sorted_url("-city") == f"/en/things?{state}&sort=-city"
    assert page.filters.clear_url == "/en/things?q=x&sort=name"
    assert [(chip.text, chip.url) for chip in page.filters.chips] == [
        ("Köln", "/en/things?q=x&city=Ulm&createdAtFrom=2026-01-01&sort=name"),
        ("Ulm", "/en/things?q=x&city=K%C3%B6ln&createdAtFrom=2026-01-01&sort=name"),
        ("from Jan 1, 2026", "/en/things?q=x&city=K%C3%B6ln&city=Ulm&sort=name"),
    ]


def test_a_search_for_a_choice_that_nothing_offers_shows_it_as_not_applied() -> None:
    query = "city=Ulm&city=%3Cx%3E"
    assert controls_of(query, CHOICES).params == {"city": ["Ulm"]}
    shown = page_of(query, CHOICES).filters
    assert [(chip.text, chip.is_ignored) for chip in shown.chips] == [("<x>", True)]
    assert shown.hidden == [("city", "<x>")]


def test_what_the_backend_did_not_follow_is_named() -> None:
    page = page_of("city=Ulm&sort=name", FILTERED, items=(), ignored=("city", "sort"))
    assert (len(page.not_known), page.left_out, page.sorts) == (1, ("Sorting",), ())
    assert "city" in [each.param for each in page.filters.filters], "it can be taken away"
    assert {heading.direction for heading in page.headings} == {""}


def test_address_is_read_without_what_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(HOOK, "optional_params", True)
    with offered("required"):
        page = page_of("q=a&city=Ulm&sort=name", FILTERED, items=())
    assert (len(page.left_out), page.is_searchable, page.sorts, page.filters.filters) == (3, False, (), [])
    assert (page.q, page.first_url) == ("", "/en/things")
    assert {heading.sort for heading in page.headings} == {""}


def test_the_columns_also_sort_a_list_whose_own_order_has_no_name() -> None:
    view = ListView(hook=HOOK, columns={"name": Column("Name", sort="name")}, sorts={"": "As they come"})
    assert [heading.sort for heading in page_of("", view).headings] == ["name"]
