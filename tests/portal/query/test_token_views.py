"""Two tokens of one user with different permissions, as OAuth scopes give them: each keeps what it has cached."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.services.user import UserQueries
from tests.portal.query.invariants.clients_list import create, listed, names, rename

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


@pytest.fixture
def wide(world: World, ada: TokenStore) -> TokenStore:
    """Another sign-in of Ada's, whose profile names one permission more, and whose list one row more."""
    tokens = world.backend.sign_in("ada")
    do = world.backend._do

    def answer(token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if path == "/me" and token == tokens.current.access:
            return {"id": "ada", "permissions": ["ENERGY_APP", "IAM_ADMIN"]}
        found = do(token, method, path, params, body)
        if "items" in (found or {}) and token == tokens.current.access:
            return {**found, "items": [{"id": "hidden", "name": "for the wide one"}, *found["items"]]}
        return found

    world.backend._do = answer  # type: ignore[method-assign]  # answers by token
    return tokens


def test_do_not_take_each_others_cached_data_away(
    world: World, process: Process, ada: TokenStore, wide: TokenStore
) -> None:
    for _ in range(4):
        for tokens in (ada, wide):
            listed(process.request(tokens))
    # The first binding of the second token begins a generation, as that of any other token does.
    assert world.backend.counted()["GET", "/me"] == 2
    assert world.backend.counted()["GET", "/energy/clients"] == 3


def test_are_not_shown_each_others_pages(process: Process, ada: TokenStore, wide: TokenStore) -> None:
    for _ in range(2):
        assert "hidden" in listed(process.request(wide))
        assert "hidden" not in listed(process.request(ada))


def test_do_not_join_each_others_fetches(world: World, process: Process, ada: TokenStore, wide: TokenStore) -> None:
    for tokens in (ada, wide):
        UserQueries.use_get_me_query(process.request(tokens))
    seen: list[list[str]] = []
    other = threading.Thread(target=lambda: seen.append(listed(process.request(ada))))

    def read_as_the_other(_method: str, _path: str) -> None:
        world.backend.inside = None
        other.start()
        other.join(1)

    world.backend.inside = read_as_the_other
    assert "hidden" in listed(process.request(wide))
    other.join(5)
    assert seen == [["c5", "c4"]]
    assert world.backend.reads() == 2


def test_see_each_others_writes(process: Process, ada: TokenStore, wide: TokenStore) -> None:
    for _ in range(2):
        for tokens in (ada, wide):
            listed(process.request(tokens))
    made = create(process.request(wide))
    rename(process.request(ada), "c5", "renamed")
    for tokens in (ada, wide):
        seen = names(process.request(tokens))
        assert made in seen
        assert seen["c5"] == "renamed"


def test_a_token_whose_own_permissions_change_takes_all_of_it_away(
    world: World, process: Process, ada: TokenStore, wide: TokenStore
) -> None:
    for _ in range(2):
        for tokens in (ada, wide):
            listed(process.request(tokens))
    reads = world.backend.reads()
    world.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
    UserQueries.use_get_me_query(process.request(ada)).refetch()
    for tokens in (ada, wide):
        listed(process.request(tokens))
    assert world.backend.reads() >= reads + 2
