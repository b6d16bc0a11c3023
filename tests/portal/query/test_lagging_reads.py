"""Backends whose reads are behind their writes: what this user wrote shows at once, and stays.

Reads of these lists are one second behind. A page that is fetched within four seconds after a write (two that a
backend may be behind, and two that clocks may differ) counts for four seconds only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from portal.query.cache.write_records import WriteRecord
from tests.portal.query import answering
from tests.portal.query.fakes import FakeStore, Process, World
from tests.portal.query.invariants.clients_list import create, listed, names, once, rename
from tests.portal.query.lagging import LaggingBackend
from tests.portal.query.query_machine import QueryMachine, VersionedBackend
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.api.tokens import TokenStore


#: The key of a write log's record.
RECORD = re.compile(r":energy\.get_clients:\d+$")


@pytest.fixture
def world() -> World:
    """Five clients, two to a page, on a backend whose reads lag."""
    made = World()
    made.backend = LaggingBackend(clock=made.clock)
    made.backend.rows = [{"id": f"c{number}", "name": f"client {number}"} for number in range(5, 0, -1)]
    return made


class CountingStore(FakeStore):
    """Knows what it was asked for, and gives up before there are too many keys.

    :ivar records: the keys of a write log's records.
    """

    def __init__(self) -> None:
        super().__init__()
        self.most_keys = 0
        self.records: set[str] = set()

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        keys = list(islice(keys, 10_000))
        self.most_keys = max(self.most_keys, len(keys))
        self.records |= {key for key in keys if RECORD.search(key)}
        return super().get_many(keys)


def passes(world: World, seconds: float) -> None:
    world.clock.now += seconds


class TestARecordThatTheStoreLost:
    @pytest.mark.parametrize("when", ["before the list is fetched", "while it is fetched"])
    def test_does_not_let_an_older_write_of_the_row_show_again(self, world: World, ada: TokenStore, when: str) -> None:
        process = world.process()
        listed(process.request(ada))
        first, second = process.request(ada), process.request(ada)
        rename(first, "c5", "first")
        before = set(world.store.values)
        rename(second, "c5", "second")
        [record] = [key for key, value in world.store.values.items() if key not in before and "second" in value]
        world.backend.lag_s = 0.0

        def lose(*_: str) -> None:
            world.store.values.pop(record)
            world.backend.inside = None

        if when == "while it is fetched":
            world.backend.inside = lose
        else:
            lose()
        for _ in range(2):
            assert names(process.request(ada, reload=True))["c5"] == "second"
            assert names(process.request(ada))["c5"] == "second"


class TestAFetchLooksForTheLatestWrites:
    def test_and_no_further_back_than_the_log_goes(self, world: World, ada: TokenStore) -> None:
        """Most users wrote nothing in the last minutes."""
        store = world.store = CountingStore()
        process = world.process()
        listed(process.request(ada))
        looked_for = []
        for name in ("", "first", "second"):
            if name:
                rename(process.request(ada), "c5", name)
            store.records = set()
            listed(process.request(ada, reload=True))
            looked_for.append(len(store.records))
        assert looked_for == [0, 1, 2]

    def test_the_64_latest_of_a_long_log(self, world: World, ada: TokenStore) -> None:
        """More than 128 positions at once would count as those of two logs."""
        process = world.process()
        listed(process.request(ada))
        for number in range(130):
            rename(process.request(ada), "c1", f"name {number}")
        passes(world, 1000)
        created = create(process.request(ada))
        assert listed(process.request(ada))[0] == created


class TestALogThatTheStoreLost:
    def test_while_a_list_is_fetched_costs_no_look_for_what_lies_between_it_and_the_next_one(
        self, world: World, ada: TokenStore
    ) -> None:
        """A log begins at a random place: between two of them lie more positions than any memory has room for."""
        store = world.store = CountingStore()
        process = world.process()
        rename(process.request(ada), "c5", "first")

        def lose() -> None:
            for key in [key for key in store.values if key.endswith("get_clients:log")]:
                del store.values[key]
            rename(process.request(ada), "c1", "second")

        world.backend.inside = once(lose)
        shown = names(process.request(ada), pages=3)
        assert set(shown) == {"c1", "c2", "c3", "c4", "c5"}
        assert store.most_keys < 200


class TestAWriteShowsInWhatIsFetchedAtOnce:
    def test_it_does_so_where_the_writers_clock_is_behind(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        created = create(process.request(ada, clock=lambda: world.clock() - 2))
        assert listed(world.process().request(ada))[0] == created

    def test_a_row_that_the_server_has_already_stays_where_it_put_it(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        world.backend.lag_s = 0
        created = create(process.request(ada))
        world.backend.rows.append(world.backend.rows.pop(0))
        world.backend.ranks[created] = 99
        world.backend.note(at=world.clock())
        assert listed(process.request(ada), pages=3)[-1] == created


class TestHowLongSuchAPageCounts:
    def test_as_long_as_the_backend_may_be_behind_and_no_longer(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        create(process.request(ada))
        listed(process.request(ada))
        reads = world.backend.reads()
        passes(world, 3.9)
        listed(process.request(ada))
        assert world.backend.reads() == reads
        passes(world, 0.1)
        listed(process.request(ada))
        assert world.backend.reads() == reads + 1
        passes(world, 299)
        listed(process.request(ada))
        assert world.backend.reads() == reads + 1, "by then it shows all that was written"

    def test_a_search_whose_filter_only_the_server_knows_finds_the_row_then(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        created = create(process.request(ada), name="client new")
        assert created not in listed(process.request(ada), params={"q": "client"})
        passes(world, 4)
        assert listed(process.request(ada), params={"q": "client"})[0] == created

    def test_a_created_row_that_is_put_on_top_again_has_its_latest_version(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """Also if a later write does not say what it changed."""
        world.backend.lag_s = 0
        first = answering.create(process.request(ada), "first")
        answering.create(process.request(ada), "second")
        answering.create(process.request(ada), "third")
        answering.rename(process.request(ada), first, "renamed")
        touch = answering.Mutations.use_touch_client_mutation(process.request(ada))
        touch.mutate(body={"name": "touched"}, params={"id": "c5"})
        rows = answering.Queries.use_get_clients_query(process.request(ada)).data.items
        assert {row["id"]: row["name"] for row in rows}.get(first, "renamed") == "renamed"

    def test_a_single_record_is_asked_for_again_then(self, world: World, process: Process, ada: TokenStore) -> None:
        def shown() -> Any:
            return ClientQueries.use_get_client_query(process.request(ada), {"id": "c1"}).unwrap()["name"]

        shown()
        rename(process.request(ada), "c1", "changed")
        assert shown() == "client 1", "nobody but the backend knows the whole record"
        passes(world, 4)
        assert shown() == "changed"

    def test_an_invalidation_writes_nothing_and_shortens_nothing(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        ClientQueries.use_get_clients_query.invalidate(process.request(ada))
        listed(process.request(ada))
        reads = world.backend.reads()
        passes(world, 299)
        listed(process.request(ada))
        assert world.backend.reads() == reads

    def test_a_backend_that_is_never_behind_costs_nothing(self, world: World, ada: TokenStore) -> None:
        """`settle_s` of 0."""
        process = world.process(read_lag_s=0.0)
        world.backend.lag_s = 0
        create(process.request(ada))
        listed(process.request(ada))
        reads = world.backend.reads()
        passes(world, 299)
        listed(process.request(ada))
        assert world.backend.reads() == reads


class TestWhatItCosts:
    """Within these seconds, another user's later change of the same row waits."""

    def test_another_users_later_change_shows_when_the_page_is_fetched_anew(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        rename(process.request(ada), "c5", "ours")
        passes(world, 0.5)
        world.backend.changed_by_someone_else(lambda rows: rows[0].update(name="theirs"))
        passes(world, 1.5)
        assert names(process.request(ada))["c5"] == "ours", "the server says otherwise by now"
        passes(world, 4)
        assert names(process.request(ada))["c5"] == "theirs"

    def test_a_store_that_fails_in_between_costs_the_patch_and_not_the_page(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        create(process.request(ada))
        store: FakeStore = world.store
        world.backend.before = lambda _method, path: setattr(store, "down", path != "/me")
        assert listed(process.request(ada)) == ["c5", "c4"]


@dataclass
class LaggingVersions(LaggingBackend, VersionedBackend):
    """Gives every change of a row a higher version, and shows it a second later."""


class LaggingMachine(QueryMachine):
    """The state machine of `query_machine`, one request after another, on a store that loses nothing.

    Where two writes of one row overlap, or a record is lost, nobody knows what a backend that lags does not say.
    """

    #: Where a new row stands in another order than by creation, only the server knows, and that does not say it yet.
    complete = (0,)
    #: Nor is there a page to patch where it answers 404, and no patch takes a detail away.
    details_follow = False

    def start_backend(self) -> LaggingVersions:
        return LaggingVersions(clock=self.world.clock)

    def _with(self, nested: list[Any]) -> Any:
        return super()._with([])

    def someone_else_changes_a_row(self) -> None:
        """No rule here: what others do waits for some seconds."""

    def keys_are_evicted(self) -> None:
        """Nor this one."""

    def a_store_operation_will_fail(self) -> None:
        """Nor this one."""

    def purge(self) -> None:
        """Nor this one."""

    def reload(self) -> None:
        """Nor this one: the backend's rows are not those that it shows."""

    def a_change_whose_answer_is_lost(self) -> None:
        """Nor this one: nobody knows what was written."""

    def touch(self) -> None:
        """Nor this one: which of two changes is the later one, only the server knows, and that lags."""


def run_lagging(examples: int) -> None:
    run_state_machine_as_test(
        LaggingMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=30,
            derandomize=True,
            phases=[Phase.generate],
            report_multiple_bugs=False,
            suppress_health_check=list(HealthCheck),
        ),
    )


def test_no_read_misses_a_completed_write_though_the_backend_lags() -> None:
    run_lagging(60)


def test_the_model_notices_when_nothing_is_applied_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WriteRecord, "may_be_missing", lambda _self, *, at, lag_s: False)
    with pytest.raises(AssertionError, match=r"is older than|was deleted|were created"):
        run_lagging(500)
