"""What one user writes in the state machine of `query_machine`, and the actions that run inside one another.

A write notes what it completed: `written`, `created` and `deleted` are what reads have to show.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from portal.errors import ApiNotFoundError
from tests.portal.query.clients import failing
from tests.portal.query.fakes import unavailable
from tests.portal.query.world import Process, World
from tests.support.client_endpoints import ClientMutations

NESTED = [
    *("read", "read one", "reload", "reload one", "rename", "touch", "delete", "create"),
    *("evict", "tick", "revalidate", "others change", "others delete"),
]

nested_actions = st.lists(
    st.tuples(
        st.sampled_from(NESTED),
        st.integers(0, 1),  # process
        st.integers(0, 5),  # row, variant or key
        st.sampled_from(["before", "inside"]),
    ),
    max_size=3,
)


class WriteRules(RuleBasedStateMachine):
    """The writes of a machine, whose `start` gives it these."""

    mutations: Any = ClientMutations
    world: World
    processes: list[Process]
    ada: Any
    #: Of each row, the version that the latest completed write gave it.
    written: dict[str, int]
    created: dict[str, str]
    deleted: set[str]

    @rule(
        process=st.integers(0, 1), row=st.integers(0, 5), name=st.sampled_from(["a", "b", "z"]), nested=nested_actions
    )
    def rename(self, process: int, row: int, name: str, nested: list[Any]) -> None:
        self._change(self.mutations.use_update_client_mutation, process, row, name, nested)

    @rule(process=st.integers(0, 1), row=st.integers(0, 5), name=st.sampled_from(["a", "z"]), nested=nested_actions)
    def touch(self, process: int, row: int, name: str, nested: list[Any]) -> None:
        """A write that only invalidates."""
        self._change(self.mutations.use_touch_client_mutation, process, row, name, nested)

    def _change(self, hook: Any, process: int, row: int, name: str, nested: list[Any]) -> None:
        if not self.world.backend.rows:
            return
        row_id = self.world.backend.rows[row % len(self.world.backend.rows)]["id"]
        mutation = hook(self.processes[process].request(self.ada))
        with self.interrupted_by(nested):
            result = mutation.mutate(body={"name": name}, params={"id": row_id})
        if isinstance(result.error, ApiNotFoundError):
            return  # something inside deleted it
        data: Any = result.unwrap()
        self.written[row_id] = max(self.written.get(row_id, 0), data["version"])

    @rule(process=st.integers(0, 1), row=st.integers(0, 5))
    def a_change_whose_answer_is_lost(self, process: int, row: int) -> None:
        """The backend has done it, and nobody knows."""
        if not self.world.backend.rows:
            return
        changed = self.world.backend.rows[row % len(self.world.backend.rows)]
        kept, self.world.backend.inside = self.world.backend.inside, failing(unavailable())
        mutation = self.mutations.use_update_client_mutation(self.processes[process].request(self.ada))
        assert mutation.mutate(body={"name": "lost"}, params={"id": changed["id"]}).error is not None
        self.world.backend.inside = kept
        self.written[changed["id"]] = changed["version"]

    @rule(process=st.integers(0, 1), row=st.integers(0, 5), nested=nested_actions)
    def delete(self, process: int, row: int, nested: list[Any]) -> None:
        if len(self.world.backend.rows) < 2:
            return
        row_id = self.world.backend.rows[row % len(self.world.backend.rows)]["id"]
        mutation = self.mutations.use_delete_client_mutation(self.processes[process].request(self.ada))
        with self.interrupted_by(nested):
            result = mutation.mutate(params={"id": row_id})
        if result.error is None:
            self.deleted.add(row_id)

    @precondition(lambda self: len(self.world.backend.rows) < 12)
    @rule(process=st.integers(0, 1), name=st.sampled_from(["a", "b"]), nested=nested_actions)
    def create(self, process: int, name: str, nested: list[Any]) -> None:
        mutation = self.mutations.use_create_client_mutation(self.processes[process].request(self.ada))
        with self.interrupted_by(nested):
            data: Any = mutation.mutate(body={"name": name, "email": "a@example.com"}).unwrap()
        self.created[data["id"]] = name
        self.written[data["id"]] = max(self.written.get(data["id"], 0), data["version"])

    @contextmanager
    def interrupted_by(self, actions: list[Any]) -> Iterator[None]:
        """Within the first request of the block, these actions run."""
        if not actions:
            yield
            return
        backend, left = self.world.backend, list(actions)
        kept = backend.before, backend.inside

        def run(when: str, _method: str, _path: str) -> None:
            mine = [action for action in left if action[3] == when]
            left[:] = [action for action in left if action[3] != when]
            hooks = backend.before, backend.inside
            backend.before = backend.inside = None
            try:
                for what, process, number, _ in mine:
                    self.run_nested(what, process, number)
            finally:
                backend.before, backend.inside = hooks

        backend.before, backend.inside = partial(run, "before"), partial(run, "inside")
        try:
            yield
        finally:
            backend.before, backend.inside = kept

    def run_nested(self, what: str, process: int, number: int) -> None:
        """Run one of these actions."""
        raise NotImplementedError
