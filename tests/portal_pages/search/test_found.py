"""The search over everything: what is asked, what is shown, and what fails alone."""

from __future__ import annotations

import re
import time

import pytest
from django.test import Client

from portal.query.process_state import process_runtime
from portal.services.finance.invoices import InvoiceQueries
from portal.services.searched_lists import searched_lists
from portal.testing import Backend, SignedIn
from portal.testing.fixtures import signed_in, signed_out

__all__ = ["signed_in", "signed_out"]

LISTS = ("/energy/clients", "/energy/stations", "/energy/chargers", "/energy/sessions", "/energy/meters")
ENERGY, OPERATIONS, FINANCE = "ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP"


@pytest.fixture(autouse=True)
def empty_lists(backend: Backend) -> None:
    """No list has a row, until the test says otherwise."""
    for path in (*LISTS, "/operations/work-orders", "/finance/invoices"):
        backend.lists(path, [])


def searched(backend: Backend) -> set[str]:
    return {call.path for call in backend.calls if "q" in call.query}


def test_each_platform_declares_what_is_searched() -> None:
    assert {(platform.app, each.path) for platform, each in searched_lists()} == {
        ("energy", "clients"),
        ("energy", "stations"),
        ("energy", "chargers"),
        ("energy", "sessions"),
        ("energy", "meters"),
        ("operations", "work-orders"),
        ("finance", "invoices"),
    }


def test_every_list_of_the_permitted_platforms_is_asked_and_no_other(backend: Backend, signed_in: SignedIn) -> None:
    signed_in(ENERGY, FINANCE).get("/en/search?q=berlin")
    assert searched(backend) == {*LISTS, "/finance/invoices"}
    assert {call.query["q"] for call in backend.calls if "q" in call.query} == {"berlin"}


def test_what_the_profile_denies_is_not_asked_whatever_the_token_says(backend: Backend, signed_in: SignedIn) -> None:
    signed_in(ENERGY, FINANCE, permissions=[FINANCE]).get("/en/search?q=berlin")
    assert searched(backend) == {"/finance/invoices"}


def test_a_list_that_was_absent_ten_minutes_ago_is_searched_at_once(backend: Backend, signed_in: SignedIn) -> None:
    gaps, key = process_runtime().gaps, InvoiceQueries.use_get_invoices_query.key
    gaps.learn(key, status=404, now=time.time() - 590)
    signed_in(ENERGY, FINANCE).get("/en/search?q=berlin")
    assert searched(backend) == {*LISTS}
    gaps.learn(key, status=404, now=time.time() - 610)
    signed_in(ENERGY, FINANCE).get("/en/search?q=berlin")
    assert searched(backend) == {*LISTS, "/finance/invoices"}


def test_rows_lead_to_their_pages_on_this_app_or_through_the_gateway(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [{"id": "cli_1", "name": "<b>Ada</b>", "email": "ada@example.com", "city": "Ulm"}])
    backend.lists("/finance/invoices", [{"id": "inv_1", "number": "INV-1", "clientName": "Ada"}])
    body = signed_in(ENERGY, FINANCE).get("/de/search?q=ada").content.decode()
    assert 'href="/de/energy/clients/cli_1"' in body
    assert 'href="http://localhost:8000/de/finance/invoices/inv_1"' in body
    assert "&lt;b&gt;Ada&lt;/b&gt;" in body
    assert "ada@example.com · Ulm" in body


def test_a_row_whose_id_can_not_stand_in_an_address_is_no_link(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [{"id": "../me", "name": "Ada"}])
    body = signed_in(ENERGY).get("/en/search?q=ada").content.decode()
    assert "Ada" in body
    assert "../me" not in body


def test_of_a_long_list_the_first_rows_are_shown_and_the_way_to_all_of_them(
    backend: Backend, signed_in: SignedIn
) -> None:
    backend.lists("/energy/clients", [{"id": f"cli_{number}", "name": "Ada A&B"} for number in range(54)])
    body = signed_in(ENERGY).get("/en/search?q=a%26b").content.decode()
    assert len(re.findall(r"/clients/cli_\d", body)) == 5
    assert 'href="/en/energy/clients?q=a%26b"' in body
    assert "Show all 54 in Clients" in body


def test_a_list_that_fails_is_named_and_takes_nothing_from_the_others(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [{"id": "cli_1", "name": "Ada"}])
    backend.fails(500, path="/energy/meters")
    response = signed_in(ENERGY).get("/en/search?q=ada")
    body = response.content.decode()
    assert response.status_code == 200
    assert "/clients/cli_1" in body
    assert body.count("can’t be searched just now") == 1


def test_a_list_that_the_backend_refuses_is_left_out(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists("/energy/clients", [{"id": "cli_1", "name": "Ada"}])
    backend.fails(403, path="/energy/meters")
    body = signed_in(ENERGY).get("/en/search?q=ada").content.decode()
    assert "/clients/cli_1" in body
    assert "Meters</h2>" not in body
    assert "just now" not in body


@pytest.mark.parametrize("refused", ["/energy/clients", "/energy/meters"])
def test_a_list_that_is_refused_hides_no_outage_of_the_others(
    backend: Backend, signed_in: SignedIn, refused: str
) -> None:
    browser = signed_in(ENERGY)
    browser.get("/en/search")
    for path in LISTS:
        backend.fails(403 if path == refused else 503, path=path)
    assert browser.get("/en/search?q=ada").status_code == 503


def test_a_refused_list_and_one_that_is_down_leave_the_others_and_each_that_is_down_is_named(
    backend: Backend, signed_in: SignedIn
) -> None:
    backend.lists("/energy/stations", [{"id": "sta_1", "name": "Ada"}])
    backend.fails(403, path="/energy/clients")
    backend.fails(503, path="/energy/meters")
    backend.fails(503, path="/energy/sessions")
    browser = signed_in(ENERGY)
    body = browser.get("/en/search?q=ada").content.decode()
    assert "/stations/sta_1" in body
    assert re.findall(r"<h2[^>]*>([^<]*)</h2>\s*<p class=\"hint\">This list can’t be", body) == [
        "Charging sessions",
        "Meters",
    ]
    headers = {"HX-Request": "true", "HX-Target": "palette-found"}
    for locale, said in (
        ("en", "1 found. Not searched just now: Charging sessions and Meters."),
        ("de", "1 gefunden. Gerade nicht durchsuchbar: Ladevorgänge und Zähler."),
        ("tr", "1 sonuç. Şu anda aranamayan: Şarj işlemleri ve Sayaçlar."),
    ):
        html = browser.get(f"/{locale}/search?q=ada", headers=headers).content.decode()
        [status] = re.findall(r'<p id="palette-status"[^>]*>(.*?)</p>', html, re.DOTALL)
        assert " ".join(status.split()) == said
        # A list without rows has no heading among what can be chosen.
        assert html.count('role="group"') == 1


def test_a_user_to_whom_every_list_is_refused_is_told_that_there_is_nothing_to_search(
    backend: Backend, signed_in: SignedIn
) -> None:
    browser = signed_in(ENERGY)
    browser.get("/en/search")
    for path in LISTS:
        backend.fails(403, path=path)
    page = browser.get("/en/search?q=ada")
    assert page.status_code == 200
    assert "There is nothing here that you could search." in page.content.decode()


def test_without_any_answer_the_page_is_the_failure(backend: Backend, signed_in: SignedIn) -> None:
    browser = signed_in(ENERGY)
    browser.get("/en/search")
    backend.fails("refused")
    assert browser.get("/en/search?q=ada").status_code == 503


@pytest.mark.parametrize("query", ["", "?q=", "?q=a", "?q=%20%09", "?q=%00a"])
def test_too_little_asks_nothing(backend: Backend, signed_in: SignedIn, query: str) -> None:
    response = signed_in(ENERGY).get(f"/en/search{query}")
    assert response.status_code == 200
    assert searched(backend) == set()


def test_who_may_open_no_platform_is_told_so(backend: Backend, signed_in: SignedIn) -> None:
    body = signed_in().get("/en/search?q=berlin").content.decode()
    assert "No platform is open to you" in body
    assert searched(backend) == set()


def test_signed_out_the_search_leads_to_the_sign_in_page(signed_out: Client) -> None:
    response = signed_out.get("/en/search?q=berlin")
    assert response.status_code == 302
    assert response["Location"].startswith("http://localhost:8000/en/login?next=")
    assert response["Location"].endswith("%2Fen%2Fsearch%3Fq%3Dberlin")


@pytest.mark.parametrize("target", ["found", "palette-found"])
def test_for_htmx_there_is_a_fragment_that_says_how_many_were_found(
    backend: Backend, signed_in: SignedIn, target: str
) -> None:
    backend.lists("/energy/clients", [{"id": "cli_1", "name": "Ada"}])
    headers = {"HX-Request": "true", "HX-Target": target}
    response = signed_in(ENERGY).get("/en/search?q=ada", headers=headers)
    body = response.content.decode()
    assert "<html" not in body
    assert "/clients/cli_1" in body
    assert "1 found" in body
    assert {"HX-Request", "HX-Target"} <= set(response["Vary"].split(", "))
