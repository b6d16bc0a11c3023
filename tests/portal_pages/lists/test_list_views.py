"""List pages: from an address to a query, and from a result to what the template shows."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from portal.errors import ApiUnavailableError
from portal.query import PaginatedRes, PaginatedResult, Row
from portal.services.energy.clients import ClientQueries
from portal_pages.lists.columns import Column
from portal_pages.lists.date_ranges import DateRange
from portal_pages.lists.filters import Filter
from portal_pages.lists.list_views import ListView
from portal_pages.page_names import PageNames

ROWS = (Row(id="a"),)
NAMES = PageNames(list="things", title="Things")
VIEW = ListView(
    hook=ClientQueries.use_get_clients_query, search_hint="Name", sorts={"-createdAt": "Newest", "name": "Name"}
)


def result_of(**changes: Any) -> PaginatedResult[Any]:
    data = PaginatedRes(items=ROWS, has_next=True, next_cursor="c&1", total=41)
    fields = {"data": data, "error": None, "fetched_at": 1.0, "is_stale": False, "pages": 1} | changes
    return PaginatedResult(**fields, _refetch=lambda: None, _fetch_next=lambda: None)


def controls_of(query: str):
    return VIEW.controls(RequestFactory().get(f"/en/things?{query}"))


def page_of(query: str, *, target: str | None = None, **changes: Any):
    return VIEW.page(NAMES, controls=controls_of(query), result=result_of(**changes), path="/en/things", target=target)


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


def test_the_next_page_keeps_search_and_order_and_encodes_the_cursor() -> None:
    assert page_of("q=a%26b&sort=name").next_url == "/en/things?q=a%26b&sort=name&cursor=c%261"


def test_without_a_next_page_there_is_no_link() -> None:
    assert page_of("", data=PaginatedRes(items=ROWS)).next_url == ""


def test_a_page_at_a_cursor_leads_back_to_the_first_but_not_where_it_is_appended() -> None:
    page = page_of("q=x&cursor=c1")
    assert page.is_continuation
    assert page.first_url == "/en/things?q=x"
    assert not page_of("q=x&cursor=c1", target="rows").is_continuation


def test_older_rows_through_an_outage_are_marked() -> None:
    assert page_of("", error=ApiUnavailableError()).is_outage
    assert not page_of("").is_outage


def test_without_any_rows_to_show_the_error_becomes_the_page() -> None:
    with pytest.raises(ApiUnavailableError):
        page_of("", data=PaginatedRes(), pages=0, error=ApiUnavailableError())


def test_a_backend_that_does_not_count_is_fine() -> None:
    assert page_of("", data=PaginatedRes(items=ROWS)).total is None


def test_the_total_is_the_one_after_the_users_own_writes_and_not_the_servers() -> None:
    assert page_of("", data=PaginatedRes(items=ROWS, raw_res=({"total": 41},), total=40)).total == 40


def test_the_rows_of_the_page_are_those_of_the_hook() -> None:
    assert page_of("").rows is ROWS


def test_the_words_of_the_page_are_those_of_the_view_and_the_resource() -> None:
    page = page_of("sort=name")
    assert (page.title, page.search_hint, page.sorts) == (
        "Things",
        "Name",
        (("-createdAt", "Newest"), ("name", "Name")),
    )
    assert (page.sort, page_of("").sort) == ("name", "-createdAt")


FILTERED = ListView(
    hook=ClientQueries.use_get_clients_query,
    columns={"name": Column("Name", sort="name"), "city": Column("City", sort="city")},
    filters=(Filter("city", "City"),),
    ranges=(DateRange("createdAt", "Since"),),
    counts=ClientQueries.use_get_clients_counts_query,
)


def filtered_page(query: str, **changes: Any):
    controls = FILTERED.controls(RequestFactory().get(f"/en/things?{query}"))
    return FILTERED.page(NAMES, controls=controls, result=result_of(**changes), path="/en/things", target=None)


def test_the_orders_of_the_columns_follow_those_of_the_list() -> None:
    assert filtered_page("").sorts == (
        ("-createdAt", "Newest first"),
        ("createdAt", "Oldest first"),
        ("name", "Name, ascending"),
        ("-name", "Name, descending"),
        ("city", "City, ascending"),
        ("-city", "City, descending"),
    )


def test_every_link_of_a_list_keeps_what_is_chosen() -> None:
    page = filtered_page("q=x&city=K%C3%B6ln&city=Ulm&createdAtFrom=2026-01-01&sort=name")
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


@pytest.mark.parametrize(
    ("text", "pages"), [("", 1), ("3", 3), ("0", 1), ("-1", 1), ("99", 20), ("9" * 5000, 1), ("x", 1), ("²", 1)]
)
def test_an_address_shows_so_many_pages_and_no_more_than_the_bound(text: str, pages: int) -> None:
    assert FILTERED.controls(RequestFactory().get("/en/things", {"pages": text})).pages == pages


def test_a_search_for_a_choice_that_nothing_offers_shows_it_as_not_applied() -> None:
    view = ListView(hook=ClientQueries.use_get_clients_query, filters=(Filter("city", "City", choices={"Ulm": "Ulm"}),))
    controls = view.controls(RequestFactory().get("/en/things?city=Ulm&city=%3Cx%3E"))
    assert controls.params == {"city": ["Ulm"]}
    page = view.page(NAMES, controls=controls, result=result_of(), path="/en/things", target=None)
    assert [(chip.text, chip.is_ignored) for chip in page.filters.chips] == [("<x>", True)]
    assert page.filters.hidden == [("city", "<x>")]


def ignoring(*params: str, items: list[Any] | None = None, has_next: bool = False) -> dict[str, Any]:
    """The result of a list whose backend did not follow these parameters."""
    data = PaginatedRes(
        items=[] if items is None else items, has_next=has_next, next_cursor="c&1" if has_next else None, ignored=params
    )
    return {"data": data}


def test_what_the_backend_did_not_follow_is_named_and_not_offered() -> None:
    page = filtered_page("q=a&city=Ulm&sort=name", **ignoring("q", "city", "sort"))
    assert page.not_known[:2] == ("Search", "Sorting")
    assert len(page.not_known) == 3
    assert not page.is_searchable
    assert page.sorts == ()
    assert [heading.sort for heading in page.headings] == [""] * len(page.headings)
    assert "city" not in [each.param for each in page.filters.filters]


CHOICES = ListView(
    hook=ClientQueries.use_get_clients_query, filters=(Filter("city", "City", choices={"Ulm": "Ulm", "Oslo": "Oslo"}),)
)


def test_a_choice_that_the_backend_did_not_follow_can_still_be_taken_away() -> None:
    controls = CHOICES.controls(RequestFactory().get("/en/things?city=Ulm"))
    page = CHOICES.page(
        NAMES, controls=controls, result=result_of(**ignoring("city")), path="/en/things", target=None
    ).filters
    assert page.filters == []
    assert [(chip.text, chip.url, chip.is_ignored) for chip in page.chips] == [("Ulm", "/en/things", False)]
    assert page.hidden == [("city", "Ulm")], "what is typed into the search does not take it away"


def test_a_list_that_the_backend_follows_has_all_its_controls() -> None:
    page = filtered_page("city=Ulm")
    assert page.not_known == ()
    assert page.is_searchable
    assert page.sorts
