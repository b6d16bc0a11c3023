"""The pages of clients, with a backend of scripted answers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import responses
from django.test import Client

from tests.portal.web.conftest import BACKEND

CLIENTS = f"{BACKEND}/energy/clients"
ADA = {
    "id": "cli_1",
    "name": "Ada",
    "email": "ada@example.com",
    "phone": None,
    "city": "Oslo",
    "createdAt": "2026-03-01T10:00:00Z",
}
FORM = {"name": "Ada", "email": "ada@example.com", "phone": "", "city": "Oslo"}


def page_of(*rows: dict[str, Any], cursor: str | None = None, total: int = 41) -> dict[str, Any]:
    return {"items": list(rows), "hasNext": cursor is not None, "nextCursor": cursor, "total": total}


def row_ids(body: str) -> list[str]:
    return re.findall(r'data-row-id="([^"]*)"', body)


def test_the_list_shows_each_row_and_a_link_to_the_next_page(
    backend: responses.RequestsMock, energy_user: Client
) -> None:
    backend.get(CLIENTS, json=page_of(ADA, {"id": "cli_2"}, cursor="next&page"))
    response = energy_user.get("/en/energy/clients?q=a&sort=name")
    body = response.content.decode()
    assert row_ids(body) == ["cli_1", "cli_2"]
    assert 'href="/en/energy/clients?q=a&amp;sort=name&amp;cursor=next%26page"' in body
    assert "41 entries in all" in body
    assert 'href="/en/energy/clients/cli_1"' in body
    assert response["Cache-Control"] == "private, no-store"
    asked = next(call.request.url for call in backend.calls if "/clients" in call.request.url)
    assert {"q=a", "sort=name", "limit=20"} <= set(asked.partition("?")[2].split("&"))


def test_a_cursor_renders_that_one_page_with_a_way_back(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.get(
        CLIENTS,
        json=page_of({"id": "cli_21"}),
        match=[responses.matchers.query_param_matcher({"cursor": "c1"}, strict_match=False)],
    )
    body = energy_user.get("/en/energy/clients?cursor=c1").content.decode()
    assert row_ids(body) == ["cli_21"]
    assert "Back to the first page" in body
    assert "data-load-more" not in body


def test_htmx_gets_the_table_alone_and_a_redirected_form_the_whole_page(
    backend: responses.RequestsMock, energy_user: Client
) -> None:
    backend.get(CLIENTS, json=page_of(ADA))
    table = energy_user.get("/en/energy/clients", headers={"hx-request": "true", "hx-target": "list"})
    page = energy_user.get("/en/energy/clients", headers={"hx-request": "true", "hx-target": "content"})
    assert "<html" not in table.content.decode()
    assert row_ids(table.content.decode()) == row_ids(page.content.decode()) == ["cli_1"]
    assert "<html" in page.content.decode()
    assert "HX-Request" in table["Vary"]


def test_an_empty_list_says_so(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.get(CLIENTS, json=page_of(total=0))
    assert "No clients yet" in energy_user.get("/en/energy/clients").content.decode()
    assert "Nothing found" in energy_user.get("/en/energy/clients?q=zzz").content.decode()


def test_names_are_escaped_everywhere(backend: responses.RequestsMock, energy_user: Client) -> None:
    evil = ADA | {"name": "<script>alert(1)</script>", "city": '"><img src=x>', "email": "'\"<b>@x"}
    backend.get(CLIENTS, json=page_of(evil))
    backend.get(f"{CLIENTS}/cli_1", json=evil)
    for path in ("/en/energy/clients", "/en/energy/clients/cli_1", "/en/energy/clients/cli_1/edit"):
        body = energy_user.get(path).content.decode()
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
        assert "<script>alert" not in body
        assert "<img src=x>" not in body
        assert "<b>@x" not in body


@pytest.mark.parametrize("odd_id", ["a/b", "..", ".", "a b", "ü%2F", "?x#y"])
def test_a_row_with_an_odd_id_breaks_no_list(backend: responses.RequestsMock, energy_user: Client, odd_id: str) -> None:
    backend.get(CLIENTS, json=page_of({"id": odd_id, "name": "Odd"}))
    response = energy_user.get("/en/energy/clients")
    assert response.status_code == 200
    assert "Odd" in response.content.decode()
    assert 'href="/en/energy/clients/../' not in response.content.decode()


def test_creating_sends_the_form_and_answers_303(backend: responses.RequestsMock, energy_user: Client) -> None:
    created = backend.post(CLIENTS, json=ADA, status=201)
    response = energy_user.post("/en/energy/clients/new", FORM)
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients")
    request = created.calls[0].request
    assert json.loads(request.body) == {"name": "Ada", "email": "ada@example.com", "phone": None, "city": "Oslo"}
    assert request.headers["Idempotency-Key"]


def test_what_the_backend_refuses_stands_at_its_field_and_the_form_is_kept(
    backend: responses.RequestsMock, energy_user: Client
) -> None:
    problem = {"title": "Invalid", "status": 422, "detail": "No.", "errors": {"email": ["Taken already."]}}
    backend.post(CLIENTS, json=problem, status=422, content_type="application/problem+json")
    response = energy_user.post("/en/energy/clients/new", FORM)
    body = response.content.decode()
    assert response.status_code == 422
    assert "Taken already." in body
    assert 'id="id_email_error"' in body
    assert 'value="Oslo"' in body


def test_a_form_that_is_not_valid_never_travels(backend: responses.RequestsMock, energy_user: Client) -> None:
    response = energy_user.post("/en/energy/clients/new", FORM | {"name": "x" * 300})
    assert response.status_code == 422
    assert response["HX-Push-Url"] == "false"
    assert not any("/energy/clients" in call.request.url for call in backend.calls)


def test_editing_sends_the_fields_and_answers_303(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.get(f"{CLIENTS}/cli_1", json=ADA)
    changed = backend.patch(f"{CLIENTS}/cli_1", json=ADA | {"city": "Bergen"})
    response = energy_user.post("/en/energy/clients/cli_1/edit", FORM | {"city": "Bergen"})
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients/cli_1")
    assert json.loads(changed.calls[0].request.body)["city"] == "Bergen"


def test_deleting_answers_303_and_needs_a_post(backend: responses.RequestsMock, energy_user: Client) -> None:
    deleted = backend.delete(f"{CLIENTS}/cli_1", status=204)
    assert energy_user.get("/en/energy/clients/cli_1/delete").status_code == 405
    assert deleted.call_count == 0
    response = energy_user.post("/en/energy/clients/cli_1/delete")
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients")


@pytest.mark.parametrize("path", ["", "/edit"])
def test_a_client_that_is_not_there_is_a_404_page(
    backend: responses.RequestsMock, energy_user: Client, path: str
) -> None:
    backend.get(f"{CLIENTS}/cli_x", json={"status": 404, "title": "Not Found"}, status=404)
    response = energy_user.get(f"/en/energy/clients/cli_x{path}")
    assert response.status_code == 404
    assert "There is nothing here" in response.content.decode()


def test_deleting_one_that_is_gone_is_a_404_page(backend: responses.RequestsMock, energy_user: Client) -> None:
    backend.delete(f"{CLIENTS}/cli_1", status=404)
    assert energy_user.post("/en/energy/clients/cli_1/delete").status_code == 404


def test_an_id_that_points_elsewhere_never_becomes_another_path(
    backend: responses.RequestsMock, energy_user: Client
) -> None:
    for path in ("/en/energy/clients/../me", "/en/energy/clients/..%2Fme", "/en/energy/clients/%2e%2e%2fme"):
        assert energy_user.get(path).status_code in {400, 404}
    assert all(call.request.url == f"{BACKEND}/me" for call in backend.calls)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ({"body": "<html>Bad gateway</html>", "content_type": "text/html"}, 503),
        ({"body": '{"items": [', "content_type": "application/json"}, 503),
        ({"json": ["no", "page"]}, 503),
        ({"body": ConnectionError()}, 503),
        ({"status": 503}, 503),
        ({"status": 401}, 401),
        ({"status": 403}, 403),
        ({"status": 418}, 502),
    ],
    ids=str,
)
def test_whatever_the_backend_answers_there_is_a_page(
    backend: responses.RequestsMock, energy_user: Client, answer: dict[str, Any], status: int
) -> None:
    backend.get(CLIENTS, **answer)
    response = energy_user.get("/en/energy/clients")
    assert response.status_code == status
    assert f'data-status="{status}"' in response.content.decode()
    assert "VAR_REFRESH_TOKEN" not in response.cookies


def test_a_detail_that_is_no_object_is_said_to_be_unusable(
    backend: responses.RequestsMock, energy_user: Client
) -> None:
    backend.get(f"{CLIENTS}/cli_1", json=["no", "client"])
    assert energy_user.get("/en/energy/clients/cli_1").status_code == 503
