"""A circuit breaker: while a server does not answer, one caller a second asks it, and all others fail at once.

While the circuit is closed, all callers may call. A slow call without an answer opens it, unless another call got an
answer meanwhile. While the circuit is open, callers are refused at once; after a second one of them may call (the
probe), one at a time. Any answer closes the circuit. The caller decides what counts as an answer, and which call is
slow. Each process has its own circuits.

A server may have a circuit for each of its endpoints, under its own: one endpoint that hangs is not a dead server. Then
silence opens the endpoint's circuit, and a server that can't be connected to opens its own, for all endpoints.

Why no library does this: `docs/adr/0011-circuit-breaker.md`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fork_safety import ForkSafeLock, reset_after_fork
from portal.telemetry.metrics import Counters, Gauges, Label

logger = logging.getLogger(__name__)

#: An open circuit refuses all callers for this long, then admits a probe; seconds.
OPEN_S: Final = 1.0

#: Addresses come from the configuration, and endpoints from declarations.
_MAX_CIRCUITS: Final = 200
_CIRCUIT: Final = Label(
    name="circuit",
    says="what is called, and its address: `backend https://api.example.com`, `store …`; with an endpoint, its own:"
    " `backend https://api.example.com energy.get_clients`",
)
_open_gauge: Final = Gauges(
    "portal_circuit_open",
    "How many workers do not call the server: their circuit is open.",
    labels=[_CIRCUIT],
    limit=_MAX_CIRCUITS,
)
_opened_counters: Final = Counters(
    "portal_circuit_opened_total", "How often the circuit has opened.", labels=[_CIRCUIT], limit=_MAX_CIRCUITS
)
_refused_counters: Final = Counters(
    "portal_circuit_refused_total", "Calls that an open circuit has refused.", labels=[_CIRCUIT], limit=_MAX_CIRCUITS
)


@dataclass(frozen=True, slots=True, eq=False)
class Admission:
    """The permission to call. The caller gives it back with the outcome of the call.

    :param began: moment of the permission, monotonic seconds.
    :param by_server: that of the server's circuit, for a call to one of its endpoints.
    """

    began: float
    by_server: Admission | None = None


class CircuitBreaker:
    """The circuit of one server, or of one of its endpoints. Safe for threads; in a child process it is closed.

    :param name: for logs and metrics, without secrets.
    :param server: for an endpoint, the server's circuit.
    :param clock: monotonic seconds.
    """

    def __init__(
        self, name: str, *, server: CircuitBreaker | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.name = name
        self._server = server
        self._clock = clock
        self._lock = ForkSafeLock()
        self._reset()
        reset_after_fork(self, CircuitBreaker._reset)
        # Listed with 0 before anything has happened.
        _open_gauge.set(0, name)
        for counters in (_opened_counters, _refused_counters):
            counters.add(0, name)

    def _reset(self) -> None:
        self._is_open: bool = False
        self._probe: Admission | None = None
        self._try_at: float = 0.0
        self._opened_at: float = 0.0
        self._answered_at: float = float("-inf")

    @property
    def is_open(self) -> bool:
        """Whether the circuit, or that of its server, refuses callers."""
        return self._is_open or (self._server is not None and self._server.is_open)

    def admit(self) -> Admission | None:
        """The permission to call, or None. Each call ends with `answered`, `failed`, `unreachable` or `withdraw`."""
        by_server = None if self._server is None else self._server.admit()
        if self._server is not None and by_server is None:
            return None
        admission = Admission(self._clock(), by_server)
        if self._is_open and not self._admits(admission):
            self.withdraw(admission)
            return None
        return admission

    def _admits(self, admission: Admission) -> bool:
        with self._lock:
            if self._is_open:
                if self._probe is not None or admission.began < self._try_at:
                    _refused_counters.count(self.name)
                    return False
                self._probe = admission
        return True

    def is_probe(self, admission: Admission) -> bool:
        """Whether this call is the probe of an open circuit."""
        by_server = admission.by_server
        of_server = self._server is not None and by_server is not None and self._server.is_probe(by_server)
        return of_server or self._probe is admission

    def connected(self) -> None:
        """Close the server's circuit: it can be connected to, whatever becomes of the call to its endpoint."""
        if self._server is not None:
            self._server.answered()

    def answered(self) -> None:
        """Close the circuit: the server has answered a call, with success or not."""
        self.connected()
        now = self._clock()
        self._answered_at = now
        if not self._is_open:
            return
        with self._lock:
            was_open = self._is_open
            self._is_open = False
            self._probe = None
        if was_open:
            _open_gauge.set(0, self.name)
            logger.info("circuit %s: closed, after %.1f s", self.name, now - self._opened_at)

    def failed(self, admission: Admission, *, slow_s: float, why: str) -> None:
        """Open the circuit if the call was slow and no other call got an answer meanwhile.

        :param slow_s: a call that took less does not open the circuit, seconds.
        :param why: the failure, for the log.
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
        _open_gauge.set(1, self.name)
        _opened_counters.count(self.name)
        logger.warning("circuit %s: open: %s after %.1f s", self.name, why, now - admission.began)

    def unreachable(self, admission: Admission, *, slow_s: float, why: str) -> None:
        """As `failed`, of the server's circuit: the call did not get as far as to the endpoint."""
        if self._server is None or admission.by_server is None:
            self.failed(admission, slow_s=slow_s, why=why)
        else:
            self._server.failed(admission.by_server, slow_s=slow_s, why=why)

    def withdraw(self, admission: Admission) -> None:
        """Ignore the call: its outcome says nothing about the server. Another caller may be the probe."""
        with self._lock:
            if self._probe is admission:
                self._probe = None
        if self._server is not None and admission.by_server is not None:
            self._server.withdraw(admission.by_server)


class Circuits:
    """The circuits of this process, by name. Safe for threads."""

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self._by_name: dict[str, CircuitBreaker] = {}

    def of(self, name: str, *, endpoint: str = "") -> CircuitBreaker:
        """The circuit of the server of that name, or of one of its endpoints; the first call makes it."""
        full_name = f"{name} {endpoint}" if endpoint else name
        if (known := self._by_name.get(full_name)) is not None:
            return known
        server = self.of(name) if endpoint else None
        with self._lock:
            return self._by_name.setdefault(full_name, CircuitBreaker(full_name, server=server))

    def clear(self) -> None:
        """Forget all circuits: the addresses have changed."""
        with self._lock:
            for name in self._by_name:
                _open_gauge.set(0, name)
            self._by_name = {}


#: The circuits of the stores, and those of the servers that are called over HTTP.
store_circuits: Final = Circuits()
call_circuits: Final = Circuits()
