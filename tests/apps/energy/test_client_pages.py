"""The pages of clients, with a backend of the test's own."""

from __future__ import annotations

import re

import pytest
from django.http import HttpResponse
from django.test import Client

from portal.testing import Backend, SignedIn, page_of, row_ids

CLIENTS = "/energy/clients"
ADA = {
    "id": "cli_1",
    "name": "Ada",
    "email": "ada@example.com",
    "phone": None,
    "city": "Oslo",
    "createdAt": "2026-03-01T10:00:00Z",
}
FORM = {"name": "Ada", "email": "ada@example.com", "phone": "", "city": "Oslo"}


@pytest.fixture
def energy_user(signed_in: SignedIn) -> Client:
    return signed_in("ENERGY_APP")


def test_the_list_shows_each_row_and_a_link_to_the_next_page(backend: Backend, energy_user: Client) -> None:
    backend.answers("GET", CLIENTS, json=page_of([ADA, {"id": "cli_2"}], next_cursor="next&page", total=41))
    response = energy_user.get("/en/energy/clients?q=a&sort=name")
    body = response.content.decode()
    assert row_ids(response) == ["cli_1", "cli_2"]
    assert 'href="/en/energy/clients?q=a&amp;sort=name&amp;cursor=next%26page"' in body
    assert "41 entries in all" in body
    assert 'href="/en/energy/clients/cli_1"' in body
    assert response["Cache-Control"] == "private, no-store"
    assert backend.calls_to(CLIENTS)[0].query == {"q": "a", "sort": "name", "limit": "20"}


def test_htmx_gets_the_table_alone_and_a_redirected_form_the_whole_page(backend: Backend, energy_user: Client) -> None:
    backend.lists(CLIENTS, [ADA])
    table = energy_user.get("/en/energy/clients", headers={"hx-request": "true", "hx-target": "list"})
    page = energy_user.get("/en/energy/clients", headers={"hx-request": "true", "hx-target": "content"})
    assert "<html" not in table.content.decode()
    assert row_ids(table) == row_ids(page) == ["cli_1"]
    assert "<html" in page.content.decode()
    assert "HX-Request" in table["Vary"]


def test_an_empty_list_says_so(backend: Backend, energy_user: Client) -> None:
    backend.lists(CLIENTS, [])
    assert "No clients yet" in energy_user.get("/en/energy/clients").content.decode()
    assert "Nothing found" in energy_user.get("/en/energy/clients?q=zzz").content.decode()


def test_the_list_marks_the_row_that_was_just_created_once(backend: Backend, energy_user: Client) -> None:
    backend.lists(CLIENTS, [{"id": "cli_2"}, ADA])
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    assert energy_user.post("/en/energy/clients/new", FORM).status_code == 303
    part = {"hx-request": "true", "hx-target": "list"}
    assert "data-created" not in energy_user.get("/en/energy/clients", headers=part).content.decode()
    assert marked_rows(energy_user.get("/en/energy/clients")) == ["cli_1"]
    assert marked_rows(energy_user.get("/en/energy/clients")) == []


def marked_rows(response: HttpResponse) -> list[str]:
    return re.findall(r'<tr data-row-id="([^"]*)" data-created>', response.content.decode())


def test_a_form_that_is_not_valid_never_travels(backend: Backend, energy_user: Client) -> None:
    response = energy_user.post("/en/energy/clients/new", FORM | {"name": "x" * 300})
    assert response.status_code == 422
    assert response["HX-Push-Url"] == "false"
    assert backend.calls_to(CLIENTS) == []


def test_an_id_that_points_elsewhere_never_becomes_another_path(backend: Backend, energy_user: Client) -> None:
    for path in ("/en/energy/clients/../me", "/en/energy/clients/..%2Fme", "/en/energy/clients/%2e%2e%2fme"):
        assert energy_user.get(path).status_code in {400, 404}
    assert all(call.path == "/me" for call in backend.calls)


def hidden_key(response: HttpResponse) -> str:
    (key,) = re.findall(r'name="submissionKey" value="([^"]+)"', response.content.decode())
    return key


def test_what_is_sent_after_a_refusal_is_another_try(backend: Backend, energy_user: Client) -> None:
    form = FORM | {"submissionKey": hidden_key(energy_user.get("/en/energy/clients/new"))}
    mistyped = energy_user.post("/en/energy/clients/new", form | {"email": "no address"})
    assert hidden_key(mistyped) == form["submissionKey"]
    backend.refuses("POST", CLIENTS, detail="No.", errors={"email": ["Taken already."]})
    assert hidden_key(energy_user.post("/en/energy/clients/new", form)) != form["submissionKey"]


def test_an_edit_that_is_not_valid_needs_no_backend_to_say_so(backend: Backend, energy_user: Client) -> None:
    backend.fails("refused", path=f"{CLIENTS}/cli_1")
    response = energy_user.post("/en/energy/clients/cli_1/edit", FORM | {"email": "no address"})
    assert response.status_code == 422
    assert 'value="Oslo"' in response.content.decode()


def test_the_number_of_entries_follows_the_users_own_writes(backend: Backend, energy_user: Client) -> None:
    """Five rows and one deleted are four, though the server's page still says five."""

    def shown() -> tuple[int, str]:
        page = energy_user.get("/en/energy/clients")
        [total] = re.findall(r"(\d+) entries in all", page.content.decode())
        return len(row_ids(page)), total

    backend.lists(CLIENTS, [{"id": f"cli_{number}", "name": f"Client {number}"} for number in range(5)])
    assert shown() == (5, "5")
    backend.answers("DELETE", f"{CLIENTS}/cli_2", status=204)
    energy_user.post("/en/energy/clients/cli_2/delete")
    assert shown() == (4, "4")
    backend.answers("POST", CLIENTS, json=ADA | {"id": "cli_9"}, status=201)
    energy_user.post("/en/energy/clients/new", FORM)
    assert shown() == (5, "5")
    assert len(backend.calls_to(CLIENTS, method="GET")) == 1
