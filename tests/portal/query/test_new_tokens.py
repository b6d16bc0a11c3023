"""The first page of a new access token: `/me` binds the token and is kept, and the first list goes beside it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from portal.api.tokens import TokenStore
from portal.errors import ApiUnauthorizedError, ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.process import Deadline
from portal.query import QueryClient, create_query_client, use_queries
from portal.query.cache.fetch_marks import FetchMarks
from portal.query.partition import generation_key
from portal.services.energy.clients import ClientQueries
from portal.services.user import UserQueries
from tests.portal.query.fakes import PAST_ITS_LIFE_S, WorkLater, unavailable
from tests.portal.query.invariants.clients_list import names, rename
from tests.portal.query.own_profile import NamedBackend, own_name, rename_oneself

if TYPE_CHECKING:
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


def open_page_beside(world: World, process: Process, tokens: TokenStore) -> int:
    """The same page where its guard begins `/me` first."""
    before = len(world.backend.calls)
    client = process.request(tokens)
    client.start(PROFILE)
    assert [row["id"] for row in ClientQueries.use_get_clients_query(client).unwrap().items] == ["c5", "c4"]
    assert own_name(client) == "Ada"
    return len(world.backend.calls) - before


def within_profile(world: World, run: Callable[[], object]) -> None:
    """Run something once, after the backend has looked at GET `/me`, and before its answer leaves."""
    pending = [run]

    def inside(_method: str, path: str) -> None:
        if path == "/me" and pending:
            pending.pop()()

    world.backend.inside = inside


class TestTheAnswerThatBindsTheToken:
    def test_is_kept_so_each_query_is_asked_once(self, world: World, process: Process, ada: TokenStore) -> None:
        assert [open_page(world, process, ada) for _ in range(4)] == [2, 0, 0, 0]

    def test_is_there_for_other_processes_and_tokens(self, world: World, process: Process, ada: TokenStore) -> None:
        open_page(world, process, ada)
        assert open_page(world, world.process(), ada) == 0
        own_name(process.request(world.backend.sign_in("ada")))
        assert open_page(world, process, ada) == 1, "only the list: the other token began a generation"

    def test_is_stale_when_its_time_is_over(self, world: World, process: Process, ada: TokenStore) -> None:
        own_name(process.request(ada))
        world.clock.now += PAST_ITS_LIFE_S
        own_name(process.request(ada))
        assert world.backend.counted()["GET", "/me"] == 2

    def test_belongs_to_the_view_of_its_own_permissions(self, world: World, process: Process, ada: TokenStore) -> None:
        own_name(process.request(ada))
        world.backend.permissions["ada"] = ["ENERGY_APP", "FINANCE_APP"]
        own_name(process.request(world.backend.sign_in("ada")))
        profile: Any = UserQueries.use_get_me_query(process.request(ada)).unwrap()
        assert world.backend.counted()["GET", "/me"] == 3
        assert profile["permissions"] == ["ENERGY_APP", "FINANCE_APP"]

    def test_is_nobody_elses(self, world: World, process: Process, ada: TokenStore) -> None:
        own_name(process.request(ada))
        assert own_name(process.request(world.backend.sign_in("ben"))) == ""

    def test_goes_with_the_namespace_of_a_user_who_signs_out_while_it_is_on_its_way(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        elsewhere = world.backend.sign_in("ada")
        own_name(process.request(elsewhere))
        within_profile(world, lambda: world.process().request(elsewhere).purge())
        own_name(process.request(ada))
        world.backend.names["ada"] = "Countess"
        assert own_name(process.request(ada)) == "Ada", "bound after the purge, in a new namespace"
        process.request(elsewhere).purge()
        assert own_name(process.request(ada)) == "Countess"

    def test_is_not_kept_if_the_cache_is_cleared_meanwhile(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        for endpoint in (None, "user.get_me"):
            within_profile(world, lambda: process.runtime.cache.clear(endpoint=endpoint))  # noqa: B023  it runs in this turn
            own_name(process.request(ada))
            own_name(process.request(ada))
            process.request(ada).purge()
        assert world.backend.counted()["GET", "/me"] == 4

    def test_is_not_kept_if_the_store_loses_a_key_meanwhile(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        own_name(process.request(ada))
        for number, lost in enumerate(("fetch-mark:user.get_me", generation_key("user.get_me"))):
            process.request(ada).purge()
            within_profile(world, lambda: world.store.values.pop(lost))  # noqa: B023  it runs in this turn
            own_name(process.request(ada))
            own_name(process.request(ada))
            assert world.backend.counted()["GET", "/me"] == 1 + 2 * (number + 1)

    def test_is_shown_if_the_store_goes_down_meanwhile(self, world: World, process: Process, ada: TokenStore) -> None:
        within_profile(world, lambda: setattr(world.store, "down", True))
        assert own_name(process.request(ada)) == "Ada"
        world.store.down = False
        assert open_page(world, process, ada) == 2

    def test_waits_for_no_mark_of_another_endpoint(self, world: World, process: Process, ada: TokenStore) -> None:
        within_profile(world, lambda: process.runtime.cache.marks.close(["energy.get_clients"]))
        own_name(process.request(ada))
        own_name(process.request(ada))
        assert world.backend.counted()["GET", "/me"] == 1


class TestTheListBesideTheProfile:
    """A page begins `/me` in another thread. The first list does not wait for it, also if the token is not bound."""

    def test_both_calls_are_under_way_at_once(self, world: World, process: Process, ada: TokenStore) -> None:
        meet = threading.Barrier(2)
        world.backend.inside = lambda _method, _path: meet.wait(10) and None
        assert open_page_beside(world, process, ada) == 2

    def test_and_both_answers_are_kept(self, world: World, process: Process, ada: TokenStore) -> None:
        assert [open_page_beside(world, process, ada) for _ in range(3)] == [2, 0, 0]
        assert open_page_beside(world, world.process(), ada) == 0

    def test_so_it_is_with_several_queries(self, world: World, process: Process, ada: TokenStore) -> None:
        for expected in (3, 0):
            before, client = len(world.backend.calls), process.request(ada)
            client.start(PROFILE)
            lists = [ClientQueries.use_get_clients_query.spec(params) for params in (None, {"q": "5"})]
            profile, clients, found = use_queries(client, PROFILE, *lists)
            assert (profile.unwrap()["id"], len(clients.data.items), len(found.data.items)) == ("ada", 2, 1)
            assert own_name(client) == "Ada"
            assert len(world.backend.calls) - before == expected

    def test_further_pages_wait_for_the_binding(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=WorkLater())
        client = process.request(ada)
        client.start(PROFILE)
        assert len(ClientQueries.use_get_clients_query(client, pages=2).unwrap().items) == 4
        assert [path for _, path, _ in world.backend.calls] == ["/me", "/energy/clients", "/energy/clients"]

    def test_a_list_that_a_load_more_begins_at_its_cursor_is_kept_too(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        cursor = ClientQueries.use_get_clients_query(process.request(ada)).data.next_cursor
        process.request(ada).purge()
        for expected in (2, 0):
            before, client = len(world.backend.calls), process.request(ada)
            client.start(PROFILE)
            assert len(ClientQueries.use_get_clients_query(client, cursor=cursor).unwrap().items) == 2
            assert len(world.backend.calls) - before == expected

    def test_two_pages_of_one_new_token_share_the_calls(self, world: World, process: Process, ada: TokenStore) -> None:
        first, both = threading.Event(), threading.Event()

        def wait_for_the_other(_method: str, _path: str) -> None:
            first.set()
            both.wait(10)

        world.backend.inside = wait_for_the_other
        pages = [threading.Thread(target=open_page_beside, args=(world, process, ada)) for _ in range(2)]
        pages[0].start()
        first.wait(10)
        pages[1].start()
        pages[1].join(0.2)  # it waits for the first page's calls
        both.set()
        for page in pages:
            page.join(10)
        assert len(world.backend.calls) == 2

    def test_if_the_profile_fails_the_list_is_shown_and_not_kept(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=WorkLater())

        def fail(_method: str, path: str) -> None:
            if path == "/me":
                raise unavailable()

        world.backend.before = fail
        client = process.request(ada)
        client.start(PROFILE)
        assert ClientQueries.use_get_clients_query(client).unwrap().items
        assert isinstance(UserQueries.use_get_me_query(client).error, ApiUnavailableError)
        assert world.backend.counted()["GET", "/me"] == 3, "tried once, with its retries, by whoever asks"
        assert not any(key.startswith(("binding:", "ns:")) for key in world.store.values)

    def test_if_the_token_was_signed_out_nothing_is_shown(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=WorkLater())
        client = process.request(ada)
        client.start(PROFILE)
        within_profile(world, lambda: world.backend.signed_out.add(ada.current.access))
        with pytest.raises(SignInEndedError):
            ClientQueries.use_get_clients_query(client)
        world.backend.signed_out.clear()
        assert open_page(world, process, ada) == 2

    def test_if_the_profile_hangs_the_list_is_shown(self, world: World, process: Process, ada: TokenStore) -> None:
        hangs, over = threading.Event(), threading.Event()

        def hang(_method: str, path: str) -> None:
            if path == "/me":
                hangs.set()
                over.wait(10)
            else:
                hangs.wait(10)

        world.backend.inside = hang
        client = process.request(ada, deadline=Deadline(0.1))
        client.start(PROFILE)
        items = ClientQueries.use_get_clients_query(client).unwrap().items
        over.set()
        assert items

    def test_what_another_sign_ins_token_fetched_is_not_shown(self, world: World, ada: TokenStore) -> None:
        """A browser may hold ada's access token, and ben's refresh token."""
        ben, process = world.backend.sign_in("ben"), world.process(fetch_pool=WorkLater())
        tokens, replaced = TokenStore(ada.current), ada.current.refresh or ""
        client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
        client.start(PROFILE)
        world.backend.before = lambda _method, _path: tokens.rotate(ben.current, replaced=replaced) and None
        result = ClientQueries.use_get_clients_query(client)
        assert isinstance(result.error, ApiUnauthorizedError)
        assert not result.data.items
        world.backend.before = None
        reads = world.backend.reads()
        ClientQueries.use_get_clients_query(process.request(ben))
        assert world.backend.reads() == reads + 1, "nor is it kept"

    def test_a_token_that_is_renewed_meanwhile_keeps_nothing(self, world: World, ada: TokenStore) -> None:
        """Nobody knows which of the two tokens the list was sent to."""
        process, renewed = world.process(fetch_pool=WorkLater()), world.backend.sign_in("ada")
        tokens, replaced = TokenStore(ada.current), ada.current.refresh or ""
        client = create_query_client(tokens=tokens, api=world.backend, runtime=process.runtime, clock=world.clock)
        client.start(PROFILE)
        world.backend.before = lambda _method, _path: tokens.rotate(renewed.current, replaced=replaced) and None
        assert ClientQueries.use_get_clients_query(client).unwrap().items
        world.backend.before = None
        assert open_page(world, process, renewed) == 1, "the list"

    def test_a_write_of_the_request_waits_for_the_binding(self, world: World, ada: TokenStore) -> None:
        process = world.process(fetch_pool=WorkLater())
        client = process.request(ada)
        client.start(PROFILE)
        rename_oneself(client, "Countess")
        assert [path for _, path, _ in world.backend.calls] == ["/me", "/me/name"]
        assert own_name(client) == "Countess"


class Race:
    """A first fetch of a new token, and a write of its user that is done after the backend has answered the fetch.

    :param fetch: the path that is fetched.
    :param write: in another process.
    :param stops_at: the write stops before this one of its store operations that follow its call,
    :param goes_on_at: until the fetch is before this one of its own, or has ended.
    """

    def __init__(self, world: World, *, fetch: str, write: Callable[[], None], stops_at: int, goes_on_at: int) -> None:
        self.world = world
        self.fetch = fetch
        self.write = write
        self.left = {"write": stops_at, "fetch": goes_on_at}
        self.is_answered: set[str] = set()
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
            if method != "GET":
                self.is_answered.add("write")
        elif path == self.fetch and "fetch" not in self.is_answered:
            self.is_answered.add("fetch")
            self.writer.start()
            self.stopped.wait()

    def _before_an_operation(self, _name: str) -> None:
        who = "write" if threading.current_thread() is self.writer else "fetch"
        if who not in self.is_answered:
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


@dataclass(frozen=True)
class Subject:
    """What is fetched, and how its user changes its name from "Ada" to "Countess"."""

    path: str
    write: Callable[[QueryClient], None]
    #: By the first request of a new token.
    first_read: Callable[[QueryClient], object]
    name: Callable[[QueryClient], str]


def list_beside_the_profile(client: QueryClient) -> object:
    client.start(PROFILE)
    return ClientQueries.use_get_clients_query(client).unwrap()


OF_THE_PROFILE = Subject("/me", lambda client: rename_oneself(client, "Countess"), own_name, own_name)
OF_THE_LIST = Subject(
    "/energy/clients",
    lambda client: rename(client, "c5", "Countess"),
    list_beside_the_profile,
    lambda client: names(client)["c5"],
)


def with_its_own_token(world: World, elsewhere: Process, ada: TokenStore, subject: Subject) -> Callable[[], None]:
    """It can't be bound there: `/me` fails."""

    def refuse(_method: str, path: str) -> None:
        if path == "/me" and threading.current_thread() is not threading.main_thread():
            raise unavailable()

    world.backend.before = refuse
    return lambda: subject.write(elsewhere.request(ada))


def with_another_token(world: World, elsewhere: Process, _ada: TokenStore, subject: Subject) -> Callable[[], None]:
    phone = world.backend.sign_in("ada")
    subject.name(elsewhere.request(phone))
    return lambda: subject.write(elsewhere.request(phone))


def with_another_token_that_has_no_log(
    world: World, elsewhere: Process, ada: TokenStore, subject: Subject
) -> Callable[[], None]:
    write = with_another_token(world, elsewhere, ada, subject)
    for key in [key for key in world.store.values if key.endswith(":log")]:
        del world.store.values[key]
    return write


def with_another_token_whose_namespace_is_gone(
    world: World, elsewhere: Process, _ada: TokenStore, subject: Subject
) -> Callable[[], None]:
    phone = world.backend.sign_in("ada")
    subject.name(elsewhere.request(phone))

    def write() -> None:
        purge = world.process().request(phone).purge
        world.backend.before = lambda method, _path: None if method == "GET" else purge()
        subject.write(elsewhere.request(phone))

    return write


def with_another_token_and_one_failure_of_the_store(
    world: World, elsewhere: Process, ada: TokenStore, subject: Subject
) -> Callable[[], None]:
    write = with_another_token(world, elsewhere, ada, subject)

    def write_with_a_failure() -> None:
        before_each, pending = world.store.before_each, [StoreUnavailableError("once")]

        def fail_once(name: str) -> None:
            before_each(name)
            if pending and any(method != "GET" for method, _, _ in world.backend.calls):
                raise pending.pop()

        world.store.before_each = fail_once
        write()

    return write_with_a_failure


WRITES = (
    with_its_own_token,
    with_another_token,
    with_another_token_that_has_no_log,
    with_another_token_whose_namespace_is_gone,
    with_another_token_and_one_failure_of_the_store,
)


def names_after_races(world: World, subject: Subject, prepare: Any) -> set[str]:
    """What a read gives after the write, for each order of the store operations of the fetch and the write."""
    found, process = set(), world.process(fetch_pool=WorkLater())
    for stops_at in range(8):
        for goes_on_at in range(20):
            ada, elsewhere = world.backend.sign_in("ada"), world.process()
            world.backend.names["ada"] = world.backend.rows[0]["name"] = "Ada"
            world.backend.calls.clear()
            race = Race(
                world,
                fetch=subject.path,
                write=prepare(world, elsewhere, ada, subject),
                stops_at=stops_at,
                goes_on_at=goes_on_at,
            )
            client = process.request(ada)
            race.run(lambda: subject.first_read(client))  # noqa: B023  it runs in this turn
            world.backend.before = None
            found |= {subject.name(each.request(ada)) for each in (process, elsewhere)}
            process.request(ada).purge()
    return found


@pytest.mark.parametrize("prepare", WRITES)
@pytest.mark.parametrize("subject", [OF_THE_PROFILE, OF_THE_LIST])
class TestAWriteThatIsDoneWhileTheTokenIsBound:
    @pytest.fixture(autouse=True)
    def _without_lag(self, world: World) -> None:
        """The reads of the backend show each write at once, so nothing but the marks tells of it."""
        world.options["read_lag_s"] = 0.0

    def test_shows_in_whatever_order(self, world: World, subject: Subject, prepare: Any) -> None:
        assert names_after_races(world, subject, prepare) == {"Countess"}

    def test_and_would_not_without_the_marks(
        self, world: World, subject: Subject, prepare: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(FetchMarks, "is_open", lambda _self, _mark, *, endpoint: bool(endpoint))
        assert names_after_races(world, subject, prepare) == {"Ada", "Countess"}
