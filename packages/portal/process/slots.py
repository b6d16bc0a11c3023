"""A request runs in a slot, and releases it while it waits for a server: meanwhile another request runs in it.

A server of ours bounds the requests that run at the same time: more would take Python's lock from each other. It runs
each in a slot (:meth:`Slots.hold`). Code that waits says so, and for which endpoint (:func:`waits_for`). A bounded
number may wait for one endpoint, so one that hangs does not take every request of the process with it. A thread
without a slot, such as one of a pool, or under another server, just waits.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final

from portal.errors import CircuitOpenError
from portal.telemetry.metrics import Gauges

_waiting_gauge: Final = Gauges("portal_requests_waiting", "Requests that wait until another one is answered.")


class _Thread(threading.local):
    #: The slots of which this thread holds one.
    slots: Slots | None = None


_thread = _Thread()


@contextmanager
def one_of(places: threading.Semaphore) -> Iterator[None]:
    """Hold one of a bounded number of places in a block.

    :raises CircuitOpenError: none is free.
    """
    if not places.acquire(blocking=False):
        raise CircuitOpenError(was_sent=False)
    try:
        yield
    finally:
        places.release()


class Slots:
    """The slots of one process.

    :param count: how many requests run at the same time.
    :param per_endpoint: how many may wait for one endpoint.
    """

    def __init__(self, count: int, *, per_endpoint: int) -> None:
        self._free = threading.BoundedSemaphore(count)
        self._per_endpoint = per_endpoint
        self._endpoints: dict[str, threading.Semaphore] = {}

    @contextmanager
    def hold(self, *, wait_s: float) -> Iterator[None]:
        """Run a block in a slot.

        :raises CircuitOpenError: none was free in that time.
        """
        if not self._take(wait_s):
            raise CircuitOpenError(was_sent=False)
        try:
            _thread.slots = self
            yield
        finally:
            _thread.slots = None
            self._free.release()

    @contextmanager
    def release(self, endpoint: str) -> Iterator[None]:
        """Run a block, which waits for an endpoint, outside of this thread's slot.

        :raises CircuitOpenError: too many wait for this endpoint already.
        """
        with one_of(self._endpoints.setdefault(endpoint, threading.BoundedSemaphore(self._per_endpoint))):
            # The block may itself wait for something: the slot is released already.
            _thread.slots = None
            self._free.release()
            try:
                yield
            finally:
                self._take(None)
                _thread.slots = self

    def _take(self, wait_s: float | None) -> bool:
        if self._free.acquire(blocking=False):
            return True
        _waiting_gauge.change(1)
        taken = self._free.acquire(timeout=wait_s)
        _waiting_gauge.change(-1)
        return taken


def waits_for(endpoint: str) -> AbstractContextManager[None]:
    """Return a context in which this thread waits for an answer of an endpoint of the backend.

    :raises CircuitOpenError: when it is entered: too many requests of this process wait for it already.
    """
    return nullcontext() if _thread.slots is None else _thread.slots.release(endpoint)
