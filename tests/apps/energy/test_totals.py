"""What all rows of a list add up to: below its table, and beside the short lists of a record."""

import re
from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn

SESSIONS, TOTALS = "/energy/sessions", "/energy/sessions/totals"
CLIENT = "/energy/clients/cli_1"
PATH = "/en/energy/sessions"
SUM = re.compile(r'<tfoot><tr class="sum sums">(.*?)</tfoot>', re.DOTALL)


@pytest.fixture
def browser(signed_in: SignedIn) -> Client:
    return signed_in("ENERGY_APP", "FINANCE_APP")


def rows(number: int, **fields: Any) -> list[dict[str, Any]]:
    row = {"energyKwh": 1.5, "cost": "2.25", "currency": "EUR", "status": "failed", "clientId": "cli_1", **fields}
    return [{"id": f"ses_{index}", **row} for index in range(number)]


def sums_of(browser: Client, path: str = PATH, **headers: str) -> str:
    """The words of the last row; empty without one."""
    page = browser.get(path, headers=headers).content.decode().replace("\N{NO-BREAK SPACE}", " ")
    found = SUM.search(page)
    return " ".join(re.sub(r"<[^>]*>", " ", found[1]).split()) if found else ""


def test_the_last_row_adds_up_all_rows_and_not_those_that_are_shown(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(45))
    assert sums_of(browser) == "Sum of all 45 67.5 kWh €101.25"
    assert sums_of(browser, **{"hx-request": "true", "hx-target": "list"}) == "Sum of all 45 67.5 kWh €101.25"
    [asked] = backend.calls_to(TOTALS)
    assert asked.query == {"of": "energyKwh,cost"}
    browser.get(f"{PATH}?cursor=after+20%26%3D", headers={"hx-request": "true", "hx-target": "rows"})
    assert len(backend.calls_to(TOTALS)) == 1


def test_sums_follow_what_narrows_the_list(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(3, startedAt="2026-01-05T00:00:00Z"))
    assert sums_of(browser, f"{PATH}?status=failed&q=a&startedAtFrom=2026-01-01&sort=-cost") != ""
    limits = {"status": "failed", "q": "a", "startedAtFrom": "2026-01-01T00:00:00Z"}
    assert [call.query for call in backend.calls_to(TOTALS)] == [{"of": "energyKwh,cost", **limits}]


def test_money_of_several_currencies_is_not_added_up_together(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, [*rows(2), {**rows(1, currency="CHF")[0], "id": "ses_9"}])
    assert sums_of(browser) == "Sum of all 3 4.5 kWh €4.50 CHF 2.25"


@pytest.mark.parametrize("fault", [404, 503, "malformed"])
def test_without_sums_the_list_is_as_it_was(backend: Backend, browser: Client, fault: Any) -> None:
    backend.lists(SESSIONS, rows(2))
    backend.fails(fault, path=TOTALS)
    page = browser.get(PATH)
    assert (page.status_code, "ses_1" in page.content.decode(), sums_of(browser)) == (200, True, "")


@pytest.mark.parametrize(
    "answer",
    [
        {"total": 3, "sums": {"energyKwh": 4.5, "cost": {"EUR": "6.75"}}},
        {"total": 2, "sums": {"energyKwh": "many", "cost": {"EUR": "much"}}},
        {"sums": {"energyKwh": 4.5}},
        [],
    ],
    ids=["of other rows", "no numbers", "of nobody knows what", "no object"],
)
def test_doubtful_sums_are_not_shown(backend: Backend, browser: Client, answer: Any) -> None:
    backend.lists(SESSIONS, rows(2))
    backend.answers("GET", TOTALS, json=answer)
    assert sums_of(browser) == ""


def test_one_row_and_a_list_whose_filter_is_ignored_have_no_sum(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(1))
    assert sums_of(browser) == ""
    backend.lists(SESSIONS, [*rows(2), {"id": "ses_9", "status": "active"}])
    assert sums_of(browser, f"{PATH}?status=failed&q=x") == ""


def test_the_short_list_of_a_record_says_what_all_of_its_rows_add_up_to(backend: Backend, browser: Client) -> None:
    backend.answers("GET", CLIENT, json={"id": "cli_1", "name": "Ada"})
    backend.lists(SESSIONS, rows(7))
    invoices = [{"id": f"inv_{n}", "amount": "10.00", "currency": "EUR", "clientId": "cli_1"} for n in range(2)]
    backend.lists("/finance/invoices", invoices)
    page = browser.get("/en/energy/clients/cli_1").content.decode().replace("\N{NO-BREAK SPACE}", " ")
    assert '<span class="hint">10.5 kWh · €15.75</span>' in page
    assert '<span class="hint">€20.00</span>' in page
    [asked] = backend.calls_to(TOTALS)
    assert asked.query == {"of": "energyKwh,cost", "clientId": "cli_1"}
