"""The pages of clients, with a backend of the test's own."""

import re
from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.energy.views.clients import ClientForm
from portal.testing import Backend

CLIENTS, PAGE, NEW = "/energy/clients", "/en/energy/clients", "/en/energy/clients/new"
FORM = {"name": "Ada", "email": "ada@example.com", "phone": "", "city": "Oslo"}
ADA = {**FORM, "id": "cli_1", "phone": None, "createdAt": "2026-03-01T10:00:00Z"}


def text_of(response: HttpResponse, *, status: int = 200) -> str:
    assert response.status_code == status
    return response.content.decode()


def key_in(page: str) -> str:
    (key,) = re.findall(r'name="submissionKey" value="([^"]+)"', page)
    return str(key)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("name", ["", "   ", "x" * 201, "a\x00b"]),
        ("email", ["", "no address", f"{'x' * 250}@example.com"]),
        ("phone", ["call me", "123"]),
        ("city", ["x" * 101, "two\u2028lines"]),
    ],
)
def test_the_form_checks_what_the_backend_checks(field: str, values: list[str]) -> None:
    for value in values:
        assert set(ClientForm(FORM | {field: value}).errors) == {field}, value
    assert ClientForm(FORM | {"name": "x" * 200, "phone": "+49 30 901820"}).is_valid()
    short = ClientForm({"name": " Ada ", "email": "ada@example.com"})
    assert short.is_valid()
    assert short.body().to_wire() == {"name": "Ada", "email": "ada@example.com"}


def test_htmx_gets_the_table_alone_and_a_redirected_form_the_whole_page(backend: Backend, browser: Client) -> None:
    backend.lists(CLIENTS, [])
    assert "No clients yet" in text_of(browser.get(PAGE))
    assert "Nothing found" in text_of(browser.get(f"{PAGE}?q=zzz"))
    for target, is_page in (("list", False), ("content", True)):
        response = browser.get(PAGE, headers={"hx-request": "true", "hx-target": target})
        assert ("<html" in text_of(response)) is is_page
        assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize("odd_id", ["a/b", "/", "new", "export", "clients", "~new", "a\\b~2F", "?x#y", "../me", "%2F"])
def test_row_with_odd_id_has_its_pages(backend: Backend, browser: Client, odd_id: str) -> None:
    backend.lists(CLIENTS, [{"id": odd_id, "name": "Odd"}])
    backend.answers("PATCH", f"{CLIENTS}/{quote(odd_id, safe='')}", json={"id": odd_id})
    address = re.search('href="([^"]*)">Odd<', text_of(browser.get(PAGE)))[1]
    for path in (address, f"{address}/edit"):
        assert "Odd" in text_of(browser.get(path))
    assert {call.path for call in backend.calls} > {f"{CLIENTS}/{quote(odd_id, safe='')}"}
    edited = browser.post(f"{address}/edit", {"name": "New", "email": "a@example.com"})
    assert edited["Location"] == address


def test_created_client_is_marked_once_in_the_list(backend: Backend, browser: Client) -> None:
    backend.lists(CLIENTS, [{"id": "cli_2"}, ADA])
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    response = browser.post(NEW, FORM | {"createAnyway": "ada@example.com"})
    assert (response.status_code, response["Location"]) == (303, f"{PAGE}/cli_1")
    (call,) = backend.calls_to(CLIENTS)
    assert call.body == {"name": "Ada", "email": "ada@example.com", "city": "Oslo"}
    part = {"hx-request": "true", "hx-target": "list"}
    assert "data-created" not in text_of(browser.get(PAGE, headers=part))
    for marked in (["cli_1"], []):
        assert re.findall(r'<tr data-row-id="([^"]*)" data-created>', text_of(browser.get(PAGE))) == marked


def test_invalid_form_stays_and_refused_one_is_anew(backend: Backend, browser: Client) -> None:
    backend.lists(CLIENTS, [])
    form = FORM | {"submissionKey": key_in(text_of(browser.get(NEW)))}
    mistyped = browser.post(NEW, form | {"email": "no address"})
    assert (mistyped["HX-Push-Url"], backend.calls_to(CLIENTS)) == ("false", [])
    assert key_in(text_of(mistyped, status=422)) == form["submissionKey"]
    backend.refuses("POST", CLIENTS, detail="No.", errors={"email": ["Taken already."]})
    page = text_of(browser.post(NEW, form), status=422)
    assert key_in(page) != form["submissionKey"]
    for text in ("Taken already.", 'id="id_email_error"', 'value="Oslo"'):
        assert text in page
