"""The pages of clients, with a backend of the test's own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from portal.config.cookies import VAR_REFRESH_TOKEN
from portal.testing import Backend, Fault, SignedIn, page_of, row_ids

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


def test_a_cursor_renders_that_one_page_with_a_way_back(backend: Backend, energy_user: Client) -> None:
    backend.lists(CLIENTS, [{"id": f"cli_{number}"} for number in range(1, 22)])
    first = energy_user.get("/en/energy/clients").content.decode()
    (link,) = re.findall(r'href="/en/energy/clients(\?cursor=[^"]*)"', first)
    response = energy_user.get(f"/en/energy/clients{link}")
    assert row_ids(response) == ["cli_21"]
    assert "Back to the first page" in response.content.decode()
    assert "data-load-more" not in response.content.decode()


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


def test_names_are_escaped_everywhere(backend: Backend, energy_user: Client) -> None:
    evil = ADA | {"name": "<script>alert(1)</script>", "city": '"><img src=x>', "email": "'\"<b>@x"}
    backend.lists(CLIENTS, [evil])
    for path in ("/en/energy/clients", "/en/energy/clients/cli_1", "/en/energy/clients/cli_1/edit"):
        body = energy_user.get(path).content.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
        assert "<script>alert" not in body
        assert "<img src=x>" not in body
        assert "<b>@x" not in body


@pytest.mark.parametrize("odd_id", ["a/b", "..", ".", "a b", "ü%2F", "?x#y"])
def test_a_row_with_an_odd_id_breaks_no_list(backend: Backend, energy_user: Client, odd_id: str) -> None:
    backend.lists(CLIENTS, [{"id": odd_id, "name": "Odd"}])
    response = energy_user.get("/en/energy/clients")
    assert response.status_code == 200
    assert "Odd" in response.content.decode()
    assert 'href="/en/energy/clients/../' not in response.content.decode()


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


def test_creating_sends_the_form_and_answers_303(backend: Backend, energy_user: Client) -> None:
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    response = energy_user.post("/en/energy/clients/new", FORM)
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients")
    (call,) = backend.calls_to(CLIENTS)
    assert call.body == {"name": "Ada", "email": "ada@example.com", "phone": None, "city": "Oslo"}
    assert call.headers["idempotency-key"]


def test_what_the_backend_refuses_stands_at_its_field_and_the_form_is_kept(
    backend: Backend, energy_user: Client
) -> None:
    backend.refuses("POST", CLIENTS, detail="No.", errors={"email": ["Taken already."]})
    response = energy_user.post("/en/energy/clients/new", FORM)
    body = response.content.decode()
    assert response.status_code == 422
    assert "Taken already." in body
    assert 'id="id_email_error"' in body
    assert 'value="Oslo"' in body


def test_a_form_that_is_not_valid_never_travels(backend: Backend, energy_user: Client) -> None:
    response = energy_user.post("/en/energy/clients/new", FORM | {"name": "x" * 300})
    assert response.status_code == 422
    assert response["HX-Push-Url"] == "false"
    assert backend.calls_to(CLIENTS) == []


def test_editing_sends_the_fields_and_answers_303(backend: Backend, energy_user: Client) -> None:
    backend.lists(CLIENTS, [ADA])
    backend.answers("PATCH", f"{CLIENTS}/cli_1", json=ADA | {"city": "Bergen"})
    response = energy_user.post("/en/energy/clients/cli_1/edit", FORM | {"city": "Bergen"})
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients/cli_1")
    assert backend.calls_to(f"{CLIENTS}/cli_1", method="PATCH")[0].body["city"] == "Bergen"


def test_deleting_answers_303_and_needs_a_post(backend: Backend, energy_user: Client) -> None:
    backend.answers("DELETE", f"{CLIENTS}/cli_1", status=204)
    assert energy_user.get("/en/energy/clients/cli_1/delete").status_code == 405
    assert backend.calls_to(f"{CLIENTS}/cli_1") == []
    response = energy_user.post("/en/energy/clients/cli_1/delete")
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients")


@pytest.mark.parametrize("path", ["", "/edit"])
def test_a_client_that_is_not_there_is_a_404_page(backend: Backend, energy_user: Client, path: str) -> None:
    backend.lists(CLIENTS, [ADA])
    response = energy_user.get(f"/en/energy/clients/cli_x{path}")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_deleting_one_that_is_gone_is_a_404_page(backend: Backend, energy_user: Client) -> None:
    backend.refuses("DELETE", f"{CLIENTS}/cli_1", status=404)
    backend.refuses("GET", f"{CLIENTS}/cli_1", status=404)
    assert energy_user.post("/en/energy/clients/cli_1/delete").status_code == 404


def test_an_id_that_points_elsewhere_never_becomes_another_path(backend: Backend, energy_user: Client) -> None:
    for path in ("/en/energy/clients/../me", "/en/energy/clients/..%2Fme", "/en/energy/clients/%2e%2e%2fme"):
        assert energy_user.get(path).status_code in {400, 404}
    assert all(call.path == "/me" for call in backend.calls)


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("html", 503),
        ("malformed", 503),
        ("refused", 503),
        ("timeout", 503),
        (503, 503),
        (401, 401),
        (403, 403),
        (418, 502),
    ],
)
def test_whatever_the_backend_answers_there_is_a_page(
    backend: Backend, signed_in: SignedIn, fault: Fault, status: int
) -> None:
    backend.fails(fault, path=CLIENTS)
    response = signed_in("ENERGY_APP", cookies={VAR_REFRESH_TOKEN: ""}).get("/en/energy/clients")
    assert response.status_code == status
    assert f'data-status="{status}"' in response.content.decode()
    assert VAR_REFRESH_TOKEN not in response.cookies


@pytest.mark.parametrize(
    ("path", "page"), [(CLIENTS, "/en/energy/clients"), (f"{CLIENTS}/cli_1", "/en/energy/clients/cli_1")]
)
def test_an_answer_of_another_shape_is_said_to_be_unusable(
    backend: Backend, energy_user: Client, path: str, page: str
) -> None:
    answer: Any = ["neither", "page", "nor", "client"]
    backend.answers("GET", path, json=answer)
    assert energy_user.get(page).status_code == 503


def hidden_key(response: HttpResponse) -> str:
    (key,) = re.findall(r'name="submissionKey" value="([^"]+)"', response.content.decode())
    return key


@pytest.mark.parametrize("fault", ["refused", "timeout", "html", 503])
def test_a_create_that_nobody_answered_comes_back_whole_and_is_sent_again_under_the_same_key(
    backend: Backend, energy_user: Client, fault: Fault
) -> None:
    form = FORM | {"submissionKey": hidden_key(energy_user.get("/en/energy/clients/new"))}
    backend.fails(fault, path=CLIENTS)
    response = energy_user.post("/en/energy/clients/new", form)
    body = response.content.decode()
    assert (response.status_code, response["Retry-After"], response["HX-Retarget"]) == (503, "5", "#content")
    assert "What you typed is still here" in body
    assert 'value="ada@example.com"' in body
    assert hidden_key(response) == form["submissionKey"]
    backend.recovers()
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    assert energy_user.post("/en/energy/clients/new", form).status_code == 303
    assert energy_user.post("/en/energy/clients/new", form | {"name": "Ida"}).status_code == 303
    *tries, again, changed = [call.headers["idempotency-key"] for call in backend.calls_to(CLIENTS, method="POST")]
    assert set(tries) == {again}
    assert changed != again


def test_a_form_without_a_key_of_ours_is_sent_under_a_new_one(backend: Backend, energy_user: Client) -> None:
    backend.answers("POST", CLIENTS, json=ADA, status=201)
    for odd in ("", "short", "x" * 100, "with spaces in the key", "k\r\nX-Evil: 1234567890"):
        assert energy_user.post("/en/energy/clients/new", FORM | {"submissionKey": odd}).status_code == 303
    assert len({call.headers["idempotency-key"] for call in backend.calls_to(CLIENTS)}) == 5


def test_what_is_sent_after_a_refusal_is_another_try(backend: Backend, energy_user: Client) -> None:
    form = FORM | {"submissionKey": hidden_key(energy_user.get("/en/energy/clients/new"))}
    mistyped = energy_user.post("/en/energy/clients/new", form | {"email": "no address"})
    assert hidden_key(mistyped) == form["submissionKey"]
    backend.refuses("POST", CLIENTS, detail="No.", errors={"email": ["Taken already."]})
    assert hidden_key(energy_user.post("/en/energy/clients/new", form)) != form["submissionKey"]


def test_an_edit_that_nobody_answered_comes_back_with_what_was_typed(backend: Backend, energy_user: Client) -> None:
    backend.fails("refused", path=f"{CLIENTS}/cli_1")
    response = energy_user.post("/en/energy/clients/cli_1/edit", FORM | {"city": "Bergen"})
    assert response.status_code == 503
    assert "What you typed is still here" in response.content.decode()
    assert 'value="Bergen"' in response.content.decode()


def test_an_edit_that_is_not_valid_needs_no_backend_to_say_so(backend: Backend, energy_user: Client) -> None:
    backend.fails("refused", path=f"{CLIENTS}/cli_1")
    response = energy_user.post("/en/energy/clients/cli_1/edit", FORM | {"email": "no address"})
    assert response.status_code == 422
    assert 'value="Oslo"' in response.content.decode()


def test_a_delete_that_nobody_answered_offers_no_address_that_only_takes_forms(
    backend: Backend, energy_user: Client
) -> None:
    backend.fails("refused", path=f"{CLIENTS}/cli_1")
    response = energy_user.post("/en/energy/clients/cli_1/delete")
    assert response.status_code == 503
    assert 'href="/en/energy/clients/cli_1/delete"' not in response.content.decode()
    assert '<a class="button primary" href="/en/energy/clients">' in response.content.decode()


def test_the_number_of_entries_follows_the_users_own_writes(backend: Backend, energy_user: Client) -> None:
    """Five rows and one deleted are four, though the server's page still says five."""
    rows = [{"id": f"cli_{number}", "name": f"Client {number}"} for number in range(5)]
    backend.lists(CLIENTS, rows)
    assert "5 entries in all" in energy_user.get("/en/energy/clients").content.decode()
    backend.answers("DELETE", f"{CLIENTS}/cli_2", status=204)
    energy_user.post("/en/energy/clients/cli_2/delete")
    page = energy_user.get("/en/energy/clients")
    assert len(row_ids(page)) == 4
    assert "4 entries in all" in page.content.decode()
    backend.answers("POST", CLIENTS, json=ADA | {"id": "cli_9"}, status=201)
    energy_user.post("/en/energy/clients/new", FORM)
    page = energy_user.get("/en/energy/clients")
    assert len(row_ids(page)) == 5
    assert "5 entries in all" in page.content.decode()
    assert len([call for call in backend.calls_to(CLIENTS) if call.method == "GET"]) == 1
