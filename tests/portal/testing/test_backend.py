"""The backend of a test: it keeps the contract, by the portal's own client and over bare HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import requests
import responses

from portal.config.contract_names import NOBODYS_WORD
from portal.testing import Backend, Fault, page_of

BASE = "http://api.test/v1"
ROWS = [{"id": f"c{number}", "name": f"Client {number}"} for number in range(45)]


@pytest.fixture
def backend() -> Iterator[Backend]:
    """On an address with a path, as a real one may have."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        yield Backend(http, base_url=BASE)


@pytest.fixture
def bearer(backend: Backend) -> dict[str, str]:
    return {"Authorization": f"Bearer {backend.sign_in('ENERGY_APP').access}"}


def ask(path: str, headers: dict[str, str], *, method: str = "GET", **options: Any) -> requests.Response:
    return requests.request(method, f"{BASE}{path}", headers=headers, timeout=5, **options)


def test_the_profile_is_that_of_the_bearer(backend: Backend) -> None:
    for permission in ("ENERGY_APP", "FINANCE_APP"):
        made = backend.sign_in(permission)
        profile = ask("/me", {"Authorization": f"Bearer {made.access}"}).json()
        assert profile == {
            "id": made.account,
            "email": "ada@example.com",
            "name": "Ada Lovelace",
            "permissions": [permission],
        }


def test_the_profile_may_contradict_the_token(backend: Backend) -> None:
    made = backend.sign_in("ENERGY_APP", permissions=[], name="Grace Hopper")
    profile = ask("/me", {"Authorization": f"Bearer {made.access}"}).json()
    assert (profile["permissions"], profile["name"]) == ([], "Grace Hopper")


@pytest.mark.parametrize("header", ["", "Bearer nonsense", "Basic eDp5", "Bearer "])
def test_a_call_with_an_unknown_bearer_or_none_is_a_401(backend: Backend, header: str) -> None:
    backend.lists("/energy/clients", ROWS)
    response = ask("/energy/clients", {"Authorization": header} if header else {})
    assert response.status_code == 401
    assert response.headers["Content-Type"] == "application/problem+json"


def test_the_bearer_of_an_account_of_another_backend_is_a_401(backend: Backend) -> None:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        stranger = Backend(http, base_url="http://other.test").sign_in("ENERGY_APP")
    assert ask("/me", {"Authorization": f"Bearer {stranger.access}"}).status_code == 401


def test_a_list_comes_in_cursor_pages_without_gap_or_repetition(backend: Backend, bearer: dict[str, str]) -> None:
    backend.lists("/energy/clients", ROWS)
    seen: list[str] = []
    query: dict[str, str] = {}
    sizes = []
    while True:
        page = ask("/energy/clients", bearer, params=query).json()
        assert set(page) == {"items", "hasNext", "nextCursor", "total"}
        assert page["total"] == 45
        sizes.append(len(page["items"]))
        seen += [row["id"] for row in page["items"]]
        assert page["hasNext"] is (page["nextCursor"] is not None)
        if not page["hasNext"]:
            break
        query = {"cursor": page["nextCursor"]}
    assert sizes == [20, 20, 5]
    assert seen == [row["id"] for row in ROWS]


@pytest.mark.parametrize(("limit", "sizes"), [("45", 45), ("100", 45), ("1", 1)])
def test_the_limit_is_kept(backend: Backend, bearer: dict[str, str], limit: str, sizes: int) -> None:
    backend.lists("/energy/clients", ROWS)
    assert len(ask("/energy/clients", bearer, params={"limit": limit}).json()["items"]) == sizes


def test_a_cursor_of_another_list_is_a_422_that_names_it(backend: Backend, bearer: dict[str, str]) -> None:
    backend.lists("/energy/clients", ROWS)
    response = ask("/energy/clients", bearer, params={"cursor": "made up"})
    assert response.status_code == 422
    assert set(response.json()["errors"]) == {"cursor"}


def test_an_empty_list_is_one_empty_page(backend: Backend, bearer: dict[str, str]) -> None:
    backend.lists("/energy/clients", [])
    assert ask("/energy/clients", bearer).json() == page_of([])


def test_a_search_for_a_word_that_no_row_has_finds_nothing_and_is_not_noted(
    backend: Backend, bearer: dict[str, str]
) -> None:
    """By that the portal learns whether a list is searched. No test has asked for it."""
    backend.lists("/energy/clients", [{"id": "cli_1"}])
    assert len(ask("/energy/clients?q=ada", bearer).json()["items"]) == 1
    assert ask(f"/energy/clients?q={NOBODYS_WORD}", bearer).json()["items"] == []
    assert [call.query for call in backend.calls] == [{"q": "ada"}]


def test_each_row_of_a_list_has_its_own_address(backend: Backend, bearer: dict[str, str]) -> None:
    backend.lists("/energy/clients", [{"id": "a/b"}, {"id": "c"}])
    assert ask("/energy/clients/a%2Fb", bearer).json() == {"id": "a/b"}
    assert ask("/energy/clients/c", bearer).json() == {"id": "c"}
    assert ask("/energy/clients/d", bearer).status_code == 404
    assert backend.unexpected == []


def test_a_refresh_token_works_once_and_its_second_use_ends_the_sign_in(backend: Backend) -> None:
    made = backend.sign_in("ENERGY_APP", expired=True)
    assert ask("/me", {"Authorization": f"Bearer {made.access}"}).status_code == 401
    fresh = ask("/refresh", {}, method="POST", json={"refreshToken": made.refresh}).json()
    assert ask("/me", {"Authorization": f"Bearer {fresh['accessToken']}"}).json()["id"] == made.account
    assert ask("/refresh", {}, method="POST", json={"refreshToken": made.refresh}).status_code == 401
    assert ask("/refresh", {}, method="POST", json={"refreshToken": fresh["refreshToken"]}).status_code == 401


@pytest.mark.parametrize("body", [None, [], {}, {"refreshToken": "made up"}, {"refreshToken": None}])
def test_an_unknown_refresh_token_is_a_401(backend: Backend, body: object) -> None:
    assert ask("/refresh", {}, method="POST", json=body).status_code == 401


def test_a_call_has_the_method_path_query_body_and_headers_that_were_sent(
    backend: Backend, bearer: dict[str, str]
) -> None:
    backend.answers("POST", "/energy/clients", json={"id": "new"}, status=201, headers={"X-Made": "yes"})
    response = ask("/energy/clients?dry=&q=a%20b", bearer, method="POST", json={"name": "Ada"})
    assert (response.status_code, response.json(), response.headers["X-Made"]) == (201, {"id": "new"}, "yes")
    (call,) = backend.calls_to("/energy/clients", method="POST")
    assert (call.query, call.body) == ({"dry": "", "q": "a b"}, {"name": "Ada"})
    assert call.headers["authorization"] == bearer["Authorization"]
    assert bearer["Authorization"] not in repr(call), "a report of a failed test shows no token"
    assert backend.calls_to("/energy/clients", method="GET") == []


def test_a_later_setting_replaces_an_earlier_one(backend: Backend, bearer: dict[str, str]) -> None:
    backend.lists("/energy/clients", ROWS)
    backend.answers("GET", "/energy/clients", json=page_of([{"id": "only"}]))
    backend.refuses("GET", "/energy/clients", status=403, detail="no longer")
    response = ask("/energy/clients", bearer)
    assert (response.status_code, response.json()["detail"]) == (403, "no longer")


def test_a_refusal_names_its_fields(backend: Backend, bearer: dict[str, str]) -> None:
    backend.refuses("POST", "/energy/clients", errors={"email": ["Taken already."]})
    response = ask("/energy/clients", bearer, method="POST", json={})
    assert (response.status_code, response.json()["errors"]) == (422, {"email": ["Taken already."]})


def test_a_204_has_no_body(backend: Backend, bearer: dict[str, str]) -> None:
    backend.answers("DELETE", "/energy/clients/c1", status=204)
    assert ask("/energy/clients/c1", bearer, method="DELETE").content == b""


def test_a_response_of_null_is_null(backend: Backend, bearer: dict[str, str]) -> None:
    backend.answers("GET", "/energy/summary", json=None)
    assert ask("/energy/summary", bearer).json() is None


@pytest.mark.parametrize("fault", [401, 503])
def test_it_fails_with_a_status_until_it_recovers(backend: Backend, bearer: dict[str, str], fault: Fault) -> None:
    backend.fails(fault)
    assert ask("/me", bearer).status_code == fault
    backend.recovers()
    assert ask("/me", bearer).status_code == 200
    assert [call.path for call in backend.calls] == ["/me", "/me"]


def test_it_fails_at_one_path_only(backend: Backend, bearer: dict[str, str]) -> None:
    backend.lists("/energy/clients", ROWS)
    backend.fails(503, path="/energy/clients")
    assert ask("/energy/clients", bearer).status_code == 503
    assert ask("/energy/clients/c1", bearer).status_code == 200


@pytest.mark.parametrize(("fault", "error"), [("refused", requests.ConnectionError), ("timeout", requests.ReadTimeout)])
def test_it_refuses_the_connection_or_times_out(
    backend: Backend, bearer: dict[str, str], fault: Fault, error: type[Exception]
) -> None:
    backend.fails(fault)
    with pytest.raises(error):
        ask("/me", bearer)


def test_it_responds_with_something_other_than_json(backend: Backend, bearer: dict[str, str]) -> None:
    backend.fails("malformed")
    with pytest.raises(requests.JSONDecodeError):
        ask("/me", bearer).json()
    backend.fails("html")
    assert ask("/me", bearer).headers["Content-Type"] == "text/html"


def test_a_call_that_the_test_did_not_set_up_is_a_404_and_noted(backend: Backend, bearer: dict[str, str]) -> None:
    response = ask("/energy/meters", bearer)
    assert response.status_code == 404
    assert "GET /energy/meters" in response.json()["detail"]
    assert [call.path for call in backend.unexpected] == ["/energy/meters"]


def test_signing_out_needs_no_bearer(backend: Backend) -> None:
    assert ask("/auth/logout", {}, method="POST", json={"refreshToken": "r"}).status_code == 204
