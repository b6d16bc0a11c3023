"""While a request waits for a server, another request may run in its place.

A server of ours bounds how many requests run at the same time, and gives the thread of each its place
(:func:`set_place`). What waits says so (:func:`waits_for`), and for which endpoint: so one endpoint that hangs holds a
part of the requests that the process takes in, and not all of its threads. A thread without a place, such as one of a
pool, or under another server, just waits.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from portal.errors import CircuitOpenError

if TYPE_CHECKING:
    from collections.abc import Iterator


class Place(Protocol):
    """The place of one request that runs."""

    def leave(self, endpoint: str) -> float | None:
        """Let another request run, and give the moment; None, and no more, where too many wait for this endpoint."""
        ...

    def take_again(self, endpoint: str, left_at: float) -> None:
        """Run on, as soon as there is a place.

        :param left_at: from :meth:`leave`.
        """


class _Thread(threading.local):
    place: Place | None = None


_thread = _Thread()


def set_place(place: Place | None) -> None:
    """Give this thread the place of the request that it runs; None after it."""
    _thread.place = place


@contextmanager
def waits_for(endpoint: str) -> Iterator[None]:
    """A block in which this thread waits for an answer of an endpoint of the backend.

    :raises CircuitOpenError: too many requests of this process wait for it already.
    """
    place = _thread.place
    if place is None:
        yield
        return
    left_at = place.leave(endpoint)
    if left_at is None:
        raise CircuitOpenError(was_sent=False)
    # What waits within the block has left the place already.
    _thread.place = None
    try:
        yield
    finally:
        _thread.place = place
        place.take_again(endpoint, left_at)
