"""Principals: they share nothing."""

from __future__ import annotations

from portal.api.tokens import TokenPair, TokenStore
from tests.portal.query.clients import clients, delete, listed
from tests.portal.query.fakes import make_token
from tests.portal.query.world import User


class TestI6PrincipalsShareNothing:
    def test_two_users_with_the_same_params_interleaved_in_one_worker(self, ada: User) -> None:
        ben = ada.signed_in("ben")
        listed(ada)
        ada.backend.rows.insert(0, {"id": "secret", "name": "for ben"})
        assert (listed(ben), listed(ada)) == (["secret", "c5"], ["c5", "c4"])
        delete(ben, "c5")
        assert (listed(ben), listed(ada)) == (["secret"], ["c5", "c4"]), "a write of ben's patches ben's lists"

    def test_a_token_with_a_forged_subject_opens_nothing(self, ada: User) -> None:
        listed(ada)
        forged = User(ada.process, TokenStore(TokenPair(access=make_token("ada"))))
        ada.backend.open_paths = {"/energy/clients": {"items": [], "hasNext": False, "nextCursor": None}}
        assert listed(forged) == [], "the backend's own answer, although that endpoint ignores the bearer"
        ada.backend.open_paths = {}
        assert clients(forged).data.items == ()
        assert listed(ada) == ["c5", "c4"]

    def test_after_a_purge_every_token_proves_itself_anew(self, ada: User) -> None:
        listed(ada)
        ada.request().purge()
        del ada.backend.users[ada.tokens.current.access or ""]
        assert clients(ada).data.items == ()
