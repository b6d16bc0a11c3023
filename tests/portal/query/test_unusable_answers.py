"""`set_answer` with a response that answers no query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.query import (
    MutationGroup,
    QueryGroup,
    mutation_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.services.user import UserQueries
from tests.portal.query.answering import row_path
from tests.portal.query.fakes import Process, World
from tests.portal.query.faulty import Faulty, ThingParams

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore


class TestAnswersThatAnswerNothing:
    """A warning says what to fix, the detail is fetched, and the mutation is still a success."""

    @pytest.fixture
    def faulty(self, world: World, process: Process, ada: TokenStore) -> Faulty:
        return Faulty(world, process, ada)

    def declare(self, faulty: Faulty, get_params: Any = None) -> Any:
        class OwnQueries(QueryGroup, domain="faulty", registry=faulty.registry):
            use_get_one_query = query_endpoint(data=dict, params=ThingParams, url=row_path)

        return lambda endpoint: endpoint.set_answer(query_key="get_one", get_params=get_params)

    @pytest.mark.parametrize(
        ("answer", "get_params", "told"),
        [
            (None, None, "the response is no object"),
            ([], None, "the response is no object"),
            ({"name": "no id"}, None, "get_params raised"),
            ({"id": "n"}, lambda _sent, _data: {"id": "other"}, "another id than its query"),
            ({"name": "no id"}, lambda _sent, _data: {"id": "n"}, "another id than its query"),
            ({"id": "n"}, lambda _sent, _data: None, "params should be a mapping"),
            ({"id": "n"}, lambda _sent, _data: {}, "is missing"),
            ({"id": "n"}, lambda _sent, _data: {"id": "n", "more": 1}, "more is no parameter"),
            ({"id": "n"}, lambda _sent, data: data["missing"], "get_params raised"),
            ({"id": ""}, None, "no address has ''"),
        ],
    )
    def test_are_told_and_the_detail_is_fetched(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, answer: Any, get_params: Any, told: str
    ) -> None:
        declare = self.declare(faulty, get_params)
        faulty.answer = answer
        get_one: Any = faulty.registry.queries["faulty.get_one"]
        faulty.world.backend.rows = [{"id": "n", "name": "the server's"}]
        get_one(faulty.request(), {"id": "n"})
        reads = faulty.world.backend.reads()
        assert faulty.write(declare).is_success
        assert faulty.called == [answer]
        assert told in caplog.text
        assert "faulty.write: set_answer" in caplog.text
        assert get_one(faulty.request(), {"id": "n"}).unwrap()["name"] == "the server's"
        assert faulty.world.backend.reads() == reads + 1

    def test_unlike_one_whose_id_is_a_number(self, faulty: Faulty) -> None:
        declare = self.declare(faulty)
        faulty.answer = {"id": 5, "name": "five"}
        faulty.write(declare)
        get_one: Any = faulty.registry.queries["faulty.get_one"]
        assert get_one(faulty.request(), {"id": "5"}).unwrap()["name"] == "five"
        assert faulty.world.backend.reads() == 0

    def test_and_unlike_an_object_without_an_id_for_a_query_without_one(self, faulty: Faulty) -> None:
        faulty.answer = {"theme": "dark"}

        class OwnQueries(QueryGroup, domain="faulty", registry=faulty.registry):
            use_get_settings_query = query_endpoint(data=dict, url="/settings")

        faulty.write(lambda endpoint: endpoint.set_answer(query_key="get_settings", get_params=lambda _sent, _data: {}))
        assert OwnQueries.use_get_settings_query(faulty.request()).unwrap() == {"theme": "dark"}
        assert faulty.world.backend.reads() == 0

    def test_the_profile_is_never_set(self, faulty: Faulty, world: World, process: Process, ada: TokenStore) -> None:
        """It decides about access."""
        read_me = UserQueries.use_get_me_query
        read_me(process.request(ada))

        class OwnMutations(MutationGroup, domain="faulty", registry=Registry()):
            use_write_mutation: Any = mutation_endpoint(data=dict, url="/write", method="POST").set_answer(
                query_key="user.get_me", get_params=lambda _sent, _data: {}
            )

        world.backend.open_paths = {"/write": {"id": "ada", "permissions": ["ENERGY_APP", "FINANCE_APP"]}}
        OwnMutations.use_write_mutation(process.request(ada)).mutate()
        assert read_me(process.request(ada)).unwrap()["permissions"] == ["ENERGY_APP"]
