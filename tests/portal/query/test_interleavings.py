"""The state machine of `query_machine`, with requests that overlap freely: each is a thread that waits at the backend.

Actions happen inside one another there. Here one request may also begin while a second is under way and end after it,
with a third in between. A request passes two gates in each of its calls: before the backend looks at it, and before the
answer leaves. What is fetched behind them passes them too.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from portal.config.limits import MAX_PAGES
from tests.portal.query.query_machine import WithoutSingleFlight, run_machine
from tests.support.whole_runs import number_of

PATIENCE_S = 20
MOST_AT_ONCE = 4
ACTIONS = [
    *("read", "read all", "read one", "rename", "touch", "delete", "create"),
    *("revalidate", "evict", "tick", "others change", "others delete"),
]


class Underway(threading.Thread):
    """A request in a thread of its own, which goes on to its next gate when it is told to."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work, self.outcome = work, Future[Any]()
        self.at_gate, self.may_go = threading.Semaphore(0), threading.Semaphore(0)

    def advance(self) -> None:
        if self.ident:
            self.may_go.release()
        else:
            self.start()
        assert self.at_gate.acquire(timeout=PATIENCE_S)
        if self.outcome.done():
            self.join(PATIENCE_S)
            self.outcome.result()

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
    """Actions of the model that begin, and go on later."""

    @initialize()
    def start(self) -> None:
        self.model = WithoutSingleFlight()
        self.model.start()
        self.model.totals_follow = False
        for process in range(2):
            self.model.run_nested("read", process, 0)
        self.model.world.backend.before = self.model.world.backend.inside = self._gate
        self.underway: list[Underway] = []

    @precondition(lambda self: len(self.underway) < MOST_AT_ONCE)
    @rule(what=st.sampled_from(ACTIONS), process=st.integers(0, 1), number=st.integers(0, 5))
    def one_begins(self, what: str, process: int, number: int) -> None:
        if what == "read all":
            request = Underway(lambda: self.model.read(process, number % 2, MAX_PAGES, []))
        else:
            request = Underway(lambda: self.model.run_nested(what, process, number))
        self.underway.append(request)
        self._advance(request)

    @precondition(lambda self: self.underway)
    @rule(which=st.integers(0, MOST_AT_ONCE - 1))
    def one_goes_on(self, which: int) -> None:
        self._advance(self.underway[which % len(self.underway)])

    def teardown(self) -> None:
        for request in list(getattr(self, "underway", [])):
            while not request.outcome.done():
                request.advance()

    def _advance(self, request: Underway) -> None:
        try:
            request.advance()
        finally:
            if request.outcome.done():
                self.underway.remove(request)

    def _gate(self, _method: str, _path: str) -> None:
        request = threading.current_thread()
        if isinstance(request, Underway):
            request.gate()


def test_overlapping_requests_miss_no_completed_write() -> None:
    run_machine(InterleavingMachine, examples=number_of(80), steps=40)
