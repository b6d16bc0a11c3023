"""Caches of sign-ins: the access token opens them, a refresh hands them on, a purge empties them (query-cache, I6)."""

import json
import re
from contextlib import suppress

import jwt
import pytest
from msgspec import structs

from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.errors import ApiUnauthorizedError, SignInEndedError, StoreUnavailableError
from portal.query import sign_in_caches
from portal.query.cache import ALL_STALE
from portal.query.cache.pages import PAGE_LIFETIME_S
from portal.query.cache.write_records import parse_record
from portal.query.sign_in_caches import CACHE_LIFETIME_S, MAX_PENDING, USED_TOKEN_KEPT_S, SignInCaches, cache_key
from tests.portal.query.clients import before_next, before_operation, clients, listed, me, names, once, rename
from tests.portal.query.fakes import make_token
from tests.portal.query.world import User, World


def with_token(user: User, access: str, *, known_as: str | None = None) -> User:
    """A browser of its own with this access token, in the same process."""
    if known_as is not None:
        user.backend.users[access] = known_as
    return User(user.process, TokenStore(TokenPair(access=access, refresh="another")))


def made_by(world: World) -> SignInCaches:
    """The caches as one more process sees them."""
    return SignInCaches(store=world.store, clock=world.clock)


def name_in(caches: SignInCaches, token: str) -> str | None:
    cache = caches.open(token, check_active=lambda: None)
    return cache and cache.name


def signed_out() -> None:
    raise SignInEndedError("over")


class TestWhoHasTheTokenHasTheCache:
    @pytest.mark.parametrize("claims", [{}, {"iss": "https://id.example"}, {"iss": "https://other.example"}])
    def test_other_tokens_with_its_claims_open_others(self, ada: User, claims: dict[str, str]) -> None:
        """Two tenants may name their users alike: the subject, and the `id` in `/me`."""
        own = {"sub": "ada", "iss": "https://id.example"}
        ada = with_token(ada, jwt.encode(own, "x" * 32), known_as="ada")
        token = jwt.encode({**own, **claims, "jti": "2"}, "y" * 32)
        me(ada)
        listed(ada)
        invented = clients(with_token(ada, token))
        assert (type(invented.error), invented.data.items) == (ApiUnauthorizedError, ())
        tenant = with_token(ada, token, known_as="ada")
        ada.backend.rows.clear()
        assert me(tenant).unwrap()["id"] == "ada"
        assert listed(tenant) == []
        assert listed(ada) == ["c5", "c4"]

    def test_expired_token_opens_nothing(self, world: World) -> None:
        caches, end = made_by(world), world.clock.now + 60
        token = make_token("ada", exp=end)
        assert name_in(caches, token)
        world.clock.now = end + EXPIRY_LEEWAY_S - 1
        assert caches.known(token) is not None
        world.clock.advance(1)
        assert caches.known(token) is name_in(caches, token) is name_in(made_by(world), token) is None

    def test_cache_that_is_made_meanwhile_is_opened(self, world: World) -> None:
        token, made = make_token(), []

        def make_elsewhere() -> None:
            if not made:
                made.append(name_in(made_by(world), token))

        cache = made_by(world).open(token, check_active=make_elsewhere)
        assert cache is not None
        assert cache.name == made[0] == name_in(made_by(world), token)

    @pytest.mark.parametrize(
        ("exp_in", "kept_s"),
        [
            (300, 300 + USED_TOKEN_KEPT_S),
            (-10, USED_TOKEN_KEPT_S),
            (10 * CACHE_LIFETIME_S, CACHE_LIFETIME_S),
            (None, CACHE_LIFETIME_S),
        ],
    )
    def test_mapping_outlives_its_token_by_a_page(self, world: World, exp_in: int | None, kept_s: float) -> None:
        exp = None if exp_in is None else world.clock.now + exp_in
        first, second = make_token("ada", exp=exp), make_token("ada", exp=exp)
        caches = made_by(world)
        name = name_in(caches, first)
        caches.hand_on(first, second, is_proven=True)
        assert name_in(caches, second) == name
        for token in (first, second):
            assert world.store.lifetimes[cache_key(token)] == pytest.approx(kept_s)
        assert USED_TOKEN_KEPT_S > PAGE_LIFETIME_S


class TestPurge:
    @pytest.fixture
    def phone(self, ada: User) -> User:
        """Another sign-in of Ada's, in another process."""
        return ada.elsewhere().signed_in()

    def test_is_immediate_and_ends_fetches_in_flight(self, ada: User, phone: User) -> None:
        listed(phone)
        ada.backend.inside = once(ada.elsewhere().request().purge)
        listed(ada)
        for user in (ada, ada.elsewhere()):
            user.backend.rows.pop(0)
            assert listed(user) == [row["id"] for row in ada.backend.rows[:2]]
            user.request().purge()
        with ada.reads(0):
            listed(phone)

    def test_of_user_ends_all_sign_ins_of_the_user(self, ada: User, phone: User) -> None:
        ben = ada.signed_in("ben")
        for user in (ada, phone, ben):
            listed(user)
        ada.backend.signed_out.add(phone.tokens.current.access)
        ben.request().purge_user("ada")
        with ada.reads(1):
            listed(ada)
            listed(ben)
        with pytest.raises(SignInEndedError):
            listed(phone)
        ben.request().purge_user()
        with ada.reads(1):
            listed(ada)
            listed(ben)

    def test_of_opaque_tokens_takes_each_that_was_used(self, ada: User) -> None:
        first, second = (with_token(ada, name, known_as="ada") for name in ("first", "second"))
        tokens = TokenStore(first.tokens.current)
        client = ada.process.request_with(tokens)
        listed(client)
        tokens.rotate(TokenPair(access="second"), replaced="another")
        listed(client)
        tokens.clear()
        client.purge()
        with ada.reads(2):
            listed(first)
            listed(second)
        second.request().purge_user()
        with ada.reads(1):
            listed(first)
            listed(second)

    def test_waits_for_the_store_and_is_done_before_reads(self, ada: User, phone: User) -> None:
        for purge in (phone.request().purge, lambda: phone.request().purge_user("ada")):
            listed(phone)
            ada.store.down = True
            purge()
            ada.store.down = False
            with ada.reads(1):
                listed(phone)
                listed(phone.elsewhere())

    def test_that_comes_during_a_flush_stays(self, ada: User) -> None:
        listed(ada)
        caches, token = ada.process.runtime.caches, str(ada.tokens.current.access)
        ada.store.down = True
        ada.request().purge()
        ada.store.down = False
        before_next(ada, "delete_many", lambda: caches.pending.update({cache_key(token): object()}))
        caches.flush()
        assert [*caches.pending] == [cache_key(token)]
        with ada.reads(1):
            listed(ada)
        assert not caches.pending

    def test_too_many_that_wait_clear_all_caches(self, ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
        assert MAX_PENDING == 4096
        monkeypatch.setattr(sign_in_caches, "MAX_PENDING", 9)
        ben = ada.signed_in("ben")
        listed(ben)
        ada.store.down = True
        caches = ada.process.runtime.caches
        for number in range(10):
            assert len(caches.pending) == number
            with pytest.raises(StoreUnavailableError):
                caches.purge(f"token {number}")
        assert len(caches.pending) == 1
        ada.store.down = False
        with ada.reads(1):
            listed(ben)


class TestTombstone:
    """It is asked for wherever a token opens what the store does not have."""

    @pytest.mark.parametrize("step", range(10))
    def test_that_is_set_while_a_cache_is_opened_ends_it(self, ada: User, step: int) -> None:
        def sign_out() -> None:
            ada.backend.signed_out.add(ada.tokens.current.access)
            ada.elsewhere().request().purge()

        before_operation(ada, step, sign_out)
        with suppress(SignInEndedError):
            listed(ada)
        ada.store.before_each = None
        for user in (ada, ada.elsewhere()):
            with pytest.raises(SignInEndedError):
                listed(user)


class TestHandOn:
    def refresh_to(self, user: User, access: str) -> None:
        pair = TokenPair(access=access, refresh="next")
        user.backend.refresh = lambda tokens: tokens.rotate(pair, replaced=user.tokens.current.refresh) and None

    def test_opens_the_same_cache_elsewhere(self, ada: User) -> None:
        me(ada)
        listed(ada)
        fresh = with_token(ada, make_token("ada"), known_as="ada")
        self.refresh_to(ada, str(fresh.tokens.current.access))
        with ada.reads(0):
            listed(ada)
            listed(fresh.elsewhere())

    def test_of_an_invented_token_is_refused(self, ada: User) -> None:
        """A planted access cookie with Ada's claims must not open what her own token reads."""
        invented = with_token(ada, jwt.encode({"sub": "ada", "jti": "invented"}, "x" * 32))
        me(invented)
        self.refresh_to(invented, str(ada.tokens.current.access))
        assert listed(invented)
        ada.backend.refresh = None
        assert not clients(invented.elsewhere()).data.items

    @pytest.mark.parametrize(
        ("old", "new", "is_proven", "is_handed_on"),
        [
            (make_token("ada"), make_token("ada"), False, True),
            (make_token("ada"), make_token("ben"), False, False),
            (make_token("ada"), jwt.encode({"sub": "ada", "iss": "https://other.example"}, "x" * 32), False, False),
            (make_token("ada"), "opaque", False, False),
            ("opaque", "another", False, False),
            (make_token("ada"), "opaque", True, True),
        ],
        ids=["same subject", "another subject", "another issuer", "opaque", "both opaque", "opaque and proven"],
    )
    def test_needs_proof_or_one_subject(
        self, world: World, *, old: str, new: str, is_proven: bool, is_handed_on: bool
    ) -> None:
        caches = made_by(world)
        name = name_in(caches, old)
        caches.accept(old)
        caches.hand_on(old, new, is_proven=is_proven)
        assert (name_in(made_by(world), new) == name) is is_handed_on

    def test_never_replaces_what_a_token_opens(self, world: World) -> None:
        caches, old, new = made_by(world), make_token("ada"), make_token("ada")
        names = [name_in(caches, token) for token in (old, new)]
        caches.hand_on(old, new, is_proven=True)
        assert [name_in(made_by(world), token) for token in (old, new)] == names

    def test_of_a_lost_mapping_still_joins_both(self, ada: User) -> None:
        """A write with the old token that is under way during the refresh shows to the new one."""
        fresh = with_token(ada, make_token("ada"), known_as="ada").elsewhere()
        old, new = str(ada.tokens.current.access), str(fresh.tokens.current.access)
        listed(ada)

        def refresh_elsewhere() -> None:
            ada.store.values.pop(cache_key(old))
            fresh.process.runtime.caches.hand_on(old, new, is_proven=True)
            listed(fresh)

        ada.backend.before = once(refresh_elsewhere, method="PATCH", path="/energy/clients/c5")
        rename(ada, "c5", "renamed")
        assert names(fresh)["c5"] == names(ada)["c5"] == "renamed"

    def test_is_purged_where_the_new_mapping_is_lost(self, ada: User) -> None:
        """The process of the sign-out remembers the cache, so the old token has to prove itself."""
        fresh = with_token(ada, make_token("ada"), known_as="ada").elsewhere()
        old, new = str(ada.tokens.current.access), str(fresh.tokens.current.access)
        listed(ada)
        ada.process.runtime.caches.hand_on(old, new, is_proven=True)
        listed(fresh)
        ada.store.values.pop(cache_key(new))
        ada.backend.signed_out |= {old, new}
        fresh.request().purge()
        with pytest.raises(SignInEndedError):
            listed(ada)


class TestWrite:
    def test_is_in_both_logs_where_the_mapping_was_made_again(self, ada: User) -> None:
        listed(ada)
        other, token = ada.elsewhere(), str(ada.tokens.current.access)
        caches = made_by(ada.world)
        first = name_in(caches, token)

        def lose_and_open() -> None:
            ada.store.values.pop(cache_key(token))
            listed(other)

        ada.backend.before = once(lose_and_open, method="PATCH", path="/energy/clients/c5")
        rename(ada, "c5", "renamed")
        spaces = caches.spaces(token, name=first)
        assert len(spaces) == 2
        for space in spaces:
            log = re.compile(rf"{space}:energy\.get_clients:\d+")
            [record] = [text for key, text in ada.store.values.items() if log.fullmatch(key)]
            assert structs.replace(parse_record(json.loads(record)), done_at=None, by="") == ALL_STALE
        assert names(other)["c5"] == names(ada)["c5"] == "renamed"
