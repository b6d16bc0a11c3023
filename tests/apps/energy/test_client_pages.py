"""The pages of clients, with a backend of the test's own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from apps.energy.views.clients import ClientForm
from portal.config.cookies import VAR_REFRESH_TOKEN
from portal.testing import Backend, Fault, SignedIn, page_of, row_ids

CLIENTS, PAGE, NEW = "/energy/clients", "/en/energy/clients", "/en/energy/clients/new"
FORM = {"name": "Ada", "email": "ada@example.com", "phone": "", "city": "Oslo"}
ADA = {**FORM, "id": "cli_1", "phone": None, "createdAt": "2026-03-01T10:00:00Z"}


@pytest.fixture
def energy_user(signed_in: SignedIn) -> Client:
    return signed_in("ENERGY_APP")


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
    assert short.body().to_wire() == {"name": "Ada", "email": "ada@example.com", "phone": None, "city": None}


def test_the_list_shows_each_row_and_a_link_to_the_next_page(backend: Backend, energy_user: Client) -> None:
    backend.answers("GET", CLIENTS, json=page_of([ADA, {"id": "cli_2"}], next_cursor="next&page", total=41))
    response = energy_user.get(f"{PAGE}?q=a&sort=name")
    assert row_ids(response) == ["cli_1", "cli_2"]
    for text in (
        'href="/en/energy/clients?q=a&amp;sort=name&amp;cursor=next%26page"',
        "41 entries in all",
        'href="/en/energy/clients/cli_1"',
    ):
        assert text in text_of(response)
    assert response["Cache-Control"] == "private, no-store"
    assert backend.calls_to(CLIENTS)[0].query == {"q": "a", "sort": "name", "limit": "20"}


def test_htmx_gets_the_table_alone_and_a_redirected_form_the_whole_page(backend: Backend, energy_user: Client) -> None:
    backend.lists(CLIENTS, [])
    assert "No clients yet" in text_of(energy_user.get(PAGE))
    assert "Nothing found" in text_of(energy_user.get(f"{PAGE}?q=zzz"))
    for target, is_page in (("list", False), ("content", True)):
        response = energy_user.get(PAGE, headers={"hx-request": "true", "hx-target": target})
        assert ("<html" in text_of(response)) is is_page
        assert "HX-Request" in response["Vary"]


@pytest.mark.parametrize("odd_id", ["a/b", "..", ".", "a b", "ü%2F", "?x#y"])
def test_a_row_with_an_odd_id_breaks_no_list(backend: Backend, energy_user: Client, odd_id: str) -> None:
    backend.lists(CLIENTS, [{"id": odd_id, "name": "Odd"}])
    page = text_of(energy_user.get(PAGE))
    assert ("Odd" in page, 'href="/en/energy/clients/../' in page) == (True, False)


def test_a_client_that_was_created_is_marked_in_the_list_once(backend: Backend, energy_user: Client) -> None:
    backend.lists(CLIENTS, [{"id": "cli_2"}, ADA])
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    response = energy_user.post(NEW, FORM)
    assert (response.status_code, response["Location"]) == (303, PAGE)
    (call,) = backend.calls_to(CLIENTS)
    assert call.body == {"name": "Ada", "email": "ada@example.com", "phone": None, "city": "Oslo"}
    part = {"hx-request": "true", "hx-target": "list"}
    assert "data-created" not in text_of(energy_user.get(PAGE, headers=part))
    for marked in (["cli_1"], []):
        assert re.findall(r'<tr data-row-id="([^"]*)" data-created>', text_of(energy_user.get(PAGE))) == marked


def test_an_id_that_points_elsewhere_never_becomes_another_path(backend: Backend, energy_user: Client) -> None:
    for path in ("../me", "..%2Fme", "%2e%2e%2fme"):
        assert energy_user.get(f"{PAGE}/{path}").status_code in {400, 404}
    assert all(call.path == "/me" for call in backend.calls)


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        *((fault, 503) for fault in ("html", "malformed", "refused", "timeout", 503)),
        (401, 401),
        (403, 403),
        (418, 502),
    ],
)
def test_whatever_the_backend_answers_there_is_a_page(
    backend: Backend, signed_in: SignedIn, fault: Fault, status: int
) -> None:
    backend.fails(fault, path=CLIENTS)
    response = signed_in("ENERGY_APP", cookies={VAR_REFRESH_TOKEN: ""}).get(PAGE)
    assert f'data-status="{status}"' in text_of(response, status=status)
    assert VAR_REFRESH_TOKEN not in response.cookies


@pytest.mark.parametrize("end", ["", "/cli_1"])
def test_an_answer_of_another_shape_is_said_to_be_unusable(backend: Backend, energy_user: Client, end: str) -> None:
    answer: Any = ["neither", "page", "nor", "client"]
    backend.answers("GET", f"{CLIENTS}{end}", json=answer)
    assert energy_user.get(f"{PAGE}{end}").status_code == 503


@pytest.mark.parametrize("fault", ["refused", "timeout", "html", 503])
def test_a_create_that_nobody_answered_comes_back_whole_and_is_sent_again_under_the_same_key(
    backend: Backend, energy_user: Client, fault: Fault
) -> None:
    form = FORM | {"submissionKey": key_in(text_of(energy_user.get(NEW)))}
    backend.fails(fault, path=CLIENTS)
    response = energy_user.post(NEW, form)
    page = text_of(response, status=503)
    assert (response["Retry-After"], response["HX-Retarget"]) == ("5", "#content")
    assert ("What you typed is still here" in page, 'value="ada@example.com"' in page) == (True, True)
    assert key_in(page) == form["submissionKey"]
    backend.recovers()
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    for changes in ({}, {"name": "Ida"}):
        assert energy_user.post(NEW, form | changes).status_code == 303
    *tries, again, changed = [call.headers["idempotency-key"] for call in backend.calls_to(CLIENTS, method="POST")]
    assert set(tries) == {again}
    assert changed != again


def test_a_form_without_a_key_of_ours_is_sent_under_a_new_one(backend: Backend, energy_user: Client) -> None:
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    for odd in ("", "short", "x" * 100, "with spaces in the key", "k\r\nX-Evil: 1234567890"):
        assert energy_user.post(NEW, FORM | {"submissionKey": odd}).status_code == 303
    assert len({call.headers["idempotency-key"] for call in backend.calls_to(CLIENTS)}) == 5


def test_what_is_not_valid_does_not_travel_and_what_is_sent_after_a_refusal_is_another_try(
    backend: Backend, energy_user: Client
) -> None:
    form = FORM | {"submissionKey": key_in(text_of(energy_user.get(NEW)))}
    mistyped = energy_user.post(NEW, form | {"email": "no address"})
    assert (mistyped["HX-Push-Url"], backend.calls_to(CLIENTS)) == ("false", [])
    assert key_in(text_of(mistyped, status=422)) == form["submissionKey"]
    backend.refuses("POST", CLIENTS, detail="No.", errors={"email": ["Taken already."]})
    page = text_of(energy_user.post(NEW, form), status=422)
    assert key_in(page) != form["submissionKey"]
    for text in ("Taken already.", 'id="id_email_error"', 'value="Oslo"'):
        assert text in page


def test_an_edit_or_a_delete_that_nobody_answered_keeps_what_was_typed_and_has_a_way_back(
    backend: Backend, energy_user: Client
) -> None:
    backend.fails("refused", path=f"{CLIENTS}/cli_1")
    page = text_of(energy_user.post(f"{PAGE}/cli_1/edit", FORM | {"city": "Bergen"}), status=503)
    assert ("What you typed is still here" in page, 'value="Bergen"' in page) == (True, True)
    # What is not valid needs no backend to say so.
    page = text_of(energy_user.post(f"{PAGE}/cli_1/edit", FORM | {"email": "no address"}), status=422)
    assert 'value="Oslo"' in page
    page = text_of(energy_user.post(f"{PAGE}/cli_1/delete"), status=503)
    assert 'href="/en/energy/clients/cli_1/delete"' not in page, "it only takes forms"
    assert '<a class="button primary" href="/en/energy/clients">' in page


def test_the_number_of_entries_follows_the_users_own_writes(backend: Backend, energy_user: Client) -> None:
    """Five rows and one deleted are four, though the server's page still says five."""

    def assert_lists(number: int) -> None:
        page = energy_user.get(PAGE)
        assert len(row_ids(page)) == number
        assert f"{number} entries in all" in text_of(page)

    backend.lists(CLIENTS, [{"id": f"cli_{number}", "name": f"Client {number}"} for number in range(5)])
    assert_lists(5)
    backend.answers("DELETE", f"{CLIENTS}/cli_2", status=204)
    energy_user.post(f"{PAGE}/cli_2/delete")
    assert_lists(4)
    backend.answers("POST", CLIENTS, json=ADA | {"id": "cli_9"}, status=201)
    energy_user.post(NEW, FORM)
    assert_lists(5)
    assert len(backend.calls_to(CLIENTS, method="GET")) == 1
