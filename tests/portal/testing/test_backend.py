"""The backend of a test, over bare HTTP. What it shares with the sandbox: tests/contract/test_portal_testing.py."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
import responses

from portal.errors import UsageError
from portal.testing import Backend, Fault, page_of

BASE = "http://api.test/v1"
CLIENTS = "/energy/clients"
ROWS = [{"id": f"c{number}", "name": f"Client {number}"} for number in range(45)]
Ask = Callable[..., requests.Response]


@pytest.fixture
def backend() -> Iterator[Backend]:
    """On an address with a path, as a real one may have."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        yield Backend(http, base_url=BASE)


@pytest.fixture
def ask(backend: Backend) -> Ask:
    """A call of somebody who may open ENERGY, or with another bearer."""
    mine = f"Bearer {backend.sign_in('ENERGY_APP').access}"

    def send(path: str, *, method: str = "GET", bearer: str = mine, **options: Any) -> requests.Response:
        return requests.request(method, f"{BASE}{path}", headers={"Authorization": bearer}, timeout=5, **options)

    return send


def test_the_profile_is_that_of_the_bearer(backend: Backend, ask: Ask) -> None:
    """It may contradict the token."""
    made = backend.sign_in("ENERGY_APP", permissions=[])
    profile = {"id": made.account, "email": "ada@example.com", "name": "Ada Lovelace", "permissions": []}
    assert ask("/me", bearer=f"Bearer {made.access}").json() == profile


def test_a_bearer_that_is_unknown_or_expired_or_of_another_backend_is_a_401(backend: Backend, ask: Ask) -> None:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        stranger = Backend(http, base_url="http://other.test").sign_in("ENERGY_APP")
    expired = backend.sign_in("ENERGY_APP", expired=True)
    for bearer in ("", "Basic eDp5", "Bearer ", f"Bearer {stranger.access}", f"Bearer {expired.access}"):
        assert ask("/me", bearer=bearer).status_code == 401, bearer


def test_a_list_comes_in_cursor_pages_without_gap_or_repetition(backend: Backend, ask: Ask) -> None:
    backend.lists(CLIENTS, ROWS)
    seen: list[list[str]] = []
    query: dict[str, str] | None = {}
    while query is not None:
        page = ask(CLIENTS, params=query).json()
        seen.append([row["id"] for row in page["items"]])
        query = {"cursor": page["nextCursor"]} if page["hasNext"] else None
    assert page["nextCursor"] is None
    assert [len(ids) for ids in seen] == [20, 20, 5]
    assert [row_id for ids in seen for row_id in ids] == [row["id"] for row in ROWS]
    for limit, size in (("45", 45), ("100", 45), ("1", 1)):
        assert len(ask(CLIENTS, params={"limit": limit}).json()["items"]) == size
    backend.lists(CLIENTS, [])
    assert ask(CLIENTS).json() == page_of([])


def test_a_call_has_the_method_path_query_body_and_headers_that_were_sent(backend: Backend, ask: Ask) -> None:
    backend.answers("POST", CLIENTS, json={"id": "new"}, status=201, headers={"X-Made": "yes"})
    response = ask(f"{CLIENTS}?dry=&q=a%20b&city=Ulm&city=Bern", method="POST", json={"name": "Ada"})
    assert (response.status_code, response.json(), response.headers["X-Made"]) == (201, {"id": "new"}, "yes")
    (call,) = backend.calls_to(CLIENTS, method="POST")
    assert (call.query, call.body) == ({"dry": "", "q": "a b", "city": "Ulm,Bern"}, {"name": "Ada"})
    assert call.headers["authorization"] == response.request.headers["Authorization"]
    assert call.headers["authorization"] not in repr(call), "a report of a failed test shows no token"
    assert backend.calls_to(CLIENTS, method="GET") == []


def test_a_later_setting_replaces_an_earlier_one(backend: Backend, ask: Ask) -> None:
    backend.lists(CLIENTS, ROWS)
    backend.answers("GET", CLIENTS, json=None)
    assert ask(CLIENTS).json() is None
    backend.answers("GET", CLIENTS, status=204)
    assert ask(CLIENTS).content == b""
    backend.refuses("GET", CLIENTS, detail="no longer", errors={"email": ["Taken already."]})
    told = ask(CLIENTS).json()
    assert (told["status"], told["detail"], told["errors"]) == (422, "no longer", {"email": ["Taken already."]})


def test_it_fails_with_a_status_until_it_recovers(backend: Backend, ask: Ask) -> None:
    backend.lists(CLIENTS, ROWS)
    backend.fails(503, path=CLIENTS)
    assert ask(f"{CLIENTS}/c1").status_code == 200, "it fails at that path alone"
    assert ask(CLIENTS).status_code == 503
    backend.recovers()
    assert ask(CLIENTS).status_code == 200
    assert len(backend.calls_to(CLIENTS)) == 2


@pytest.mark.parametrize(
    ("fault", "error"),
    [("refused", requests.ConnectionError), ("timeout", requests.ReadTimeout), ("malformed", requests.JSONDecodeError)],
)
def test_faults_fail_as_a_network_does(backend: Backend, ask: Ask, fault: Fault, error: type[Exception]) -> None:
    backend.fails(fault)
    with pytest.raises(error):
        ask("/me").json()
    backend.fails("html")
    assert ask("/me").headers["Content-Type"] == "text/html"


def test_a_call_that_the_test_did_not_set_up_is_a_404_and_noted(backend: Backend, ask: Ask) -> None:
    response = ask("/energy/meters")
    assert response.status_code == 404
    assert "GET /energy/meters" in response.json()["detail"]
    assert [call.path for call in backend.unexpected] == ["/energy/meters"]


def test_a_permission_that_is_nearly_a_platforms_is_a_slip_and_any_other_is_an_apps_own(backend: Backend) -> None:
    with pytest.raises(UsageError, match=r"no platform has the permission 'FINANCE_AP'; did you mean 'FINANCE_APP'"):
        backend.sign_in("ENERGY_APP", "FINANCE_AP")
    assert backend.sign_in("FINANCE_APPROVE", "IAM_ADMIN", "energy_app").permissions
