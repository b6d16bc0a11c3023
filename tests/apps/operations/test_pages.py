"""The pages of the operations app: work orders are listed, written, completed."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from apps.operations.views.work_order_forms import WorkOrderForm
from portal.testing import Backend, SignedIn, row_ids

WORK_ORDERS, SUMMARY = "/operations/work-orders", "/operations/summary"
ROW, PAGE = f"{WORK_ORDERS}/wor_1", "/en/operations/work-orders"
ORDER = {"id": "wor_1", "title": "Tighten the screws", "priority": "high", "status": "open", "stationName": "Harbour"}
FORM = {"title": ORDER["title"], "priority": "high", "stationId": "", "description": ""}
PEOPLE, STATIONS, CHARGERS = (f"/operations/{each}" for each in ("people", "stations", "chargers"))
ROSA = {"id": "acc_rosa", "name": "Rosa Hübner", "email": "rosa@example.net"}


@pytest.fixture
def browser(signed_in: SignedIn, backend: Backend) -> Client:
    backend.lists(WORK_ORDERS, [ORDER])
    backend.lists(PEOPLE, [ROSA])
    for path in (STATIONS, CHARGERS):
        backend.lists(path, [])
    return signed_in("OPERATIONS_APP", id="acc_me", name="Ole")


def text_of(browser: Client, path: str) -> str:
    response = browser.get(path)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("field", "values"),
    [("title", ["", "x" * 201, "a\nb"]), ("priority", ["", "whenever"]), ("stationId", ["x" * 65])],
)
def test_a_field_that_is_not_valid_is_named_alone(field: str, values: list[str]) -> None:
    assert WorkOrderForm(FORM).is_valid()
    for value in values:
        form = WorkOrderForm(FORM | {field: value})
        assert [form[name].html_name for name in form.errors] == [field], value


def test_a_work_order_that_was_written_stands_at_the_top_of_the_cached_list(backend: Backend, browser: Client) -> None:
    backend.lists(WORK_ORDERS, [{"id": "wor_0", "title": "Sweep", "stationId": "sta_7", "stationName": None}])
    assert ">sta_7</td>" in text_of(browser, PAGE), "a station without a name is called by its id"
    backend.answers("POST", WORK_ORDERS, json=ORDER, status=201)
    response = browser.post(f"{PAGE}/new", FORM)
    assert (response.status_code, response["Location"]) == (303, f"{PAGE}/wor_1")
    (call,) = backend.calls_to(WORK_ORDERS, method="POST")
    assert call.body == FORM | dict.fromkeys(("stationId", "chargerId", "assigneeId", "dueAt"))
    page = browser.get(PAGE)
    assert row_ids(page) == ["wor_1", "wor_0"]
    assert "Tighten the screws was created." in page.content.decode()
    assert len(backend.calls_to(WORK_ORDERS, method="GET")) == 1, "the list was not asked for again"


def test_completing_is_a_post_that_changes_the_status_alone(backend: Backend, browser: Client) -> None:
    backend.answers("PATCH", ROW, json=ORDER | {"status": "done"})
    assert browser.get(f"{PAGE}/wor_1/complete").status_code == 405
    response = browser.post(f"{PAGE}/wor_1/complete")
    assert (response.status_code, response["Location"]) == (303, f"{PAGE}/wor_1")
    assert [call.body for call in backend.calls_to(ROW, method="PATCH")] == [{"status": "done"}]


@pytest.mark.parametrize(
    ("status", "can_complete"),
    [("open", True), ("in_progress", True), ("done", False), ("cancelled", False), ("other", True), (None, True)],
)
def test_only_what_is_not_finished_can_be_completed(
    backend: Backend, browser: Client, status: str | None, can_complete: bool
) -> None:
    backend.answers("GET", ROW, json={"id": "wor_1", "status": status})
    assert ("Mark as done" in text_of(browser, f"{PAGE}/wor_1")) is can_complete


@pytest.mark.parametrize(
    ("summary", "rows", "figures", "unloaded"),
    [
        ({"total": 3, "byStatus": {"open": 2}}, True, ["3"], 0),
        # What can't be loaded says so beside what can: what needs somebody and the figures, or the list.
        (503, True, [], 2),
        ({"byStatus": {"open": 2}}, False, ["–"], 1),
        (404, True, ["1"], 0),
        (404, False, None, 0),
    ],
)
def test_the_overview_needs_its_figures_or_its_list(
    *, backend: Backend, browser: Client, summary: Any, rows: bool, figures: list[str] | None, unloaded: int
) -> None:
    if isinstance(summary, dict):
        backend.answers("GET", SUMMARY, json=summary)
    elif summary == 404:
        backend.refuses("GET", SUMMARY, status=404)
    else:
        backend.fails(summary, path=SUMMARY)
    if not rows:
        backend.fails(503, path=WORK_ORDERS)
    if figures is None:
        assert browser.get("/en/operations").status_code == 503
        return
    page = text_of(browser, "/en/operations")
    assert sorted(re.findall('"figure-value">([^<]+)<', page)) == sorted(figures)
    assert page.count("This could not be loaded.") == unloaded
    assert (ORDER["title"] in page) is rows
    assert ("<time data-as-of datetime=" in page, "<figure>" in page) == (True, isinstance(summary, dict))


def test_late_work_orders_are_named_the_one_that_is_late_for_longest_first(backend: Backend, browser: Client) -> None:
    late = {"fromDay": None, "toDay": "2026-01-14", "count": 2}
    backend.answers("GET", SUMMARY, json={"byStatus": {"open": 2}, "late": late})
    backend.lists(WORK_ORDERS, [{**ORDER, "dueAt": "2026-01-10T12:00:00Z"}])
    page = text_of(browser, "/en/operations")
    needs = page[page.index('class="needs"') : page.index("All work orders")]
    assert (f'<a href="{PAGE}/wor_1">' in needs, "due Jan 10, 2026" in needs) == (True, True)
    [asked] = [call.query for call in backend.calls_to(WORK_ORDERS) if "dueAtTo" in call.query]
    assert (asked["sort"], asked["status"], asked["dueAtTo"][10:]) == ("dueAt", "in_progress,open", "T00:00:00Z")


def test_what_the_user_has_to_do_is_named_first_what_is_due_first_at_the_top(backend: Backend, browser: Client) -> None:
    backend.answers("GET", SUMMARY, json={"byStatus": {"open": 2}, "late": {"toDay": "2026-01-14", "count": 2}})
    backend.lists(WORK_ORDERS, [{**ORDER, "assigneeId": "acc_me", "assignee": "Ole", "dueAt": None}])
    needs = text_of(browser, "/en/operations").partition('class="needs"')[2].partition("All work orders")[0]
    assert needs.index("work order is yours") < needs.index("late work orders")
    [asked] = [call.query for call in backend.calls_to(WORK_ORDERS) if "assigneeId" in call.query]
    assert (asked["assigneeId"], asked["sort"], asked["status"]) == ("acc_me", "dueAt", "in_progress,open")


def test_nobody_is_told_that_the_orders_of_others_are_theirs(backend: Backend, browser: Client) -> None:
    """As of a backend that does not know by whom a list is narrowed."""
    backend.answers("GET", SUMMARY, json={"byStatus": {"open": 2}, "late": {"toDay": "2026-01-14", "count": 2}})
    backend.lists(WORK_ORDERS, [{**ORDER, "assigneeId": "acc_2", "assignee": "Somebody else"}])
    assert "is yours" not in text_of(browser, "/en/operations")


@pytest.mark.parametrize(("due", "is_late"), [("2026-01-10T12:00:00Z", True), ("2099-01-10T12:00:00Z", False)])
def test_a_missed_day_looks_missed_on_the_page_of_the_order_too(
    backend: Backend, browser: Client, due: str, *, is_late: bool
) -> None:
    backend.answers("GET", ROW, json={**ORDER, "status": "open", "dueAt": due})
    assert ("(late)</strong>" in text_of(browser, f"{PAGE}/wor_1")) is is_late
