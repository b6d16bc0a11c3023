from __future__ import annotations

from portal.query.counters import SUM_EVERY_S, SUMS_LIFETIME_S, Counters
from tests.portal.query.fakes import FakeStore


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_counts_of_all_processes_are_added_up_now_and_then() -> None:
    store, clock = FakeStore(), Clock()
    processes = [Counters(store=store, clock=clock) for _ in range(2)]
    for process in processes:
        process.count("e", "fresh")
        process.count("e", "fetched")
    assert processes[0].sums(["e"]) == {}
    assert store.trips == 1, "a read costs the store nothing"
    clock.now += SUM_EVERY_S
    for process in processes:
        process.count("e", "fresh")
    assert processes[0].sums(["e", "other"]) == {"e": {"fresh": 4, "fetched": 2}}


def test_a_store_that_fails_midway_leaves_no_sum_of_nothing() -> None:
    store, clock = FakeStore(), Clock()
    counters = Counters(store=store, clock=clock)
    calls: list[str] = []

    def fail_the_second_time(name: str) -> None:
        calls.append(name)
        store.down = calls.count("incr") > 1

    store.before_each = fail_the_second_time
    counters.count("e", "fresh")
    counters.add_up()
    store.down, store.before_each = False, None
    assert counters.sums(["e"]) == {"e": {"fresh": 1}}


def test_a_store_that_is_down_disturbs_nobody() -> None:
    store, clock = FakeStore(), Clock()
    counters = Counters(store=store, clock=clock)
    store.down = True
    clock.now += SUM_EVERY_S
    counters.count("e", "fresh")


def test_a_sum_that_ends_while_it_is_added_to_ends_again() -> None:
    ends: dict[str, float | None] = {}

    class Forgetful(FakeStore):
        """As Redis under Django: asked for the key while it is there, it adds when it is gone."""

        def incr(self, key: str, delta: int = 1) -> int:
            self.values[key] = str(delta)
            return delta

        def touch(self, key: str, *, lifetime_s: float | None) -> bool:
            ends[key] = lifetime_s
            return True

    counters = Counters(store=Forgetful(), clock=Clock())
    counters.count("e", "fresh")
    counters.add_up()
    assert ends == {"sum:e:fresh": SUMS_LIFETIME_S}
