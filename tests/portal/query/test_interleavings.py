"""A state machine that interleaves requests freely: each is a thread that waits at the backend.

Beside `query_machine`, where actions only happen inside one another, requests overlap here in any way: one may begin
while a second is under way and end after it, with a third in between. A request passes two gates in each of
its calls: before the backend looks at it, and before the answer leaves. What is fetched behind them passes them too.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from concurrent.futures import Future
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from portal.errors import ApiNotFoundError
from portal.query import QueryClient
from tests.portal.query.answering import Mutations, Queries
from tests.portal.query.fakes import NoSingleFlight
from tests.portal.query.query_machine import VersionedBackend, run_machine
from tests.portal.query.world import World
from tests.support.whole_runs import number_of

PATIENCE_S = 20
MOST_AT_ONCE = 4


class Underway(threading.Thread):
    """A request in a thread of its own, which goes on to its next gate when it is told to."""

    def __init__(self, work: Callable[[], Any], done: Callable[[Any], None]) -> None:
        super().__init__(daemon=True)
        self.work, self.done, self.outcome = work, done, Future[Any]()
        self.at_gate, self.may_go = threading.Semaphore(0), threading.Semaphore(0)

    def advance(self) -> None:
        if self.ident:
            self.may_go.release()
        else:
            self.start()
        assert self.at_gate.acquire(timeout=PATIENCE_S)
        if self.outcome.done():
            self.join(PATIENCE_S)
            self.done(self.outcome.result())

    def gate(self) -> None:
        """Called in the request's own thread."""
        self.at_gate.release()
        assert self.may_go.acquire(timeout=PATIENCE_S)

    def run(self) -> None:
        try:
            self.outcome.set_result(self.work())
        except BaseException as error:  # noqa: BLE001  raised again where it is waited for
            self.outcome.set_exception(error)
        self.at_gate.release()


class InterleavingMachine(RuleBasedStateMachine):
    """Requests of one user in two processes."""

    @initialize()
    def start(self) -> None:
        self.world = World(backend=VersionedBackend(), options={"random_below": Random(0).randrange})
        self.world.backend.rows = [{"id": f"c{n}", "name": f"a{n}", "version": 0} for n in range(3, 0, -1)]
        self.processes = [self.world.process(single_flight=NoSingleFlight()) for _ in range(2)]
        self.ada = self.world.backend.sign_in("ada")
        for process in self.processes:
            Queries.use_get_clients_query(process.request(self.ada))
        self.world.backend.before = self.world.backend.inside = self._gate
        self.written: dict[str, int] = {}
        self.deleted: set[str] = set()
        self.created: set[str] = set()
        self.underway: list[Underway] = []
        self.names = itertools.count()

    @precondition(lambda self: len(self.underway) < MOST_AT_ONCE)
    @rule(process=st.integers(0, 1), pages=st.sampled_from([1, 50]))
    def begin_read(self, process: int, pages: int) -> None:
        written, deleted, created = dict(self.written), set(self.deleted), set(self.created)

        def check(result: Any) -> None:
            shown = {row["id"]: row for row in result.data.items}
            for row_id, row in shown.items():
                assert row_id not in deleted, f"{row_id} was deleted"
                assert row["version"] >= written.get(row_id, 0), f"{row_id} is older than a completed write"
            if pages > 1:
                missing = created - self.deleted - {"c1"} - set(shown)
                assert not missing, f"{missing} were created and are not shown"

        self._begin(process, lambda client: Queries.use_get_clients_query(client, pages=pages), check)

    @precondition(lambda self: len(self.underway) < MOST_AT_ONCE)
    @rule(process=st.integers(0, 1), row=st.integers(0, 1))
    def begin_read_one(self, process: int, row: int) -> None:
        row_id = f"c{row + 1}"
        version, deleted = self.written.get(row_id, 0), row_id in self.deleted

        def check(result: Any) -> None:
            if isinstance(result.error, ApiNotFoundError):
                assert row_id == "c1", f"{row_id} is there, and is not shown"
                return
            assert not deleted, f"{row_id} was deleted"
            assert result.unwrap()["version"] >= version, f"{row_id} is older than a completed write"

        self._begin(process, lambda client: Queries.use_get_client_query(client, {"id": row_id}), check)

    @precondition(lambda self: len(self.underway) < MOST_AT_ONCE)
    @rule(process=st.integers(0, 1), row=st.integers(0, 1), touches=st.booleans())
    def begin_rename(self, process: int, row: int, touches: bool = False) -> None:
        """By a mutation that has helpers, or by one that only invalidates."""
        row_id = f"c{row + 1}"
        hook: Any = Mutations.use_touch_client_mutation if touches else Mutations.use_update_client_mutation

        def completed(result: Any) -> None:
            if not isinstance(result.error, ApiNotFoundError):
                self.written[row_id] = max(self.written.get(row_id, 0), result.unwrap()["version"])

        def rename(client: QueryClient) -> Any:
            return hook(client).mutate(body={"name": f"n{next(self.names)}"}, params={"id": row_id})

        self._begin(process, rename, completed)

    @precondition(lambda self: len(self.underway) < MOST_AT_ONCE and "c1" not in self.deleted)
    @rule(process=st.integers(0, 1))
    def begin_delete(self, process: int) -> None:
        def completed(result: Any) -> None:
            if result.error is None:
                self.deleted.add("c1")

        delete = Mutations.use_delete_client_mutation
        self._begin(process, lambda client: delete(client).mutate(params={"id": "c1"}), completed)

    @precondition(lambda self: len(self.underway) < MOST_AT_ONCE and len(self.world.backend.rows) < 7)
    @rule(process=st.integers(0, 1))
    def begin_create(self, process: int) -> None:
        def completed(result: Any) -> None:
            row = result.unwrap()
            self.created.add(row["id"])
            self.written[row["id"]] = max(self.written.get(row["id"], 0), row["version"])

        create = Mutations.use_create_client_mutation
        body: Any = {"name": "new", "email": "new@example.com"}
        self._begin(process, lambda client: create(client).mutate(body=body), completed)

    @precondition(lambda self: len(self.underway) < MOST_AT_ONCE and self.world.background.waiting)
    @rule(process=st.integers(0, 1))
    def begin_what_is_to_be_done_behind(self, process: int) -> None:
        self._begin(process, lambda _client: self.world.background.run(), lambda _result: None)

    @rule(seconds=st.sampled_from([200, 301]))
    def time_passes(self, seconds: int) -> None:
        self.world.clock.now += seconds

    @precondition(lambda self: self.underway)
    @rule(which=st.integers(0, MOST_AT_ONCE - 1))
    def one_goes_on(self, which: int) -> None:
        self._advance(self.underway[which % len(self.underway)])

    @rule(key=st.integers(0, 40))
    def a_key_is_evicted(self, key: int) -> None:
        names = sorted(self.world.store.values)
        if names:
            self.world.store.values.pop(names[key % len(names)], None)

    def teardown(self) -> None:
        for request in list(getattr(self, "underway", [])):
            while not request.outcome.done():
                request.advance()

    def _begin(self, process: int, run: Callable[[QueryClient], Any], done: Callable[[Any], None]) -> None:
        client = self.processes[process].request(self.ada)
        request = Underway(lambda: run(client), done)
        self.underway.append(request)
        self._advance(request)

    def _advance(self, request: Underway) -> None:
        try:
            request.advance()
        finally:
            if request.outcome.done():
                self.underway.remove(request)

    def _gate(self, _method: str, path: str) -> None:
        request = threading.current_thread()
        if isinstance(request, Underway) and path != "/me":
            request.gate()


def test_no_read_misses_a_completed_write_however_requests_overlap() -> None:
    run_machine(InterleavingMachine, examples=number_of(80), steps=40)
