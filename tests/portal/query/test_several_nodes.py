"""A cluster reads and writes what lies in several slots step by step: whatever others do between two steps, no read
misses a completed write.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from tests.portal.query.clients import before_operation, names, rename
from tests.portal.query.fakes import FakeCluster, FakeStore
from tests.portal.query.query_machine import QueryMachine, run_machine
from tests.portal.query.world import Process, World
from tests.support.whole_runs import number_of

#: Operations of the store that one read makes at most.
MOST_STEPS = 12
STORES = pytest.mark.parametrize("store", [FakeStore, FakeCluster])


class Scene:
    """One user, whose list is cached, and four processes."""

    def __init__(self, store: type[FakeStore]) -> None:
        self.world = World(store=store(), options={"random_below": Random(0).randrange})
        self.world.backend.rows = [{"id": "c1", "name": "old"}]
        self.one, self.two, self.three, self.four = (self.world.process() for _ in range(4))
        self.ada = self.world.backend.sign_in("ada")

    def names(self, process: Process) -> list[str]:
        """What a read of the list shows."""
        return [*names(process.request(self.ada)).values()]

    def rename(self, process: Process) -> None:
        """A write that is complete at the end."""
        rename(process.request(self.ada), "c1", "new").unwrap()

    @contextmanager
    def between(self, step: int, action: Callable[[], object]) -> Iterator[None]:
        """Do something before the operation of that number inside the block; where it has fewer, afterwards."""
        done: list[object] = []
        before_operation(self.world, step, lambda: done.append(action()))
        yield
        self.world.store.before_each = None
        if not done:
            action()


@STORES
def test_lost_mapping_opens_nothing_older_than_writes(store: type[FakeStore]) -> None:
    """One process remembers a cache whose mapping the store has lost. Another has written, and makes it anew."""
    for step in range(MOST_STEPS):
        scene = Scene(store)
        assert scene.names(scene.one) == scene.names(scene.one) == ["old"]
        values = scene.world.store.values
        scene.world.store.values = {key: value for key, value in values.items() if not key.startswith("ns:")}
        scene.rename(scene.two)
        shown = []
        with scene.between(step, lambda scene=scene, shown=shown: shown.append(scene.names(scene.three))):
            shown.append(scene.names(scene.one))
        assert shown == [["new"]] * 2, f"step {step}"


@STORES
def test_write_while_its_cache_is_made_shows(store: type[FakeStore]) -> None:
    """The first read with a token makes its cache, and another process writes with the token meanwhile."""
    for step in range(MOST_STEPS):
        scene = Scene(store)

        def read_and_write(scene: Scene = scene) -> None:
            scene.names(scene.one)
            scene.rename(scene.two)

        with scene.between(step, read_and_write):
            scene.names(scene.three)
        assert scene.names(scene.four) == scene.names(scene.three) == ["new"], f"step {step}"


@STORES
def test_purge_during_a_read_hides_what_was_before(store: type[FakeStore]) -> None:
    for step in range(MOST_STEPS):
        scene = Scene(store)
        scene.names(scene.one)
        scene.world.backend.rows[0]["name"] = "by somebody else"

        with scene.between(step, lambda scene=scene: scene.two.request(scene.ada).purge()):
            scene.names(scene.three)
        for process in (scene.one, scene.three, scene.four):
            assert scene.names(process) == ["by somebody else"], f"step {step}"


def test_caches_are_cleared_on_all_nodes() -> None:
    scene = Scene(FakeCluster)
    users = [scene.ada, *(scene.world.backend.sign_in("ben") for _ in range(2))]
    for fetched, clear in (
        (3, lambda: None),
        (3, lambda: scene.two.runtime.caches.clear(endpoint=None)),
        (3, lambda: scene.two.runtime.caches.clear(endpoint="energy.get_clients")),
        (0, lambda: scene.two.runtime.caches.clear(endpoint="energy.get_stations")),
    ):
        clear()
        before = scene.world.backend.reads()
        for scene.ada in users * 2:
            scene.names(scene.one)
        assert scene.world.backend.reads() - before == fetched


def test_read_asks_for_its_token_first_and_alone() -> None:
    """What is cached lies in one slot, that of the user; numbers that are read before the token may be too old."""
    scene, read = Scene(FakeCluster), []
    scene.names(scene.one)
    kept = scene.world.store.steps
    scene.world.store.steps = lambda keys: read.append(kept(keys)) or kept(keys)
    scene.names(scene.one)
    assert [[key.startswith("ns:") for key in step] for step in read[-1]] == [[True], [False] * 6]


class OnACluster(QueryMachine):
    """The actions of the model, on a cluster."""

    def start_backend(self) -> Any:
        self.world.store = FakeCluster()
        return super().start_backend()


def test_cluster_reads_miss_no_completed_write() -> None:
    run_machine(OnACluster, examples=number_of(60))
