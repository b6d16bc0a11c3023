"""The search over everything: what is asked, what is shown, and what fails alone."""

import re
from typing import Any

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn

LISTS = ("/energy/clients", "/energy/stations", "/energy/chargers", "/energy/sessions", "/energy/meters")
INVOICES = "/finance/invoices"
ENERGY, FINANCE = "ENERGY_APP", "FINANCE_APP"
ADA = {"id": "cli_1", "name": "Ada"}


@pytest.fixture(autouse=True)
def empty_lists(backend: Backend) -> None:
    """No list has a row, until the test says otherwise."""
    for path in (*LISTS, "/operations/work-orders", INVOICES):
        backend.lists(path, [])


def searched(backend: Backend) -> set[str]:
    return {call.path for call in backend.calls if "q" in call.query}


def found(browser: Client, query: str = "q=ada", *, locale: str = "en", **headers: str) -> str:
    response = browser.get(f"/{locale}/search?{query}", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


@pytest.mark.parametrize(
    ("profile", "asked"),
    [
        ({}, {*LISTS, INVOICES}),
        # What the profile denies is not asked, whatever the token says.
        ({"permissions": [FINANCE]}, {INVOICES}),
    ],
)
def test_permitted_lists_are_asked(backend: Backend, signed_in: SignedIn, profile: Any, asked: set[str]) -> None:
    found(signed_in(ENERGY, FINANCE, **profile), "q=berlin")
    assert searched(backend) == asked
    assert {call.query["q"] for call in backend.calls if "q" in call.query} == {"berlin"}


def test_rows_lead_to_their_pages_on_this_app_or_through_the_gateway(backend: Backend, signed_in: SignedIn) -> None:
    ada = {"id": "cli_1", "name": "<b>Ada</b>", "email": "ada@example.com", "city": "Ulm"}
    backend.lists("/energy/clients", [ada, {"id": "..", "name": "Ada"}])
    backend.lists(INVOICES, [{"id": "inv_1", "number": "INV-1", "clientName": "Ada"}])
    body = found(signed_in(ENERGY, FINANCE), locale="de")
    for address in ("/de/energy/clients/cli_1", "http://localhost:8000/de/finance/invoices/inv_1"):
        assert f'href="{address}"' in body
    assert ("&lt;b&gt;Ada&lt;/b&gt;" in body, "ada@example.com · Ulm" in body) == (True, True)
    assert "/clients/.." not in body, "an id that can not stand in an address is no link"


def test_long_list_shows_five_rows_and_leads_to_all(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [{"id": f"cli_{number}", "name": "Ada A&B"} for number in range(54)])
    body = found(signed_in(ENERGY), "q=a%26b")
    assert len(re.findall(r"/clients/cli_\d", body)) == 5
    assert ('href="/en/energy/clients?q=a%26b"' in body, "Show all 54 in Clients" in body) == (True, True)


def test_of_what_a_list_found_the_best_matches_are_shown(backend: Backend, signed_in: SignedIn) -> None:
    names = [*(f"Johansen {number}" for number in range(6)), "Hansen"]
    backend.lists("/energy/clients", [{"id": name, "name": name} for name in names])
    titles = re.findall(r'class="found-title">(\w+)', found(signed_in(ENERGY), "q=hansen"))
    assert titles == ["Hansen", *["Johansen"] * 4]


def test_failed_lists_are_named_beside_the_others(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/stations", [{"id": "sta_1", "name": "Ada"}])
    for path, status in (("/energy/chargers", 403), ("/energy/clients", 503), ("/energy/sessions", 500)):
        backend.fails(status, path=path)
    browser = signed_in(ENERGY)
    body = found(browser)
    assert ("/stations/sta_1" in body, "Chargers</h2>" in body) == (True, False)
    failed = re.findall(r"<h2[^>]*>([^<]*)</h2>\s*<p class=\"hint\">This list can’t be", body)
    assert failed == ["Clients", "Charging sessions"]
    headers = {"HX-Request": "true", "HX-Target": "palette-found"}
    for locale, said in (
        ("en", "1 found. Not searched just now: Clients and Charging sessions."),
        ("de", "1 gefunden. Gerade nicht durchsuchbar: Kunden und Ladevorgänge."),
        ("tr", "1 sonuç. Şu anda aranamayan: Müşteriler ve Şarj işlemleri."),
    ):
        html = found(browser, locale=locale, **headers)
        assert "<html" not in html
        [status] = re.findall(r'<p id="palette-status"[^>]*>(.*?)</p>', html, re.DOTALL)
        assert " ".join(status.split()) == said
        # A list without rows has no heading among what can be chosen.
        assert html.count('role="group"') == 1


@pytest.mark.parametrize(
    ("faults", "status"),
    [
        (dict.fromkeys(LISTS, 403), 200),
        # One that is refused hides no outage of the others.
        (dict.fromkeys(LISTS, 503) | {"/energy/clients": 403}, 503),
    ],
)
def test_unanswered_search_is_a_failure(backend: Backend, signed_in: SignedIn, faults: Any, status: int) -> None:
    browser = signed_in(ENERGY)
    browser.get("/en/search")
    for path, fault in faults.items():
        backend.fails(fault, path=path)
    page = browser.get("/en/search?q=ada")
    assert page.status_code == status
    assert ("There is nothing here that you could search." in page.content.decode()) is (status == 200)


@pytest.mark.parametrize("query", ["", "q=", "q=a", "q=%20%09", "q=%00a"])
def test_too_little_asks_nothing(backend: Backend, signed_in: SignedIn, query: str) -> None:
    found(signed_in(ENERGY), query)
    assert searched(backend) == set()


def test_search_needs_a_platform_and_a_sign_in(backend: Backend, signed_in: SignedIn, signed_out: Client) -> None:
    assert "No platform is open to you" in found(signed_in(), "q=berlin")
    assert searched(backend) == set()
    assert signed_out.get("/en/search?q=berlin").status_code == 302


def test_the_lists_of_other_apps_are_found_by_their_names_too(signed_in: SignedIn) -> None:
    page = found(signed_in(ENERGY, FINANCE), "q=invo")
    assert re.findall(r'href="([^"]*/finance/invoices)"', page) == ["http://localhost:8000/en/finance/invoices"]
    assert "Nothing found" not in page
    assert "/finance/invoices" not in found(signed_in(ENERGY), "q=invo"), "who may not open them"
    assert "energy/clients" not in found(signed_in(ENERGY), "q=clie").partition('id="found"')[2], "the menu has them"


def test_fragment_counts_what_was_found(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [ADA])
    response = signed_in(ENERGY).get("/en/search?q=ada", headers={"HX-Request": "true", "HX-Target": "found"})
    body = response.content.decode()
    assert ["<html" in body, "/clients/cli_1" in body, "1 found" in body] == [False, True, True]
    assert {"HX-Request", "HX-Target"} <= set(response["Vary"].split(", "))
