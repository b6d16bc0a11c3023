"""Backends whose reads are behind their writes, as a read replica's: what this user wrote shows at once, and stays.

Reads of these lists are one second behind. A page that is fetched within four seconds after a write (two that a
backend may be behind, and two that clocks may differ) counts for four seconds only. A later one is not patched by that
write (query-cache, I3).
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from portal.query.cache.write_log import WriteLog
from tests.portal.query.clients import create, invalidate, listed, names, once, rename, touch
from tests.portal.query.fakes import FakeBackend, FakeStore
from tests.portal.query.query_machine import QueryMachine, VersionedBackend, run_machine
from tests.portal.query.world import User, World
from tests.support.whole_runs import number_of


@dataclass
class LaggingBackend(FakeBackend):
    """Reads show the rows as they were `lag_s` ago. A write answers with what it wrote.

    :param past: when the rows became what, oldest first; before that they were what they are at the first call.
    """

    clock: Callable[[], float] = field(kw_only=True)
    lag_s: float = 1.0
    past: list[tuple[float, list[dict[str, Any]]]] = field(default_factory=list)

    def _do(self, token: str | None, method: str, path: str, params: dict[str, Any], body: Any) -> Any:
        if not self.past:
            self.note(at=float("-inf"))
        if method == "GET":
            then = [rows for at, rows in self.past if at <= self.clock() - self.lag_s][-1]
            now, self.rows = self.rows, copy.deepcopy(then)
            try:
                return super()._do(token, method, path, params, body)
            finally:
                self.rows = now
        answer = super()._do(token, method, path, params, body)
        self.note(at=self.clock())
        return copy.deepcopy(answer)

    def note(self, *, at: float) -> None:
        """Note that the rows are what they are now from this time on."""
        self.past.append((at, copy.deepcopy(self.rows)))


@pytest.fixture
def world(world: World) -> World:
    world.backend = LaggingBackend(clock=world.clock, rows=world.backend.rows)
    return world


@pytest.mark.parametrize("while_it_is_fetched", [True, False])
def test_lost_record_lets_no_older_write_show(ada: User, while_it_is_fetched: bool) -> None:
    listed(ada)
    first, second = ada.request(), ada.request()
    rename(first, "c5", "first")
    rename(second, "c5", "second")
    [record] = [key for key, value in ada.store.values.items() if "get_clients:" in key and "second" in value]
    ada.backend.lag_s = 0.0

    if while_it_is_fetched:
        ada.backend.inside = once(lambda: ada.store.values.pop(record))
    else:
        ada.store.values.pop(record)
    for reload in (True, False) * 2:
        assert names(ada.request(reload=reload))["c5"] == "second"


def test_clock_behind_shows_writes_of_another_machine(ada: User) -> None:
    """To it, the write was done after its page was asked for."""
    listed(ada)
    created = create(ada)
    clock = lambda: ada.world.clock.now - 10  # noqa: E731
    assert listed(ada.elsewhere().request(clock=clock, reload=True))[0] == created


def test_record_under_way_hides_no_write(ada: User) -> None:
    """Another write has reserved its position. A page that is fetched then may lack the first one."""
    listed(ada)
    created = create(ada)
    [log] = [key for key in ada.store.values if key.endswith("energy.get_clients:log")]
    ada.store.incr(log)
    listed(ada)
    ada.passes(60)
    assert listed(ada)[0] == created


def test_log_without_records_costs_no_look() -> None:
    log = WriteLog(store=FakeStore(), space="n", endpoint="e")
    position = log.create()
    assert position is not None
    before = log.store.trips
    assert (log.latest(until=position), log.store.trips) == (([], 0), before)
    assert log.records(after=position, until=2 * position) == ([], 2 * position), "two logs, of which one was lost"


def test_log_that_begins_at_0_is_none() -> None:
    """The store has lost it while it added one to it: that number could come again."""
    log = WriteLog(store=FakeStore(), space="n", endpoint="e")
    log.store.set(log.key, 0, lifetime_s=9)
    assert log.position_in({log.key: 0}) is log.reserve() is None
    assert not log.store.get_many([log.key])


@pytest.mark.parametrize("fails_after", range(6))
def test_failing_store_costs_the_patch_not_the_page(ada: User, fails_after: int) -> None:
    create(ada)
    left = iter(range(fails_after))
    ada.store.before_each = lambda _name: setattr(ada.store, "down", next(left, None) is None)
    assert "c5" in listed(ada)


def test_uncertain_write_has_pages_fetched_while_reads_lag(ada: User) -> None:
    """Nothing that was written before it is put over what the backend answers."""
    ada.backend.lag_s = 0.0
    rename(ada, "c5", "first")
    touch(ada, "c5", "second")
    for reads in (1, 1):
        with ada.reads(reads):
            assert names(ada)["c5"] == "second"
        ada.passes(2)
    for reads in (1, 0):
        with ada.reads(reads):
            assert names(ada)["c5"] == "second"


def test_all_writes_show_while_the_backend_lags(ada: User) -> None:
    listed(ada)
    for row_id in ("c5", "c4"):
        rename(ada, row_id, "new")
    assert names(ada.request(reload=True)) == {"c5": "new", "c4": "new"}


def test_uncertain_write_hides_no_later_write(ada: User) -> None:
    touch(ada, "c5", "second")
    rename(ada, "c4", "later")
    assert names(ada)["c4"] == "later"


def test_invalidation_hides_no_write_before_it(ada: User) -> None:
    created = create(ada)
    invalidate(ada)
    assert listed(ada)[0] == created


def test_filtered_lists_show_what_rows_became(ada: User) -> None:
    rename(ada, "c5", "client new")
    rename(ada, "c1", "client of another page")
    assert names(ada, {"q": "client"})["c5"] == "client new"


def test_page_after_a_write_is_fresh_while_lagging(ada: User) -> None:
    created = create(ada, "client new")
    listed(ada)
    assert created not in listed(ada, {"q": "client"}), "whose filter only the server knows"
    with ada.reads(0):
        ada.passes(3.9)
        listed(ada)
    ada.passes(0.1)
    with ada.reads(1):
        listed(ada)
    with ada.reads(1):
        assert listed(ada, {"q": "client"})[0] == created
        ada.passes(299)
        listed(ada)  # by then it shows all that was written


def test_invalidation_or_prompt_backend_shortens_nothing(ada: User) -> None:
    at = ada.elsewhere(read_lag_s=0.0)
    ada.backend.lag_s = 0
    for user, write in ((ada, invalidate), (at, create)):
        write(user)
        listed(user)
        ada.passes(299)
        with ada.reads(0):
            listed(user)


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

    #: No rules here: what others do waits for some seconds; the backend's rows are not those that it shows; nobody
    #: knows what was written, or which of two changes is the later one.
    someone_else_changes_a_row = keys_are_evicted = a_store_operation_will_fail = None  # type: ignore[assignment]
    purge = reload = a_change_whose_answer_is_lost = touch = None  # type: ignore[assignment]

    def start_backend(self) -> LaggingVersions:
        return LaggingVersions(clock=self.world.clock)

    def interrupted_by(self, nested: list[Any]) -> Any:
        return super().interrupted_by([])


def test_reads_miss_no_completed_write_though_backend_lags() -> None:
    run_machine(LaggingMachine, examples=number_of(60))
