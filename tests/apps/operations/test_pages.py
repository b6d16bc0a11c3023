"""The pages of the operations app: work orders are listed, written, completed."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn, row_ids

WORK_ORDERS = "/operations/work-orders"
ORDER = {"id": "wor_1", "title": "Tighten the screws", "priority": "high", "status": "open", "stationName": "Harbour"}


@pytest.fixture
def operations_user(signed_in: SignedIn) -> Client:
    return signed_in("OPERATIONS_APP")


def test_a_work_order_that_was_written_stands_at_the_top_of_the_cached_list(
    backend: Backend, operations_user: Client
) -> None:
    backend.lists(WORK_ORDERS, [{"id": "wor_0", "title": "Sweep"}])
    assert row_ids(operations_user.get("/en/operations/work-orders")) == ["wor_0"]
    backend.answers("POST", WORK_ORDERS, json=ORDER, status=201)
    response = operations_user.post("/en/operations/work-orders/new", {"title": ORDER["title"], "priority": "high"})
    assert (response.status_code, response["Location"]) == (303, "/en/operations/work-orders")
    (call,) = backend.calls_to(WORK_ORDERS, method="POST")
    assert call.body == {"title": "Tighten the screws", "priority": "high", "stationId": None, "dueAt": None}
    page = operations_user.get("/en/operations/work-orders")
    assert row_ids(page) == ["wor_1", "wor_0"]
    assert "Tighten the screws was created." in page.content.decode()
    assert len(backend.calls_to(WORK_ORDERS, method="GET")) == 1, "the list was not asked for again"


def test_completing_is_a_post_that_changes_the_status_alone(backend: Backend, operations_user: Client) -> None:
    backend.lists(WORK_ORDERS, [ORDER])
    backend.answers("PATCH", f"{WORK_ORDERS}/wor_1", json=ORDER | {"status": "done"})
    assert operations_user.get("/en/operations/work-orders/wor_1/complete").status_code == 405
    response = operations_user.post("/en/operations/work-orders/wor_1/complete")
    assert (response.status_code, response["Location"]) == (303, "/en/operations/work-orders/wor_1")
    written = backend.calls_to(f"{WORK_ORDERS}/wor_1", method="PATCH")
    assert [call.body for call in written] == [{"status": "done"}]


def test_the_overview_shows_the_summary_and_what_is_new(backend: Backend, operations_user: Client) -> None:
    backend.answers("GET", "/operations/summary", json={"total": 3, "byStatus": {"open": 2}})
    backend.lists(WORK_ORDERS, [ORDER])
    body = operations_user.get("/de/operations").content.decode()
    assert ">3<" in body
    assert "Tighten the screws" in body
    assert "<time data-as-of datetime=" in body


def test_a_status_with_an_unreadable_count_keeps_its_tile(backend: Backend, operations_user: Client) -> None:
    backend.answers("GET", "/operations/summary", json={"total": 3, "byStatus": {"cancelled": None, "open": "many"}})
    backend.lists(WORK_ORDERS, [])
    body = operations_user.get("/en/operations").content.decode()
    assert body.count('<span class="figure-value">0</span>') == 2


def test_late_work_orders_are_named_the_one_that_is_late_for_longest_first(
    backend: Backend, operations_user: Client
) -> None:
    summary = {"byStatus": {"open": 2}, "late": {"fromDay": None, "toDay": "2026-01-14", "count": 2}}
    backend.answers("GET", "/operations/summary", json=summary)
    backend.lists(WORK_ORDERS, [{**ORDER, "dueAt": "2026-01-10T12:00:00Z"}])
    body = operations_user.get("/en/operations").content.decode()
    needs = body[body.index('class="needs"') : body.index("Not finished" if "Not finished" in body else "figures")]
    assert f'<a href="/en/operations/work-orders/{ORDER["id"]}">' in needs
    assert "due Jan 10, 2026" in needs
    asked = [call.query for call in backend.calls_to(WORK_ORDERS) if "dueAtTo" in call.query]
    assert [(query["sort"], query["status"]) for query in asked] == [("dueAt", "in_progress,open")]
    assert asked[0]["dueAtTo"].endswith("T00:00:00Z")


def test_what_can_t_be_loaded_says_so_beside_what_can(backend: Backend, operations_user: Client) -> None:
    backend.fails(503, path="/operations/summary")
    backend.lists(WORK_ORDERS, [ORDER])
    body = operations_user.get("/en/operations").content.decode()
    assert ORDER["title"] in body
    assert body.count("This could not be loaded.") == 2, "what needs somebody, and the figures"


def test_the_overview_needs_its_figures_or_its_list(backend: Backend, operations_user: Client) -> None:
    backend.fails(503, path=WORK_ORDERS)
    backend.answers("GET", "/operations/summary", json={"byStatus": {"open": 2}})
    body = operations_user.get("/en/operations").content.decode()
    assert re.findall('"figure-value">([^<]+)<', body) == ["–", "2"]
    assert body.count("This could not be loaded.") == 1


def test_the_overview_without_figures_and_without_the_list_is_a_503(backend: Backend, operations_user: Client) -> None:
    backend.fails(503, path=WORK_ORDERS)
    backend.refuses("GET", "/operations/summary", status=404)
    assert operations_user.get("/en/operations").status_code == 503
