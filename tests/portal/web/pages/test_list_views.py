"""List pages: from an address to a query, and from a result to what the template shows."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from portal.errors import ApiUnavailableError
from portal.query import PaginatedRes, PaginatedResult, Row
from portal.services.energy.clients import ClientQueries
from portal.web.pages.list_views import ListView
from portal.web.pages.page_names import PageNames

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
