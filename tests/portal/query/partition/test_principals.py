"""Whose data, with a profile that has no `id`: the token's subject, else the sign-in, else the token itself."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import jwt
import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import PortalError
from tests.portal.query.clients import clients, me
from tests.portal.query.fakes import FakeBackend
from tests.portal.query.world import World
from tests.support.client_endpoints import ClientMutations, ids

_KEY = "a key for tests, long enough for HS256"


@dataclass
class PersonsBackend(FakeBackend):
    """A backend whose `/me` names nobody. Each person has clients of their own.

    :param expired: access tokens that have expired, as the portal sees it: the next call refreshes.
    """

    names_users: bool = False
    own_rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    expired: set[str] = field(default_factory=set)
    serial: Any = field(default_factory=itertools.count)

    def issue(self, user: str, sign_in: str) -> TokenPair:
        number = next(self.serial)
        pair = TokenPair(access=f"opaque {number}", refresh=f"refresh {number}")
        self.users[str(pair.access)] = user
        self.sign_ins[str(pair.refresh)] = sign_in
        return pair

    def begin(self, user: str) -> TokenPair:
        return self.issue(user, f"{user} {next(self.serial)}")

    def ensure_fresh(self, tokens: TokenStore, **_: object) -> None:
        pair = tokens.current
        if pair.access in self.expired and pair.refresh is not None:
            sign_in = self.sign_ins[pair.refresh]
            tokens.rotate(self.issue(sign_in.split()[0], sign_in), replaced=pair.refresh, just_issued=True)

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        user = self.users.get(token or "")
        self.rows = self.own_rows.setdefault(user or "", [{"id": f"of {user}", "name": str(user)}])
        return super()._do(token, method, path, params, body)


@pytest.fixture
def world() -> World:
    return World(backend=PersonsBackend())


@dataclass
class Browser:
    """One browser, whose requests each meet another process."""

    world: World
    pair: TokenPair = field(default_factory=TokenPair)

    def request(self, *, signs_in: TokenPair | None = None) -> Any:
        tokens = TokenStore(self.pair)
        if signs_in is not None:
            tokens.sign_in(signs_in)
        return tokens, self.world.process().request_with(tokens)

    def see(self, *, signs_in: TokenPair | None = None) -> tuple[str | None, list[str]]:
        """Look at the list. Gives the access token that the request had in the end, and what it saw."""
        tokens, client = self.request(signs_in=signs_in)
        seen = ids(clients(client))
        self.pair = tokens.current
        return tokens.current.access, seen


@pytest.fixture
def browser(world: World) -> Browser:
    """Ada has signed in."""
    made = Browser(world)
    made.see(signs_in=world.backend.begin("ada"))
    return made


def named(user: str, issuer: str = "") -> TokenPair:
    claims = {"sub": user, "jti": "1"} | ({"iss": issuer} if issuer else {})
    return TokenPair(access=jwt.encode(claims, _KEY, algorithm="HS256"))


ONE_READ = {("GET", "/me"): 1, ("GET", "/energy/clients"): 1}


def test_a_list_is_cached_for_a_sign_in_whose_profile_and_token_name_nobody(browser: Browser) -> None:
    for _ in range(2):
        assert browser.see()[1] == ["of ada"]
    backend, first = browser.world.backend, browser.pair.access
    backend.expired.add(first)
    for _ in range(3):
        assert browser.see()[1] == ["of ada"], "a refresh carries the binding on"
    assert browser.pair.access != first
    assert backend.counted() == ONE_READ
    me(browser.request()[1]).refetch()
    assert ClientMutations.use_create_client_mutation(browser.request()[1]).mutate(body={"name": "new"}).is_success
    assert browser.see()[1] == ["c1000", "of ada"]
    assert backend.counted()["GET", "/energy/clients"] == 1


def test_a_purge_by_a_token_that_is_not_bound_drops_what_its_sign_in_has_cached(browser: Browser) -> None:
    backend = browser.world.backend
    newer = backend.issue("ada", backend.sign_ins[browser.pair.refresh])
    Browser(browser.world, newer).request()[1].purge()
    backend.own_rows["ada"] = []
    assert browser.see()[1] == []


def test_tokens_of_two_sign_ins_carry_nothing_on(world: World, browser: Browser) -> None:
    bob = Browser(world)
    bob.see(signs_in=world.backend.begin("bob"))
    mixed = Browser(world, TokenPair(access=browser.pair.access, refresh=bob.pair.refresh))
    assert mixed.see()[1] == ["of ada"]
    world.backend.expired.add(str(browser.pair.access))
    assert [each.see()[1] for each in (mixed, bob, mixed)] == [["of bob"]] * 3


def test_two_tokens_of_one_subject_share_what_is_cached(world: World) -> None:
    world.backend.users |= {named("ada").access: "ada", "other": "bob"}
    for refresh in ("one", "two"):
        assert Browser(world, TokenPair(access=named("ada").access, refresh=refresh)).see()[1] == ["of ada"]
    assert world.backend.counted()["GET", "/energy/clients"] == 1


@pytest.mark.parametrize("profile", [{}, {"id": "1"}], ids=repr)
@pytest.mark.parametrize("names", [(("1", "here"), ("1", "there")), (("1", "here"), ("2", "here")), (("1",), ("2",))])
def test_tokens_of_two_tenants_are_two_persons(world: World, names: Any, profile: dict[str, str]) -> None:
    """Also where each tenant counts the ids of its profiles from 1."""
    pairs = [named(*each) for each in names]
    world.backend.users |= {pair.access: user for pair, user in zip(pairs, ("ada", "bob"), strict=True)}
    world.backend.open_paths["/me"] = {**profile, "permissions": ["ENERGY_APP"]}
    here, there = (Browser(world, pair) for pair in pairs)
    assert [browser.see()[1] for browser in (here, there, here)] == [["of ada"], ["of bob"], ["of ada"]]


@pytest.mark.parametrize("issuer", ["", "here"])
def test_a_purge_of_a_user_finds_the_subject(world: World, issuer: str) -> None:
    pairs = [named("usr_1", issuer), named("usr_2", issuer)]
    world.backend.users |= {pair.access: user for pair, user in zip(pairs, ("ada", "bob"), strict=True)}
    ada, admin = (Browser(world, pair) for pair in pairs)
    ada.see()
    admin.request()[1].purge_user("usr_1")
    ada.see()
    assert world.backend.counted()["GET", "/energy/clients"] == 2


ACTIONS = ("ada signs in", "bob signs in", "the access token is older", "the refresh token is older", "it expires")


@pytest.mark.parametrize("actions", list(itertools.product(ACTIONS, repeat=3)), ids="/".join)
def test_whatever_a_browser_sends_nobody_sees_the_rows_of_another(world: World, actions: tuple[str, ...]) -> None:
    """After each action the browser looks at the list twice, and sees the rows of the user of its access token."""
    browser, earlier, backend = Browser(world), TokenPair(), world.backend
    for action in actions:
        signs_in = None
        if action.endswith("signs in"):
            earlier, signs_in = browser.pair, backend.begin(action.split()[0])
        elif action == "the access token is older":
            browser.pair = TokenPair(access=earlier.access, refresh=browser.pair.refresh)
        elif action == "the refresh token is older":
            browser.pair = TokenPair(access=browser.pair.access, refresh=earlier.refresh)
        else:
            backend.expired.add(browser.pair.access or "")
        for look in range(2):
            try:
                access, seen = browser.see(signs_in=None if look else signs_in)
            except PortalError:
                continue
            owner = backend.users.get(access or "")
            assert seen in ([], [f"of {owner}"])
