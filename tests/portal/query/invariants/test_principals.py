"""Principals: they share nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.portal.query.fakes import make_token
from tests.portal.query.invariants.clients_list import delete, listed
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


class TestI6PrincipalsShareNothing:
    def test_two_users_with_the_same_params_interleaved_in_one_worker(self, world: World, process: Process) -> None:
        ada, ben = world.backend.sign_in("ada"), world.backend.sign_in("ben")
        listed(process.request(ada))
        world.backend.rows.insert(0, {"id": "secret", "name": "for ben"})
        assert listed(process.request(ben)) == ["secret", "c5"]
        assert listed(process.request(ada)) == ["c5", "c4"]
        delete(process.request(ben), "c5")
        assert listed(process.request(ben)) == ["secret"]
        assert listed(process.request(ada)) == ["c5", "c4"], "a write of ben's patches ben's lists"

    def test_a_token_with_a_forged_subject_opens_nothing(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        forged = type(ada)(type(ada.current)(access=make_token("ada")))
        world.backend.open_paths = {"/energy/clients": {"items": [], "hasNext": False, "nextCursor": None}}
        result = ClientQueries.use_get_clients_query(process.request(forged))
        assert result.data.items == (), "the backend's own answer, although that endpoint ignores the bearer"
        world.backend.open_paths = {}
        assert ClientQueries.use_get_clients_query(process.request(forged)).data.items == ()
        assert listed(process.request(ada)) == ["c5", "c4"]

    def test_a_purge_is_seen_by_another_process_at_once(self, world: World, process: Process, ada: TokenStore) -> None:
        other = world.process()
        listed(process.request(ada))
        listed(other.request(ada))
        reads = world.backend.reads()
        process.request(ada).purge()
        assert listed(other.request(ada)) == ["c5", "c4"]
        assert world.backend.reads() == reads + 1

    def test_after_a_purge_every_token_proves_itself_anew(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        process.request(ada).purge()
        del world.backend.users[ada.current.access or ""]
        assert ClientQueries.use_get_clients_query(process.request(ada)).data.items == ()
