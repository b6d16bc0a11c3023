"""The three results of a refresh, and that of a sign-out; what the audit log has of sign-ins that end by a refresh.

An outcome is offered to a store that fails, until the store takes it. Meanwhile the requests of this process get the
outcome. If nothing was submitted, they first wait for the store: for as long as its outage may be a failover. When
Redis's primary dies, Sentinels need some seconds to name another one, and a restarted Redis needs about as long. An
attempt that waits for it spares its user a 503. But a waiting attempt holds a thread of its server. So the seconds are
counted from the beginning of the outage, for all attempts of the process: once they have passed, none waits.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from fork_safety import ForkSafeLock, reset_after_fork
from portal.api.metrics import RefreshOutcome
from portal.api.refresh.sealing import log_name
from portal.api.tokens import TokenPair
from portal.config.limits import REFRESH_STORE_WAIT_S
from portal.errors import PortalError, StoreUnavailableError
from portal.process import Clock, Deadline, SharedCall
from portal.telemetry import audit
from portal.telemetry.metrics import Counters


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """Newer tokens for the holder of the submitted one."""

    pair: TokenPair = field(repr=False)
    outcome: RefreshOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInEnded:
    """The sign-in is over. With `LOST`, because nobody can tell what became of its latest token.

    :param sign_in: its name in the audit log.
    :param since: since when the store has known it, in seconds since the epoch; None if this attempt found it out.
    """

    outcome: RefreshOutcome
    sign_in: str = field(compare=False)
    since: float | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLater:
    """Nothing is known now; another try may help, and nobody is signed out.

    :param cause: why, for the log.
    """

    outcome: RefreshOutcome
    cause: PortalError | None = field(default=None, compare=False)


RefreshResult: TypeAlias = Refreshed | SignInEnded | RetryLater


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedOut:
    """A sign-in was signed out.

    :param pairs: its known pairs: the request's own first, the latest last.
    :param sign_in: its name in the audit log; None if it has no refresh token, or the store did not answer.
    :param is_marked: whether the store knows it: if not, the backend's own revocation remains.
    """

    pairs: list[TokenPair] = field(repr=False)
    sign_in: str | None
    is_marked: bool


def audit_refusal(sign_in: str, *, says: str, reason: audit.Reason = audit.Reason.TOKEN_REFUSED) -> None:
    """The token endpoint has refused a token of this sign-in. Later requests learn it from the records, silently.

    :param sign_in: its name in the audit log.
    :param says: what the answer was, in words of the portal.
    """
    audit.write(audit.AuditEvent.REFRESH, reason, detail=says, sign_in=sign_in)


def audit_end(result: RefreshResult) -> None:
    """An attempt has ended so. A token that is used again is told each time; so is a lost one."""
    if not isinstance(result, SignInEnded):
        return
    if result.outcome is RefreshOutcome.REPLAY_SEEN:
        audit.write(audit.AuditEvent.REFRESH, audit.Reason.TOKEN_REUSED, sign_in=result.sign_in)
    elif result.outcome is RefreshOutcome.LOST:
        audit.write(audit.AuditEvent.REFRESH, audit.Reason.ANSWER_LOST, sign_in=result.sign_in)


logger = logging.getLogger("portal.api.refresh.saver")

#: How long an outcome is offered to a store that fails, and the pause between two offers, seconds.
SAVE_FOR_S: Final = 600.0
SAVE_PAUSE_S: Final = 0.25


class StoreOutage:
    """Since when the store has failed this process's attempts. Safe for threads."""

    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._lock = ForkSafeLock()
        self._reset()
        reset_after_fork(self, StoreOutage._reset)

    def _reset(self) -> None:
        self._began: float | None = None
        self._seen: float = 0.0

    def may_pass(self) -> bool:
        """Note a failure of the store; whether to wait for its end.

        A failure long after the last one begins another outage: meanwhile nobody has asked.
        """
        now = self._clock.monotonic()
        with self._lock:
            if self._began is None or now - self._seen > REFRESH_STORE_WAIT_S:
                self._began = now
            self._seen = now
            return now - self._began < REFRESH_STORE_WAIT_S

    def over(self) -> None:
        """Note that the store has taken a write."""
        self._began = None


@dataclass(slots=True)
class OutcomeSaver:
    """See the module. One for each attempt."""

    shared_call: SharedCall[RefreshResult]
    outage: StoreOutage
    clock: Clock
    counters: Counters

    def save(self, token: str, save: Callable[[], RefreshResult], result: RefreshResult) -> RefreshResult | None:
        """Call `save` until the store takes it; gives what it gives.

        :returns: None if nothing was submitted (`result` says so), and the store came back in time for another try.
        """
        waits = result.outcome is RefreshOutcome.STORE_DOWN and self.outage.may_pass()
        time_left = Deadline(SAVE_FOR_S, clock=self.clock.monotonic)
        while True:
            try:
                saved = save()
            except StoreUnavailableError as error:
                waits = waits and self.outage.may_pass()
                if not waits:
                    level, name = logging.DEBUG if self.shared_call.done else logging.WARNING, log_name(token)
                    logger.log(level, "refresh %s: %s, not saved yet: %s", name, result.outcome.value, error)
                    self.publish(result, keep_joinable=True)
            else:
                return None if waits else saved
            if time_left.passed:
                logger.error("refresh %s: the store never took the outcome", log_name(token))
                return result
            self.clock.sleep(SAVE_PAUSE_S)

    def publish(self, result: RefreshResult, *, keep_joinable: bool = False) -> None:
        """Give the result to the waiting requests while the attempt goes on. Only the first result counts."""
        if not self.shared_call.done:
            self.shared_call.set_result(result, keep_joinable=keep_joinable)
            self.counters.count(result.outcome)
