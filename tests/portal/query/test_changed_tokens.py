"""Tokens that change or end: a refresh binds the new token for the same user only; a sign-out is the end of the old one."""

from __future__ import annotations

from typing import Any

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.errors import ApiForbiddenError, ApiUnauthorizedError, ApiUnavailableError, SignInEndedError
from portal.query.cache.page_cache import PAGE_LIFETIME_S
from portal.query.partition.namespaces import BINDING_LIFETIME_S, USED_TOKEN_KEPT_S, Namespaces
from portal.query.partition.token_bindings import binding_key
from tests.portal.query.clients import clients, create, delete, invalidate, listed, me, once
from tests.portal.query.fakes import make_token
from tests.portal.query.world import User, World
from tests.support.client_endpoints import ClientMutations


def test_rows_of_one_user_are_not_kept_for_the_user_whose_tokens_a_refusal_has_brought(ada: User) -> None:
    listed(ada)
    ada.backend.rows.insert(0, {"id": "of-ada", "name": "x"})
    bens = ada.signed_in("ben").tokens.current
    tokens = TokenStore(ada.tokens.current)
    pages = iter(["first", "second"])

    def before(_method: str, path: str) -> None:
        if path == "/me":
            tokens.rotate(bens, replaced="refresh of ada")  # the browser's refresh token is Ben's
        elif next(pages) == "second":
            raise ApiForbiddenError("no", status=403)

    ada.backend.before = before
    client = ada.process.request_with(tokens)
    assert clients(client, {"sort": "name"}, pages=2).data.items
    assert tokens.current == bens
    ada.backend.before = None
    ada.backend.rows.clear()
    assert not clients(client, {"sort": "name"}).data.items


def test_a_token_that_names_no_subject_is_not_bound_by_a_refresh(ada: User) -> None:
    listed(ada)
    ada.backend.users["opaque"] = "ada"
    ada.backend.refresh = lambda tokens: tokens.rotate(TokenPair(access="opaque"), replaced="refresh of ada") and None
    listed(ada)
    assert ada.backend.counted()["GET", "/me"] == 2, "the new token is bound by the profile alone"


def test_a_refresh_that_can_not_be_had_now_is_an_error_without_data(ada: User) -> None:
    listed(ada)

    def fail(_tokens: TokenStore) -> None:
        raise ApiUnavailableError("busy")

    ada.backend.refresh = fail
    write = ClientMutations.use_delete_client_mutation(ada.request()).mutate(params={"id": "c5"})
    for result in (clients(ada), write):
        assert isinstance(result.error, ApiUnavailableError)
    assert clients(ada).data.items == ()


def test_an_answer_that_came_under_another_users_token_is_neither_stored_nor_shown(ada: User) -> None:
    clients(ada, {"q": "5"})
    bens, tokens = ada.signed_in("ben").tokens.current, TokenStore(ada.tokens.current)
    ada.backend.before = lambda *_: tokens.rotate(bens, replaced="refresh of ada")
    result = clients(ada.process.request_with(tokens))
    assert (type(result.error), result.data.items) == (ApiUnauthorizedError, ())
    ada.backend.before = None
    ada.backend.rows.clear()
    assert listed(ada) == []


def test_pages_of_two_users_are_not_shown_as_one_list(ada: User) -> None:
    me(ada)
    bens, tokens = ada.signed_in("ben").tokens.current, TokenStore(ada.tokens.current)
    before = ada.backend.reads()

    def sign_in_again(_trip: str) -> None:
        if ada.backend.reads() == before + 1 and tokens.current != bens:
            tokens.rotate(bens, replaced="refresh of ada")

    ada.store.before_each = sign_in_again
    result = clients(ada.process.request_with(tokens), pages=2)
    ada.store.before_each = None
    assert (type(result.error), result.pages) == (ApiUnauthorizedError, 1)


@pytest.mark.parametrize(
    ("exp_in", "kept_s"),
    [
        (300, 300 + EXPIRY_LEEWAY_S + USED_TOKEN_KEPT_S),
        (-100, USED_TOKEN_KEPT_S),
        (10 * BINDING_LIFETIME_S, BINDING_LIFETIME_S),
        (None, BINDING_LIFETIME_S),
    ],
)
def test_the_binding_of_a_refreshed_token_ends_soon_after_the_token(
    world: World, exp_in: int | None, kept_s: float
) -> None:
    namespaces, old = Namespaces(store=world.store, clock=world.clock), make_token("ada")
    assert namespaces.rebind(old=old, new=make_token("ada")) is None, "nothing is known of the old one"
    namespaces.bind(old, {"id": "ada"})
    assert world.store.lifetimes[binding_key(old)] == BINDING_LIFETIME_S
    new = make_token("ada", exp=None if exp_in is None else world.clock.now + exp_in)
    assert namespaces.rebind(old=old, new=new) is not None
    assert world.store.lifetimes[binding_key(new)] == pytest.approx(kept_s)
    assert USED_TOKEN_KEPT_S > PAGE_LIFETIME_S


class TestATokenThatWasSignedOut:
    """The backend may still accept it, the portal does not."""

    @pytest.fixture(params=["here", "at the provider"], autouse=True)
    def where(self, request: pytest.FixtureRequest) -> None:
        self.is_here = request.param == "here"

    def sign_out(self, user: User) -> None:
        backend = user.backend
        (backend.signed_out if self.is_here else backend.ended_at_the_provider).add(user.tokens.current.access)
        user.request().purge()

    def check_nothing_is_given(self, ada: User) -> None:
        """In any process, to reads and writes, and without a call."""
        calls = len(ada.backend.calls)
        for user in (ada, ada.elsewhere()):
            for use in (listed, me, delete):
                with pytest.raises(SignInEndedError):
                    use(user)
        assert len(ada.backend.calls) == calls

    def test_is_given_nothing_in_the_next_requests(self, ada: User) -> None:
        listed(ada)
        self.sign_out(ada)
        listed(ada.signed_in())
        self.check_nothing_is_given(ada)

    def test_while_the_profile_is_on_its_way_leaves_no_binding_that_opens_anything(self, ada: User) -> None:
        ada.backend.inside = once(lambda: self.sign_out(ada), path="/me")
        with pytest.raises(SignInEndedError):
            listed(ada)
        self.check_nothing_is_given(ada)

    @pytest.mark.parametrize("is_known", [True, False])
    def test_ends_the_request_so_that_its_cookies_go_unless_nobody_knows_of_the_sign_out(
        self, ada: User, is_known: bool
    ) -> None:
        ada.backend.signed_out.add(ada.tokens.current.access)
        ada.backend.tombstones_unreadable = not is_known
        client = ada.process.request_with(ada.tokens)
        if is_known:
            with pytest.raises(SignInEndedError):
                listed(client)
        else:
            assert listed(client) == ["c5", "c4"]
        assert (ada.tokens.ended, ada.tokens.cleared, ada.tokens.lost) == (is_known, is_known, False)

    def test_drops_what_newer_tokens_of_the_sign_in_cached(self, ada: User) -> None:
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
def test_a_refused_refresh_purges_whatever_call_meets_it_first(ada: User, call: Any, sent: list[str]) -> None:
    """Before the call leaves, where the access token has expired; else after the backend has answered 401."""
    elsewhere = ada.elsewhere().signed_in()
    listed(ada)
    listed(elsewhere)

    def refuse(asked: TokenStore) -> None:
        if asked.current.access == ada.tokens.current.access:
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
    with ada.reads(1):
        listed(elsewhere)
