"""A cluster reads and writes what lies in several slots step by step: whatever others do between two steps, no read
misses a completed write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from portal.api.tokens import TokenStore
from tests.portal.query.answering import Mutations, Queries
from tests.portal.query.clients import no_profile
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
        return [row["name"] for row in Queries.use_get_clients_query(process.request(self.ada)).data.items]

    def rename(self, process: Process) -> None:
        """A write that is complete at the end. No `/me` of its own binds its token."""

        write = Mutations.use_update_client_mutation(process.request(self.ada))
        self.world.backend.before = no_profile
        write.mutate(body={"name": "new"}, params={"id": "c1"}).unwrap()
        self.world.backend.before = None

    @contextmanager
    def between(self, step: int, action: Callable[[], object]) -> Iterator[None]:
        """Do something before the operation of that number inside the block; where it has fewer, afterwards."""
        store, first, done = self.world.store, self.world.store.trips, []

        def before(_name: str) -> None:
            if store.trips - first == step + 1:
                store.before_each = None
                done.append(action())

        store.before_each = before
        yield
        store.before_each = None
        if not done:
            action()


@STORES
def test_a_binding_that_the_store_had_lost_opens_nothing_older_than_a_write_without_it(store: type[FakeStore]) -> None:
    """A process remembers a binding that the store has lost. Another one has written, and binds the token anew."""
    for step in range(MOST_STEPS):
        scene = Scene(store)
        assert scene.names(scene.one) == scene.names(scene.one) == ["old"]
        values = scene.world.store.values
        scene.world.store.values = {key: value for key, value in values.items() if not key.startswith("binding:")}
        scene.rename(scene.two)
        shown = []
        with scene.between(step, lambda scene=scene, shown=shown: shown.append(scene.names(scene.three))):
            shown.append(scene.names(scene.one))
        assert shown == [["new"]] * 2, f"step {step}"


@STORES
def test_a_write_while_its_token_is_bound_is_in_the_log_or_before_the_generation(store: type[FakeStore]) -> None:
    """The user's pages are there; the token's first read binds it, and another process writes meanwhile."""
    for step in range(MOST_STEPS):
        scene = Scene(store)
        first = scene.ada
        scene.names(scene.one)
        scene.ada = second = scene.world.backend.sign_in("ada")

        def read_and_write(scene: Scene = scene, first: TokenStore = first, second: TokenStore = second) -> None:
            scene.ada = first
            scene.names(scene.one)
            scene.ada = second
            scene.rename(scene.two)

        with scene.between(step, read_and_write):
            scene.names(scene.three)
        assert scene.names(scene.four) == scene.names(scene.three) == ["new"], f"step {step}"
        scene.ada = first
        assert scene.names(scene.one) == ["new"], f"step {step}, the first token"


@STORES
def test_what_is_cleared_for_all_is_fetched_by_each_user(store: type[FakeStore]) -> None:
    scene = Scene(store)
    ada, ben = scene.ada, scene.world.backend.sign_in("ben")
    for user in (ada, ben):
        scene.ada = user
        scene.names(scene.one)
    for endpoint in (None, Queries.use_get_clients_query.key):
        scene.two.runtime.cache.clear(endpoint=endpoint)
        before = scene.world.backend.reads()
        for user in (ada, ben, ada, ben):
            scene.ada = user
            scene.names(scene.one)
        assert scene.world.backend.reads() - before == 2


def test_the_keys_of_a_read_lie_in_two_slots() -> None:
    scene, read = Scene(FakeCluster), []
    scene.names(scene.one)
    kept = scene.world.store.steps
    scene.world.store.steps = lambda keys: read.append(kept(keys)) or kept(keys)
    scene.names(scene.one)
    assert [[key.startswith("binding:") for key in step] for step in read[-1]] == [[True], [False] * 6]


class OnACluster(QueryMachine):
    """The actions of the model, on a cluster."""

    def start_backend(self) -> Any:
        self.world.store = FakeCluster()
        return super().start_backend()


def test_no_read_misses_a_completed_write_on_a_cluster() -> None:
    run_machine(OnACluster, examples=number_of(60))
