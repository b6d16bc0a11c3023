"""Tokens that change or end while a request runs: rows of one sign-in are never another's, and none outlive theirs."""

from typing import Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiForbiddenError, ApiUnauthorizedError, ApiUnavailableError, SignInEndedError
from tests.portal.query.clients import clients, create, delete, invalidate, listed, me, names, once, rename
from tests.portal.query.fakes import make_token
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientMutations


class TestMixedTokens:
    """The browser sends the access token of one sign-in with the refresh token of another."""

    @pytest.fixture
    def tokens(self, ada: User) -> TokenStore:
        """Ada's access token; a refresh in mid-request gives Ben's."""
        self.bens = ada.signed_in("ben").tokens.current
        return TokenStore(ada.tokens.current)

    def refresh(self, tokens: TokenStore) -> None:
        tokens.rotate(self.bens, replaced="refresh of ada")

    def test_answer_under_the_other_is_an_error(self, ada: User, tokens: TokenStore) -> None:
        clients(ada, {"q": "5"})
        ada.backend.before = lambda *_: self.refresh(tokens)
        result = clients(ada.process.request_with(tokens))
        assert (type(result.error), result.data.items) == (ApiUnauthorizedError, ())
        ada.backend.before = None
        ada.backend.rows.clear()
        assert listed(ada) == []

    def test_refresh_before_a_read_opens_the_others_cache(self, ada: User, tokens: TokenStore) -> None:
        client = ada.process.request_with(tokens)
        assert me(client).unwrap()["id"] == "ada"
        listed(ada)
        ada.backend.refresh = self.refresh
        other = ada.process.request_with(TokenStore(ada.tokens.current))
        with ada.reads(1):
            listed(other)
        assert me(other).unwrap()["id"] == "ben"

    def test_rows_read_before_stay_with_their_user(self, ada: User, tokens: TokenStore) -> None:
        listed(ada)
        ada.backend.rows.insert(0, {"id": "of-ada", "name": "x"})
        pages = iter(["first", "second"])

        def before(_method: str, path: str) -> None:
            if path == "/me":
                self.refresh(tokens)
            elif next(pages) == "second":
                raise ApiForbiddenError("no", status=403)

        ada.backend.before = before
        client = ada.process.request_with(tokens)
        assert clients(client, {"sort": "name"}, pages=2).data.items
        assert tokens.current == self.bens
        ada.backend.before = None
        ada.backend.rows.clear()
        assert not clients(client, {"sort": "name"}).data.items

    @pytest.mark.parametrize("is_lost", [False, True])
    def test_opaque_ones_forget_what_was_read(self, ada: User, is_lost: bool) -> None:
        ada.backend.users |= {"opaque": "ada", "another": "ben"}
        tokens = TokenStore(TokenPair(access="opaque", refresh="first"))
        client = ada.process.request_with(tokens)
        assert me(client).unwrap()["id"] == "ada"
        if is_lost:
            ada.store.values.clear()
        tokens.rotate(TokenPair(access="another"), replaced="first")
        assert me(client).unwrap()["id"] == "ben"

    def test_write_under_the_others_shows_to_the_other(self, ada: User, tokens: TokenStore) -> None:
        ben = User(ada.process, TokenStore(self.bens))
        listed(ben)
        ada.backend.before = once(lambda: self.refresh(tokens), method="PATCH", path="/energy/clients/c5")
        rename(ada.process.request_with(tokens), "c5", "new")
        assert names(ben)["c5"] == "new"

    def test_pages_of_both_are_no_list(self, ada: User, tokens: TokenStore) -> None:
        me(ada)
        before = ada.backend.reads()

        def sign_in_again(_trip: str) -> None:
            if ada.backend.reads() == before + 1 and tokens.current != self.bens:
                self.refresh(tokens)

        ada.store.before_each = sign_in_again
        result = clients(ada.process.request_with(tokens), pages=2)
        ada.store.before_each = None
        assert (type(result.error), result.pages) == (ApiUnauthorizedError, 1)


def test_failed_refresh_gives_an_error_without_data(ada: User) -> None:
    listed(ada)

    def fail(_tokens: TokenStore) -> None:
        raise ApiUnavailableError("busy")

    ada.backend.refresh = fail
    write = ClientMutations.use_delete_client_mutation(ada.request()).mutate(params={"id": "c5"})
    for result in (clients(ada), write):
        assert isinstance(result.error, ApiUnavailableError)
    assert clients(ada).data.items == ()


class TestATokenThatWasSignedOut:
    """The backend may still accept it, the portal does not."""

    @pytest.mark.parametrize("where", ["signed_out", "ended_at_the_provider"])
    @pytest.mark.parametrize("use", [listed, me, delete])
    def test_gets_nothing_in_any_process(self, ada: User, use: Any, where: str) -> None:
        """Nor is anything sent with it, by a process that knows its cache or by another."""
        listed(ada)
        getattr(ada.backend, where).add(ada.tokens.current.access)
        ada.elsewhere().request().purge()
        listed(ada.signed_in())
        calls = len(ada.backend.calls)
        for user in (ada, ada.elsewhere()):
            with pytest.raises(SignInEndedError):
                use(user)
        assert len(ada.backend.calls) == calls

    @pytest.mark.parametrize("is_known", [True, False])
    def test_ends_the_request_where_tombstones_are_readable(self, ada: User, is_known: bool) -> None:
        ada.backend.signed_out.add(ada.tokens.current.access)
        ada.backend.tombstones_unreadable = not is_known
        client = ada.process.request_with(ada.tokens)
        if is_known:
            with pytest.raises(SignInEndedError):
                listed(client)
        else:
            assert listed(client) == ["c5", "c4"]
        assert (ada.tokens.ended, ada.tokens.cleared, ada.tokens.lost) == (is_known, is_known, False)

    @pytest.mark.parametrize("read", [[], [1]], ids=["not cached", "cached"])
    def test_reads_nothing_without_the_store(self, ada: User, read: list[int]) -> None:
        """The tombstones may lie in another store than what is cached."""
        for _ in read:
            listed(ada)
        ada.backend.signed_out.add(ada.tokens.current.access)
        ada.store.down = True
        with pytest.raises(SignInEndedError):
            listed(ada)

    def test_drops_what_newer_tokens_cached(self, ada: User) -> None:
        older = TokenStore(TokenPair(access=make_token("ada"), refresh="refresh of ada"))
        listed(ada)
        ada.process.request(older).purge(also=[ada.tokens.current.access])
        with ada.reads(1):
            listed(ada)


def search(user: User) -> None:
    """A list that is not cached."""
    listed(user, {"q": "c"})


@pytest.mark.parametrize(
    ("call", "sent"), [(listed, []), (create, []), (invalidate, []), (search, ["GET"]), (create, ["POST"])]
)
def test_refused_refresh_purges_whichever_call_meets_it(ada: User, call: Any, sent: list[str]) -> None:
    """Before the call leaves, where the access token has expired; else after the backend has answered 401."""
    listed(ada)

    def refuse(asked: TokenStore) -> None:
        asked.end(rejected=asked.current.refresh)
        raise SignInEndedError("over")

    if sent:
        ada.backend.failures = [SignInEndedError("over")]
    else:
        ada.backend.refresh = refuse
    before = len(ada.backend.calls)
    with pytest.raises(SignInEndedError):
        call(ada)
    assert [method for method, _, _ in ada.backend.calls[before:]] == sent
    ada.backend.refresh = None
    with ada.reads(1):
        listed(ada.elsewhere())
