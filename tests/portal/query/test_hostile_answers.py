"""Answers that are JSON and yet nothing to work with: nested without end, or with text that is no text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiMalformedError
from portal.rows.strict_json import MAX_DEPTH
from portal.services.user import UserQueries
from tests.support.client_endpoints import ClientMutations, ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World

LONE = "\ud800"


def nested(levels: int) -> Any:
    value: Any = "end"
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value


class TestNestedTooDeeply:
    @pytest.mark.parametrize("levels", [MAX_DEPTH + 1, 900])
    def test_a_read_is_a_malformed_answer(self, world: World, process: Process, ada: TokenStore, levels: int) -> None:
        row = {"id": "c1", "name": nested(levels)}
        world.backend.open_paths = {"/energy/clients": {"items": [row], "hasNext": False}, "/energy/clients/c1": row}
        for _ in range(2):
            listed = ClientQueries.use_get_clients_query(process.request(ada))
            assert isinstance(listed.error, ApiMalformedError)
            assert listed.data.items == ()
            assert isinstance(
                ClientQueries.use_get_client_query(process.request(ada), {"id": "c1"}).error, ApiMalformedError
            )

    def test_so_is_a_profile_and_it_proves_nothing(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.open_paths = {"/me": {"id": "ada", "permissions": nested(900)}}
        assert isinstance(UserQueries.use_get_me_query(process.request(ada)).error, ApiMalformedError)
        assert not any(key.startswith("binding:") for key in world.store.values)

    def test_a_write_may_have_been_done_so_its_lists_are_fetched_anew(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query(process.request(ada))
        world.backend.open_paths = {"/energy/clients/c5": {"id": "c5", "name": nested(900)}}
        mutation = ClientMutations.use_update_client_mutation(process.request(ada))
        result = mutation.mutate(body={"name": "new"}, params={"id": "c5"})
        assert isinstance(result.error, ApiMalformedError)
        assert world.backend.counted()["PATCH", "/energy/clients/c5"] == 1, "another try would not help"
        reads = world.backend.reads()
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.reads() == reads + 1


class TestTextThatIsNoText:
    """JSON can name half of a surrogate pair; no page, no address and no hash can hold it."""

    def test_it_is_replaced_as_browsers_do(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.rows[0] |= {"name": f"half {LONE}", f"{LONE}key": [LONE, "\ud83d\ude00"]}
        row = ClientQueries.use_get_clients_query(process.request(ada)).unwrap().items[0]
        assert row == {"id": "c5", "name": "half \ufffd", "\ufffdkey": ["\ufffd", "\U0001f600"]}

    def test_a_cursor_and_an_id_work_as_far_as_the_backend_knows_them(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        page = {"items": [{"id": f"c{LONE}"}], "hasNext": True, "nextCursor": f"next{LONE}"}
        world.backend.open_paths = {"/energy/clients": page}
        for _ in range(2):
            result = ClientQueries.use_get_clients_query(process.request(ada))
            assert result.error is None
            assert result.data.next_cursor == "next\ufffd"
            assert result.fetch_next_page().error is None
            again = ClientQueries.use_get_clients_query(process.request(ada), cursor=result.data.next_cursor)
            assert again.error is None

    @pytest.mark.parametrize("params", [{"q": LONE}, {"sort": f"{LONE}x"}])
    def test_a_parameter_that_a_view_gives(self, world: World, process: Process, ada: TokenStore, params: Any) -> None:
        assert ClientQueries.use_get_clients_query(process.request(ada), params).error is None
        for value in world.backend.calls[-1][2].values():
            value.encode()

    def test_a_row_that_a_view_names(self, world: World, process: Process, ada: TokenStore) -> None:
        result = ClientQueries.use_get_client_query(process.request(ada), {"id": LONE})
        assert result.error is not None
        assert world.backend.calls[-1][1] == "/energy/clients/%EF%BF%BD"
        ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": LONE})

    def test_a_cursor_that_a_view_gives(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.open_paths = {"/energy/clients": {"items": [], "hasNext": False}}
        assert ClientQueries.use_get_clients_query(process.request(ada), cursor=LONE).error is None
        assert world.backend.calls[-1][2]["cursor"] == "\ufffd"

    def test_a_profile(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.open_paths = {"/me": {"id": LONE, "permissions": [LONE, "ENERGY_APP"]}}
        assert UserQueries.use_get_me_query(process.request(ada)).error is None

    def test_a_token(self, world: World, process: Process) -> None:
        from portal.api.tokens import TokenPair, TokenStore

        world.backend.users[LONE] = "ada"
        client = process.request(TokenStore(TokenPair(access=LONE)))
        assert ClientQueries.use_get_clients_query(client).error is None
