"""One suite for two backends: the sandbox, and the one that teams test with. Both behave the same."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests
import responses

from portal.testing import Backend
from tests.support.harness import RunningStack

CLIENTS = "/energy/clients"
PROBLEM = {"type", "title", "status", "detail"}


@dataclass
class Served:
    """A backend with one account that may read clients, of which there are more than four."""

    base: str
    access: str
    refresh: str

    def ask(self, path: str, *, method: str = "GET", bearer: str | None = None, **options: Any) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.access if bearer is None else bearer}"}
        with requests.Session() as session:
            session.trust_env = False
            return session.request(method, f"{self.base}{path}", headers=headers, timeout=10, **options)

    def submit(self, refresh: str) -> requests.Response:
        return self.ask("/refresh", method="POST", json={"refreshToken": refresh})


@pytest.fixture(params=["sandbox_api", "portal.testing"])
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    if request.param == "sandbox_api":
        stack: RunningStack = request.getfixturevalue("stack")
        pair = stack.tokens("energy@example.com")
        yield Served(base=stack.backend, access=pair["accessToken"], refresh=pair["refreshToken"])
        return
    base = "http://backend.test"
    with responses.RequestsMock(assert_all_requests_are_fired=False) as http:
        made = Backend(http, base_url=base)
        made.lists(CLIENTS, [{"id": f"cli_{number}"} for number in range(5)])
        sign_in = made.sign_in("ENERGY_APP")
        yield Served(base=base, access=sign_in.access, refresh=sign_in.refresh)


def is_problem(response: requests.Response, status: int, *, fields: set[str] | None = None) -> bool:
    content = response.json()
    return (
        response.status_code == content.get("status") == status
        and response.headers["Content-Type"] == "application/problem+json"
        and PROBLEM <= set(content) <= PROBLEM | {"errors"}
        and set(content.get("errors", ())) == (fields or set())
    )


def test_the_profile(served: Served) -> None:
    profile = served.ask("/me").json()
    assert set(profile) == {"id", "email", "name", "permissions"}
    assert profile["permissions"] == ["ENERGY_APP"]


def test_pages_follow_each_other(served: Served) -> None:
    first = served.ask(CLIENTS, params={"limit": 2}).json()
    second = served.ask(CLIENTS, params={"limit": 2, "cursor": first["nextCursor"]}).json()
    for page in (first, second):
        assert set(page) == {"items", "hasNext", "nextCursor", "total"}
        assert page["hasNext"] is True
        assert page["total"] > len(page["items"]) == 2
    assert not {row["id"] for row in first["items"]} & {row["id"] for row in second["items"]}


def test_a_malformed_cursor_is_a_422(served: Served) -> None:
    assert is_problem(served.ask(CLIENTS, params={"cursor": "made up"}), 422, fields={"cursor"})


def test_a_row_has_its_own_address_and_a_missing_one_is_a_404(served: Served) -> None:
    row = served.ask(CLIENTS, params={"limit": 1}).json()["items"][0]
    assert served.ask(f"{CLIENTS}/{row['id']}").json() == row
    assert is_problem(served.ask(f"{CLIENTS}/nobody"), 404)


@pytest.mark.parametrize("bearer", ["", "nonsense"])
def test_without_a_bearer_it_is_a_401(served: Served, bearer: str) -> None:
    assert is_problem(served.ask(CLIENTS, bearer=bearer), 401)


def test_a_refresh_token_works_once_and_its_second_use_ends_the_sign_in(served: Served) -> None:
    fresh = served.submit(served.refresh).json()
    assert set(fresh) == {"accessToken", "refreshToken"}
    assert served.ask("/me", bearer=fresh["accessToken"]).status_code == 200
    assert is_problem(served.submit(served.refresh), 401)
    assert is_problem(served.submit(fresh["refreshToken"]), 401)
    assert is_problem(served.ask("/me", bearer=fresh["accessToken"]), 401)


def test_signing_out_ends_the_sign_in(served: Served) -> None:
    response = served.ask("/auth/logout", method="POST", json={"refreshToken": served.refresh})
    assert (response.status_code, response.content) == (204, b"")
    assert is_problem(served.submit(served.refresh), 401)
