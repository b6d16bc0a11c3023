"""A circuit breaker: what does not answer is asked by one caller a second, and by nobody else.

Closed, everybody may call. A call that took long and came to nothing opens the circuit, unless another call had an
answer meanwhile: one slow endpoint is not a dead backend. Open, callers are refused at once; after a second one of
them may try, and only one at a time. Any answer closes the circuit. What an answer is, and how long is long, says
whoever calls. Each process has circuits of its own.

Why no library does this: `docs/adr/0011-circuit-breaker.md`.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from fork_safety import ForkSafeLock, reset_after_fork

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

#: How long an open circuit refuses everybody before one caller may try, seconds.
OPEN_S: Final = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """Leave to call, to be given back with what came of the call."""

    began: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CircuitState:
    """One circuit at one moment.

    :param opened: how often it has opened in this process.
    :param refused: how many callers it has refused.
    """

    name: str
    is_open: bool
    opened: int
    refused: int


class CircuitBreaker:
    """The circuit to one server. Safe for threads; a child process begins with a closed one.

    :param name: for logs and metrics; no secret is in it.
    :param clock: monotonic seconds.
    """

    def __init__(self, name: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = name
        self._clock = clock
        self._lock = ForkSafeLock()
        self._begin_anew()
        reset_after_fork(self, CircuitBreaker._begin_anew)

    def _begin_anew(self) -> None:
        self._is_open: bool = False
        self._probe: Admission | None = None
        self._try_at: float = 0.0
        self._opened_at: float = 0.0
        self._answered_at: float = float("-inf")
        self._opened: int = 0
        self._refused: int = 0

    @property
    def is_open(self) -> bool:
        """Whether callers are refused."""
        return self._is_open

    def admit(self) -> Admission | None:
        """Leave to call, or None. It has to come back through `answered`, `failed` or `withdraw`."""
        admission = Admission(self._clock())
        if not self._is_open:
            return admission
        with self._lock:
            if self._is_open:
                if self._probe is not None or admission.began < self._try_at:
                    self._refused += 1
                    return None
                self._probe = admission
        return admission

    def is_probe(self, admission: Admission) -> bool:
        """Whether this call finds out, alone, if there are answers again."""
        return self._probe is admission

    def answered(self) -> None:
        """There was an answer, of whatever kind, to whichever call."""
        now = self._clock()
        self._answered_at = now
        if not self._is_open:
            return
        with self._lock:
            was_open = self._is_open
            self._is_open = False
            self._probe = None
        if was_open:
            logger.info("circuit %s: closed, after %.1f s", self.name, now - self._opened_at)

    def failed(self, admission: Admission, *, slow_s: float, why: str) -> None:
        """There was no answer.

        :param slow_s: what took less opens nothing, seconds.
        :param why: for the log.
        """
        now = self._clock()
        with self._lock:
            if self._is_open:
                if self._probe is admission:
                    self._probe = None
                    self._try_at = now + OPEN_S
                return
            if now - admission.began < slow_s or self._answered_at >= admission.began:
                return
            self._is_open = True
            self._opened_at = now
            self._try_at = now + OPEN_S
            self._opened += 1
        logger.warning("circuit %s: open: %s after %.1f s", self.name, why, now - admission.began)

    def withdraw(self, admission: Admission) -> None:
        """The call says nothing about the other side; another one may try in its place."""
        with self._lock:
            if self._probe is admission:
                self._probe = None

    def state(self) -> CircuitState:
        """What it is now."""
        with self._lock:
            return CircuitState(name=self.name, is_open=self._is_open, opened=self._opened, refused=self._refused)


class Circuits:
    """The circuits of this process, by name. Safe for threads."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._by_name: dict[str, CircuitBreaker] = {}

    def of(self, name: str) -> CircuitBreaker:
        """The one of that name, made when first asked for."""
        with self._lock:
            breaker = self._by_name.get(name)
            if breaker is None:
                breaker = self._by_name[name] = CircuitBreaker(name)
            return breaker

    def states(self) -> list[CircuitState]:
        """All of them, by name."""
        with self._lock:
            breakers = sorted(self._by_name.items())
        return [breaker.state() for _, breaker in breakers]

    def forget(self) -> None:
        """Begin with none: what the names stand for has changed."""
        with self._lock:
            self._by_name = {}


#: To whom the portal speaks: the store, and what is called over HTTP.
store_circuits: Final = Circuits()
call_circuits: Final = Circuits()
