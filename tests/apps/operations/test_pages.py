"""The pages of the operations app: work orders are listed, written, completed."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from apps.operations.views.work_order_forms import WorkOrderForm
from portal.testing import Backend, SignedIn, page_of, row_ids
from tests.portal_pages.site import Page
from tests.support.offers import offered

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


@pytest.mark.parametrize(
    ("found", "is_asked"),
    [
        ({"status": "open"}, True),
        ({"status": "in_progress"}, True),
        ({"status": "done"}, False),
        ({"status": None}, False),
        ({"status": "open", "chargerId": "chg_2"}, False),
        ({"status": "open", "chargerId": None}, False),
    ],
)
def test_second_order_is_asked_about(backend: Backend, browser: Client, found: dict[str, Any], is_asked: bool) -> None:
    # As of a backend that ignores the parameters.
    backend.answers("GET", WORK_ORDERS, json=page_of([ORDER | {"chargerId": "chg_1"} | found]))
    backend.lists(CHARGERS, [{"id": "chg_1", "name": "Oslo 1"}])
    backend.answers("POST", WORK_ORDERS, json=ORDER, status=201)
    sent = FORM | {"chargerId": "chg_1"}
    page = Page(browser.post(f"{PAGE}/new", sent))
    question = f'There is already an entry with this value: <a href="{PAGE}/wor_1">Tighten the screws</a>'
    assert (page.status == 422, question in page.html) == (is_asked, is_asked)
    assert browser.post(f"{PAGE}/new", sent | {"createAnyway": "chg_1"}).status_code == 303


@pytest.mark.parametrize(
    ("status", "can_complete"),
    [("open", True), ("in_progress", True), ("done", False), ("cancelled", False), ("other", True), (None, True)],
)
def test_unfinished_can_be_completed(backend: Backend, browser: Client, status: str | None, can_complete: bool) -> None:
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
def test_overview_needs_something(
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
    mine = {"assigneeId": "acc_me", "assignee": "Ole", "status": "open", "dueAt": "2026-01-10T00:00:00Z"}
    backend.lists(WORK_ORDERS, [ORDER | mine])
    needs = text_of(browser, "/en/operations").partition('class="needs"')[2].partition("All work orders")[0]
    assert needs.index("work order is yours") < needs.index("late work orders")
    [asked] = [call.query for call in backend.calls_to(WORK_ORDERS) if "assigneeId" in call.query]
    assert (asked["assigneeId"], asked["sort"], asked["status"]) == ("acc_me", "dueAt", "in_progress,open")


def test_nobody_is_told_that_the_orders_of_others_are_theirs(backend: Backend, browser: Client) -> None:
    """As of a backend that does not know by whom a list is narrowed."""
    backend.answers("GET", SUMMARY, json={"byStatus": {"open": 2}, "late": {"toDay": "2026-01-14", "count": 2}})
    backend.lists(WORK_ORDERS, [{**ORDER, "assigneeId": "acc_2", "assignee": "Somebody else"}])
    assert "is yours" not in text_of(browser, "/en/operations")


@pytest.fixture
def loose_backend(backend: Backend, browser: Client) -> Iterator[Backend]:
    """One whose rows have names alone, and that is declared to have work orders and to narrow them by name."""
    names = ["Eve", None, "Ole"]
    rows = [{**ORDER, "id": f"wor_{number}", "assignee": name} for number, name in enumerate(names, 1)]
    backend.lists(WORK_ORDERS, rows)
    backend.answers("GET", SUMMARY, json={"byStatus": {"open": 3}, "late": {"toDay": "2026-01-14", "count": 2}})
    orders = "operations.get_work_orders"
    names = [f"{orders}{each}" for each in ("", "?sort", "?status", "?assignee")]
    with offered("operations.get_summary", "operations.get_work_order", "operations.update_work_order", *names):
        yield backend


@pytest.mark.usefixtures("loose_backend")
def test_parameter_that_is_not_offered_is_left_out(browser: Client) -> None:
    page = browser.get(f"{PAGE}?assigneeId=acc_me&q=x")
    assert row_ids(page) == ["wor_1", "wor_2", "wor_3"]
    assert "Left out: Search and Assigned to" in " ".join(page.content.decode().split())
    assert 'name="assigneeId"' not in page.content.decode().partition("<main")[2]
    assert browser.get(f"{PAGE}/export?assigneeId=acc_me&q=x")["Location"] == f"{PAGE}?assigneeId=acc_me&q=x"
    assert len(re.findall(r"wor_\d", b"".join(browser.get(f"{PAGE}/export")).decode())) == 3
    with offered("operations.get_work_orders", "operations.get_work_orders?createdAtFrom"):
        assert "Left out: Created" in " ".join(text_of(browser, f"{PAGE}?createdAtFrom=2026-01-01").split())


@pytest.mark.usefixtures("browser")
@pytest.mark.parametrize(("chosen", "shown"), [("acc_me", []), ("none", ["wor_1"])])
def test_rows_without_a_person_fit_nobody(backend: Backend, signed_in: SignedIn, chosen: str, shown: list[str]) -> None:
    backend.lists(WORK_ORDERS, [ORDER | {"assigneeId": None, "assignee": None}, ORDER | {"id": "wor_2"}])
    assert row_ids(signed_in("OPERATIONS_APP").get(f"{PAGE}?assigneeId={chosen}")) == shown


def test_the_menu_of_persons_stays_where_the_rows_that_are_shown_have_none(backend: Backend, browser: Client) -> None:
    backend.lists(WORK_ORDERS, [ORDER | {"assigneeId": None, "assignee": None}])
    page = text_of(browser, f"{PAGE}?assigneeId=none")
    assert ("menu=assigneeId" in page, 'data-row-id="wor_1"' in page) == (True, True)
    assert 'menu=assignee"' not in page, "the filter by name is in its place"


def test_orders_are_the_users_by_id_alone(loose_backend: Backend, browser: Client) -> None:
    assert "yours" not in text_of(browser, "/en/operations")
    loose_backend.lists(WORK_ORDERS, [{**ORDER, "assignee": "Ole", "status": "open", "dueAt": "2026-01-10T00:00:00Z"}])
    # Where nobody knows people, the list of one's own asks for the name.
    fresh = {"headers": {"cache-control": "no-cache"}}
    assert "yours" not in browser.get("/en/operations", **fresh).content.decode()
    assert "assignee=Ole" in text_of(browser, PAGE)


def test_nothing_is_assigned_to_a_user_without_id_and_name(loose_backend: Backend, signed_in: SignedIn) -> None:
    browser = signed_in("OPERATIONS_APP", id=None, name=None, email=None)
    text_of(browser, f"{PAGE}?menu=assigneeId")
    assert "Mine" not in text_of(browser, PAGE)
    assert "Assign to me" not in text_of(browser, f"{PAGE}/wor_1")
    text_of(browser, "/en/operations")
    assert not [call for call in loose_backend.calls_to(WORK_ORDERS) if call.query.get("assignee")]


@pytest.mark.parametrize(("due", "is_late"), [("2026-01-10T12:00:00Z", True), ("2099-01-10T12:00:00Z", False)])
def test_missed_day_looks_missed(backend: Backend, browser: Client, due: str, *, is_late: bool) -> None:
    backend.answers("GET", ROW, json={**ORDER, "status": "open", "dueAt": due})
    assert ("(late)</strong>" in text_of(browser, f"{PAGE}/wor_1")) is is_late


def test_the_undo_of_an_assignment_brings_back_a_name_that_is_no_persons(backend: Backend, browser: Client) -> None:
    order = ORDER | {"assignee": "External Ltd", "assigneeId": None, "version": 3}
    backend.lists(WORK_ORDERS, [order])
    backend.answers("PATCH", ROW, json=order | {"assignee": "Ole", "assigneeId": "acc_me", "version": 4})
    browser.post(f"{PAGE}/wor_1/take", Page(browser.get(f"{PAGE}/wor_1")).forms[f"{PAGE}/wor_1/take"])
    browser.post(f"{PAGE}/wor_1/undo", Page(browser.get(f"{PAGE}/wor_1")).forms[f"{PAGE}/wor_1/undo"])
    assert [call.body for call in backend.calls_to(ROW, method="PATCH")] == [
        {"assigneeId": "acc_me"},
        {"assignee": "External Ltd"},
    ]
