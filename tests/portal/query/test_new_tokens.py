"""New access tokens: one that a sign-in has received is bound by the `/me` of the sign-in, any other by its first page."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenStore
from portal.config.contract_names import AUTH_LOGIN_PATH
from portal.errors import StoreUnavailableError
from portal.query.reads.page_fetches import FetchPlan, PageFetcher
from portal.services.auth import AuthMutations
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, unavailable
from tests.portal.query.own_profile import NamedBackend, own_name, rename_oneself
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.query import QueryClient
    from portal.query.cache import Page
    from portal.query.partition import Partition
    from tests.portal.query.fakes import Process, World


PROFILE = UserQueries.use_get_me_query.spec()


@pytest.fixture
def world(world: World) -> World:
    """Ada has a name of her own."""
    world.backend = NamedBackend(rows=world.backend.rows)
    world.backend.names["ada"] = "Ada"
    return world


def open_page(world: World, process: Process, tokens: TokenStore) -> int:
    """What a page of a list reads; gives the number of its backend calls."""
    before = len(world.backend.calls)
    client = process.request(tokens)
    assert own_name(client) == "Ada"
    assert [row["id"] for row in ClientQueries.use_get_clients_query(client).unwrap().items] == ["c5", "c4"]
    return len(world.backend.calls) - before


def within_profile(world: World, run: Callable[[], object]) -> None:
    """Run something once, after the backend has looked at GET `/me`, and before its answer leaves."""
    pending = [run]

    def inside(_method: str, path: str) -> None:
        if path == "/me" and pending:
            pending.pop()()

    world.backend.inside = inside


def sign_in(world: World, process: Process) -> tuple[QueryClient, TokenStore]:
    """The request that signs ada in, and the tokens of the pages after it."""
    pages, tokens = world.backend.sign_in("ada"), TokenStore()
    client = process.request_with(tokens)
    world.backend.open_paths[AUTH_LOGIN_PATH] = {"accessToken": pages.current.access, "refreshToken": "r"}
    AuthMutations.use_login_mutation(client).mutate(body={"email": "ada@example.com", "password": "x"}).unwrap()
    tokens.sign_in(pages.current)
    return client, pages


class TestTheProfileOfASignIn:
    """It binds the token, and its answer is kept: its version stamp was taken before it left."""

    def test_is_there_for_the_pages_after_it(self, world: World, process: Process) -> None:
        client, pages = sign_in(world, process)
        own_name(client)
        assert [open_page(world, world.process(), pages) for _ in range(3)] == [1, 0, 0], "the list, once"

    def test_leaves_what_is_cached_for_the_user_to_other_browsers(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        open_page(world, process, ada)
        open_page(world, process, ada)
        own_name(sign_in(world, process)[0])
        assert open_page(world, process, ada) == 0

    def test_is_not_kept_where_the_profile_names_another_user_than_the_token(
        self, world: World, process: Process
    ) -> None:
        client, pages = sign_in(world, process)
        world.backend.users[pages.current.access or ""] = "another"
        world.backend.names["another"] = "Ada"
        own_name(client)
        assert [open_page(world, process, pages) for _ in range(2)] == [2, 0]

    def test_is_not_kept_if_the_user_is_purged_meanwhile(self, world: World, process: Process) -> None:
        elsewhere = world.backend.sign_in("ada")
        own_name(process.request(elsewhere))
        within_profile(world, lambda: world.process().request(elsewhere).purge())
        client, pages = sign_in(world, process)
        own_name(client)
        world.backend.names["ada"] = "Countess"
        assert own_name(process.request(pages)) == "Countess"

    def test_begins_a_generation_if_a_write_left_before_it(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        open_page(world, process, ada)
        open_page(world, process, ada)
        client, _ = sign_in(world, process)
        world.backend.before = no_profile
        rename_oneself(client, "Countess")
        world.backend.before = None
        assert own_name(client) == "Countess"
        reads = world.backend.reads()
        ClientQueries.use_get_clients_query(process.request(ada))
        assert world.backend.reads() == reads + 1


class TestAnyOtherTokenThatIsNotBound:
    """It may have written before, so the answer that binds it is not kept."""

    def test_has_the_profile_asked_for_again_by_the_next_page(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        assert [open_page(world, process, ada) for _ in range(4)] == [2, 1, 0, 0]


def no_profile(_method: str, path: str) -> None:
    if path == "/me":
        raise unavailable()


class TestAPageThatBeginsTheProfileFirst:
    """Nothing is fetched beside the `/me` that binds a token: until then nobody knows whose page it is."""

    def test_shows_the_rows_of_the_user_whose_token_it_has_in_the_end(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """A browser may hold ada's access token, and ben's refresh token: `/me` is refused, and ben's is fetched."""
        ben, tokens = world.backend.sign_in("ben"), TokenStore(ada.current)
        client = process.request_with(tokens)
        asked_as: list[str | None] = []

        def refresh_where_me_is_refused(_method: str, path: str) -> None:
            if path == "/me" and tokens.current.access == ada.current.access:
                tokens.rotate(ben.current, replaced=ada.current.refresh or "")
            asked_as.append(tokens.current.access)

        world.backend.before = refresh_where_me_is_refused
        client.start(PROFILE)
        assert ClientQueries.use_get_clients_query(client).unwrap().items
        profile: Any = UserQueries.use_get_me_query(client).unwrap()
        assert profile["id"] == "ben"
        assert set(asked_as) == {ben.current.access}

    def test_asks_again_after_a_purge_within_the_request(self, world: World, process: Process, ada: TokenStore) -> None:
        client, elsewhere = process.request(ada), world.backend.sign_in("ada")
        client.start(PROFILE)
        ClientQueries.use_get_clients_query(client)
        own_name(world.process().request(elsewhere))
        world.process().request(elsewhere).purge()
        world.backend.names["ada"] = "Countess"
        ClientQueries.use_get_clients_query(client, {"q": "5"})
        assert own_name(client) == "Countess"
        before = len(world.backend.calls)
        ClientQueries.use_get_clients_query(process.request(ada), {"q": "5"})
        assert len(world.backend.calls) == before, "the token is bound again"

    def test_shows_a_write_that_it_makes_while_an_expired_profile_is_fetched(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        own_name(process.request(ada))
        world.clock.now += PAST_ITS_LIFE_S
        ClientQueries.use_get_clients_query(process.request(ada))
        world.process().runtime.cache.clear(endpoint="user.get_me")
        client, answered = process.request(ada), threading.Event()
        world.backend.inside = lambda _method, path: answered.set() if path == "/me" else None
        assert client.start(PROFILE)
        answered.wait(10)
        rename_oneself(client, "Countess")
        assert own_name(client) == "Countess"


class Race:
    """A first `/me`, and a write of the same user that is done after the backend has answered, before the answer is kept.

    :param write: in another process.
    :param stops_at: the write stops before this one of its store operations that follow the call,
    :param goes_on_at: until `/me` is before this one of its own, or has ended.
    """

    def __init__(self, world: World, *, write: Callable[[], None], stops_at: int, goes_on_at: int) -> None:
        self.world = world
        self.write = write
        self.left = {"write": stops_at, "profile": goes_on_at}
        self.counts: set[str] = set()
        self.stopped, self.go_on = threading.Event(), threading.Event()
        self.writer = threading.Thread(target=self._write)
        self.failure: BaseException | None = None

    def run(self, read: Callable[[], object]) -> None:
        self.world.backend.inside = self._after_the_backend
        self.world.store.before_each = self._before_an_operation
        read()
        self.go_on.set()
        self.writer.join()
        self.world.backend.inside = self.world.store.before_each = None
        if self.failure is not None:
            raise self.failure

    def _write(self) -> None:
        try:
            self.write()
        except BaseException as error:  # noqa: BLE001  raised where it is waited for
            self.failure = error
        self.stopped.set()

    def _after_the_backend(self, method: str, path: str) -> None:
        if threading.current_thread() is self.writer:
            if method == "PUT":
                self.counts.add("write")
        elif path == "/me" and "profile" not in self.counts:
            self.counts.add("profile")
            self.writer.start()
            self.stopped.wait()

    def _before_an_operation(self, _name: str) -> None:
        who = "write" if threading.current_thread() is self.writer else "profile"
        if who not in self.counts:
            return
        self.left[who] -= 1
        if self.left[who] >= 0:
            return
        if who == "write":
            self.stopped.set()
            self.go_on.wait()
        else:
            self.go_on.set()
            self.writer.join()


def with_another_token(world: World, elsewhere: Process) -> Callable[[], None]:
    phone = world.backend.sign_in("ada")
    own_name(elsewhere.request(phone))
    return lambda: rename_oneself(elsewhere.request(phone), "Countess")


def with_another_token_that_has_no_log(world: World, elsewhere: Process) -> Callable[[], None]:
    phone = world.backend.sign_in("ada")
    ClientQueries.use_get_clients_query(elsewhere.request(phone))
    for key in [key for key in world.store.values if key.endswith(":user.get_me:log")]:
        del world.store.values[key]
    return lambda: rename_oneself(elsewhere.request(phone), "Countess")


def with_another_token_whose_namespace_is_gone(world: World, elsewhere: Process) -> Callable[[], None]:
    phone = world.backend.sign_in("ada")
    own_name(elsewhere.request(phone))

    def write() -> None:
        purge = world.process().request(phone).purge
        world.backend.before = lambda method, _path: purge() if method == "PUT" else None
        rename_oneself(elsewhere.request(phone), "Countess")

    return write


def with_another_token_and_one_failure_of_the_store(world: World, elsewhere: Process) -> Callable[[], None]:
    write = with_another_token(world, elsewhere)

    def write_with_a_failure() -> None:
        race, pending = world.store.before_each, [StoreUnavailableError("once")]

        def fail_once(name: str) -> None:
            race(name)
            if pending and "PUT" in {method for method, _, _ in world.backend.calls}:
                raise pending.pop()

        world.store.before_each = fail_once
        write()

    return write_with_a_failure


WRITES = (
    with_another_token,
    with_another_token_that_has_no_log,
    with_another_token_whose_namespace_is_gone,
    with_another_token_and_one_failure_of_the_store,
)


def names_after_races(world: World, process: Process, prepare: Any) -> set[str]:
    """What `/me` says after the write, for each order of the two's store operations."""
    found = set()
    for stops_at in range(8):
        for goes_on_at in range(14):
            elsewhere = world.process()
            world.backend.names["ada"] = "Ada"
            world.backend.calls.clear()
            write = prepare(world, elsewhere)
            client, ada = sign_in(world, process)
            Race(world, write=write, stops_at=stops_at, goes_on_at=goes_on_at).run(partial(own_name, client))
            world.backend.before = None
            found |= {own_name(each.request(ada)) for each in (process, elsewhere)}
            process.request(ada).purge()
    return found


@pytest.mark.parametrize("prepare", WRITES)
def test_a_write_that_is_done_during_a_sign_in_shows_in_whatever_order(
    world: World, process: Process, prepare: Any
) -> None:
    assert names_after_races(world, process, prepare) == {"Countess"}


def test_with_a_stamp_of_after_the_binding_it_would_not(
    world: World, process: Process, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(fetcher: PageFetcher, plan: FetchPlan, page: Page, partition: Partition) -> Page:
        key = plan.call.request.key
        page = replace(page, stamp=fetcher.cache.get(partition, key, count=0).stamp)
        fetcher.cache.put(partition, key, page, start=None, index=0)
        return page

    monkeypatch.setattr(PageFetcher, "_keep_bound", late)
    assert "Ada" in names_after_races(world, process, with_another_token)
