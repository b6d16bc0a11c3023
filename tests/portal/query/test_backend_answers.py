"""Answers of a backend as a request's `QueryClient` takes them: pages of a list, cursors, null, and 404 to a delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.portal.query.fakes import Process, World
from tests.support.client_endpoints import ClientQueries, ids

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

clients = ClientQueries.use_get_clients_query
client_of_id = ClientQueries.use_get_client_query


class TestAnswersOfABackend:
    @pytest.mark.parametrize("body", [None, [], "x", {}, {"items": None}, {"items": ["x"]}, {"items": {}}])
    def test_what_is_no_page_of_a_list_is_an_error(
        self, world: World, process: Process, ada: TokenStore, body: Any
    ) -> None:
        world.backend.open_paths = {"/energy/clients": body}
        result = clients(process.request(ada))
        assert type(result.error).__name__ == "ApiMalformedError"
        assert world.backend.counted()["GET", "/energy/clients"] == 1

    @pytest.mark.parametrize(
        "end",
        [
            {"hasNext": False, "nextCursor": "x"},
            {"hasNext": True, "nextCursor": None},
            {"hasNext": True},
            {"hasNext": True, "nextCursor": ""},
            {},
        ],
    )
    def test_a_list_ends_on_null_on_missing_and_on_false(
        self, world: World, process: Process, ada: TokenStore, end: dict[str, Any]
    ) -> None:
        world.backend.open_paths = {"/energy/clients": {"items": [{"id": "x"}], **end}}
        result = clients(process.request(ada), pages=5)
        assert ids(result) == ["x"]
        assert (result.pages, result.has_next_page) == (1, False)

    @pytest.mark.parametrize("end", [{"nextCursor": None}, {}, {"nextCursor": ""}, {"nextCursor": 2.5}])
    def test_a_next_page_without_a_cursor_is_warned_of(
        self, world: World, process: Process, ada: TokenStore, caplog: pytest.LogCaptureFixture, end: dict[str, Any]
    ) -> None:
        world.backend.open_paths = {"/energy/clients": {"items": [{"id": "x"}], "hasNext": True, **end}}
        assert not clients(process.request(ada)).has_next_page
        assert "gives no cursor for it" in caplog.text

    def test_a_whole_number_is_a_cursor_as_its_digits(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.open_paths = {"/energy/clients": {"items": [{"id": "x"}], "hasNext": True, "nextCursor": 20}}
        first = clients(process.request(ada))
        assert (first.has_next_page, first.data.next_cursor) == (True, "20")
        for _ in range(2):
            assert clients(process.request(ada), pages=2).pages == 2
        assert [params.get("cursor") for _, path, params in world.backend.calls if path != "/me"] == [None, "20"]

    def test_null_is_an_answer(self, world: World, process: Process, ada: TokenStore) -> None:
        world.backend.open_paths = {"/energy/clients/c5": None}
        result = client_of_id(process.request(ada), {"id": "c5"})
        assert result.is_success
        assert result.unwrap() is None

    def test_a_page_that_names_itself_as_the_next_is_the_end(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        world.backend.open_paths = {"/energy/clients": {"items": [{"id": "x"}], "hasNext": True, "nextCursor": "same"}}
        assert clients(process.request(ada), pages=50).pages == 2
