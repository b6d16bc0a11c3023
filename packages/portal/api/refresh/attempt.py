"""One token's way to a newer pair, flown in a thread of its own and finished whoever still waits.

It asks the ledger for the sign-in's newest pair. Where that has expired as well, it competes with the other processes
for the right to present its refresh token; the winner presents it and leaves the new pair for all. What is known is
read again after every wait, and once more inside the lock.

An outcome that is unknown (a timeout, a lost answer, a worker's death) is one state, whatever its cause: the
presentation has begun, and nobody has said what came of it. Where the exchange may be repeated, the token is presented
again, spaced, until there is an answer; else, and once the time for that is over, never again.
"""

from __future__ import annotations

import logging
import random
import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from portal.api.expiry import sign_in_lifetime
from portal.api.metrics import Counters, Outcome
from portal.api.refresh.sealing import record_name
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokensIssued
from portal.api.refresh.token_family import grow
from portal.api.refresh.token_records import Begun, Verdict
from portal.config.limits import (
    HANDOVER_AFTER_USE_S,
    REFRESH_DEADLINE_S,
    REFRESH_FAILED_MEMORY_S,
    REFRESH_LOCK_S,
    REFRESH_REPEAT_PAUSE_S,
    REFRESH_UNREACHABLE_MEMORY_S,
    REFRESH_WAIT_S,
    SIGN_OUT_DEADLINE_S,
    STORE_TIMEOUT_S,
)
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.process import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.refresh.token_endpoint import TokenEndpoint
    from portal.api.refresh.token_records import Entry, TokenRecords
    from portal.api.tokens import TokenPair
    from portal.errors import PortalError
    from portal.process import Clock, Flight

logger = logging.getLogger(__name__)

#: Between two looks at a refresh that another process is making, seconds: doubles from the first to the last.
FIRST_LOOK_S: Final = 0.02
LAST_LOOK_S: Final = 0.2
#: A lock that took longer than this to come is given back unused: it might end before the call does, seconds.
LATEST_START_S: Final = 3.0
#: How long what the store would not take is offered to it again, and how often, seconds.
PATIENCE_S: Final = 600.0
OFFER_PAUSE_S: Final = 0.25
#: Who finds a presentation without an outcome waits for it once more, seconds: longer than one offer takes.
SETTLE_S: Final = OFFER_PAUSE_S + STORE_TIMEOUT_S + 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Refreshed:
    """Newer tokens for whoever holds the presented one."""

    pair: TokenPair = field(repr=False)
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInEnded:
    """The sign-in is over; with `LOST`, since nobody can say what became of its newest token."""

    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLater:
    """Nothing can be said now; another try may help, and nobody is signed out.

    :param cause: why, for the log.
    """

    outcome: Outcome
    cause: PortalError | None = field(default=None, compare=False)


Result: TypeAlias = Refreshed | SignInEnded | RetryLater


@dataclass(slots=True, kw_only=True)
class RefreshAttempt:
    """The work of one flight.

    :param presented: the refresh token that a request's cookies brought.
    :param refused: the access token that the backend refused though it had not expired; it is no help.
    :param max_age_s: lifetime of a sign-in whose refresh token names none.
    """

    presented: str = field(repr=False)
    refused: str | None = field(repr=False)
    request_id: str | None
    exchange: TokenEndpoint
    ledger: TokenRecords
    clock: Clock
    counters: Counters
    max_age_s: int
    _published: bool = field(default=False, init=False)

    def run(self, flight: Flight[Result]) -> Result:
        """Newer tokens, or the reason why there are none. `flight` gets it early where more is to be done after it."""
        result = self._get_result(flight)
        if not self._published:
            self.counters.count(result.outcome)
        return result

    def _get_result(self, flight: Flight[Result]) -> Result:
        waited = False
        pause = FIRST_LOOK_S
        patience = Deadline(REFRESH_WAIT_S, clock=self.clock.monotonic)
        try:
            while True:
                entry = self.ledger.look(self.presented)
                result = self._known(entry, waited=waited) or self._compete(flight, entry.secret)
                if result is None and patience.passed:
                    result = RetryLater(outcome=Outcome.BUSY)
                if result is not None:
                    return result
                waited = True
                self.clock.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311  spreads processes, guards nothing
                pause = min(pause * 2, LAST_LOOK_S)
        except StoreUnavailableError as error:
            logger.warning("refresh %s: not tried: %s", record_name(self.presented)[:8], error)
            return RetryLater(outcome=Outcome.STORE_DOWN, cause=error)

    # --- what is known ---

    def _known(self, entry: Entry, *, waited: bool = False) -> Result | None:
        """What can be said without asking the backend; None where it must be asked."""
        now, family = self.clock.now(), entry.family
        if entry.signed_out:
            return SignInEnded(outcome=Outcome.SIGNED_OUT)
        if family is not None and family.has_replaced(self.presented, now=now):
            logger.warning("refresh %s: replaced long ago and presented again", record_name(self.presented)[:8])
            return SignInEnded(outcome=Outcome.REPLAY_SEEN)
        if entry.verdict is Verdict.FAILED:
            return SignInEnded(outcome=Outcome.REJECTED)
        if family is not None and family.pair.access != self.refused and family.is_fresh(now=now):
            return Refreshed(pair=family.pair, outcome=Outcome.JOINED if waited else Outcome.HANDED_OVER)
        if entry.begun is not None and entry.begun.at is None and not self._may_repeat(entry.begun):
            return SignInEnded(outcome=Outcome.LOST)
        return None if entry.verdict is None else RetryLater(outcome=Outcome.UNREACHABLE)

    def _may_repeat(self, begun: Begun) -> bool:
        """Whether another presentation would still get the answer to the first one."""
        since = abs(self.clock.now() - begun.first)  # by clocks of two machines, perhaps
        return since < self.exchange.repeatable_s - REFRESH_DEADLINE_S

    # --- the call ---

    def _compete(self, flight: Flight[Result], secret: str) -> Result | None:
        """Present the newest token to the backend; None where somebody else is doing so, or has just done it."""
        asked_at, owner = self.clock.monotonic(), secrets.token_hex(8)
        try:
            if not self.ledger.lock(secret, owner=owner):
                return None
            entry = self._to_be_presented()
        except StoreUnavailableError as error:
            logger.warning("refresh %s: not tried: %s", record_name(self.presented)[:8], error)
            return self._leave(flight, secret, owner, RetryLater(outcome=Outcome.STORE_DOWN, cause=error))
        if entry is None or self.clock.monotonic() - asked_at > LATEST_START_S:
            self._give_back(secret, owner)
            return None
        return self._present(flight, entry, owner)

    def _leave(self, flight: Flight[Result], secret: str, owner: str, result: RetryLater) -> Result:
        """Give back a lock that is, or may be, this one's: let nobody wait for it to expire."""

        def give_back() -> Result:
            self.ledger.unlock(secret, owner=owner)
            return result

        return self._insist(flight, self.presented, give_back, result)

    def _to_be_presented(self) -> Entry | None:
        """The entry, where inside the lock, too, nothing can be said and nobody is at it."""
        entry = self.ledger.look(self.presented)
        if self._known(entry) is not None:
            return None
        if entry.begun is not None and entry.begun.at is not None:
            if 0 <= self.clock.monotonic() - entry.begun.at < REFRESH_LOCK_S:
                return None  # the other's lock ended before its time (the wall clock was set): it may still be at it
            # It died, or could not reach the store. Then it offers the outcome as soon as the store is back.
            self.clock.sleep(SETTLE_S)
            entry = self.ledger.look(self.presented)
            if self._known(entry) is not None:
                return None
        return entry

    def _present(self, flight: Flight[Result], entry: Entry, owner: str) -> Result:
        """Present the newest token, or say that nobody ever will; then give the lock back."""
        secret, head, earlier = entry.secret, entry.head, entry.begun
        begun = Begun(first=self.clock.now(), at=self.clock.monotonic(), tries=1)
        if earlier is not None:
            begun = replace(begun, first=earlier.first, tries=earlier.tries + 1)
            if not self._may_repeat(earlier):  # whoever began it has died
                return self._note(flight, entry, owner, replace(earlier, at=None), SignInEnded(outcome=Outcome.LOST))
        try:
            self.ledger.begin(secret, owner=owner, head=head, begun=begun)
            deadline = Deadline(REFRESH_DEADLINE_S, clock=self.clock.monotonic)
            answer = self.exchange.exchange(refresh=head, deadline=deadline, request_id=self.request_id)
        except StoreUnavailableError as error:
            # Nothing was sent, so there is no doubt but the one that there was before. The note may stand all the same.
            logger.warning("refresh %s: not tried: %s", record_name(head)[:8], error)
            before = None if earlier is None else replace(earlier, at=None)
            return self._note(flight, entry, owner, before, RetryLater(outcome=Outcome.STORE_DOWN, cause=error))
        if isinstance(answer, TokensIssued):
            return self._grant(flight, entry, owner, answer.pair)
        return self._deny(flight, entry, owner, begun, answer)

    def _grant(self, flight: Flight[Result], entry: Entry, owner: str, pair: TokenPair) -> Result:
        """Hand the new pair over; it is the result, unless the sign-in was signed out meanwhile."""
        secret, renewed = entry.secret, Refreshed(pair=pair, outcome=Outcome.REFRESHED)

        def hand_over() -> Result:
            if not self.ledger.holds_lock(secret, owner=owner):
                # This took longer than the lock: whoever had it next may have got further, and must not be undone.
                now = self.ledger.look(self.presented)
                if now.family is not None and now.head != entry.head:
                    return Refreshed(pair=now.family.pair, outcome=Outcome.HANDED_OVER)
            family, forgotten = grow(
                entry.family, head=entry.head, presented=self.presented, pair=pair, now=self.clock.now()
            )
            held = {self.presented, entry.head}
            self.ledger.hand_over(secret, family, held=held, lifetime_s=self._lifetime(pair))
            # Asked after the record is written: a sign-out that came before is seen here, and one that comes
            # later finds the record.
            buried = self.ledger.is_buried(secret)
            if buried:
                self.ledger.drop(secret, forgotten=family.spent(now=self.clock.now()))
            self.ledger.settle(secret, owner=owner, forgotten=forgotten)
            return SignInEnded(outcome=Outcome.SIGNED_OUT) if buried else renewed

        result = self._insist(flight, entry.head, hand_over, renewed)
        if not isinstance(result, SignInEnded):
            logger.info("refresh %s: refreshed", record_name(entry.head)[:8])
            return result
        self._publish(flight, result)
        if pair.refresh is not None:
            deadline = Deadline(SIGN_OUT_DEADLINE_S, clock=self.clock.monotonic)
            self.exchange.revoke(
                refresh=pair.refresh, bearer=pair.access, deadline=deadline, request_id=self.request_id
            )
        return result

    def _deny(
        self, flight: Flight[Result], entry: Entry, owner: str, begun: Begun, answer: InvalidGrant | NoResponse
    ) -> Result:
        """Remember why there are no tokens, and say why."""
        name = record_name(entry.head)[:8]
        if isinstance(answer, InvalidGrant):
            logger.warning("refresh %s: refused: %s", name, answer.reason)
            return self._note(flight, entry, owner, None, SignInEnded(outcome=Outcome.REJECTED))
        unknown = replace(begun, at=None)
        later = RetryLater(outcome=Outcome.UNREACHABLE, cause=ApiUnavailableError(f"the refresh: {answer.reason}"))
        if not answer.lost:
            logger.warning("refresh %s: no usable answer: %s", name, answer.reason)
            # It says that this try did nothing, and nothing of one before it.
            return self._note(flight, entry, owner, None if begun.tries == 1 else unknown, later)
        if self._may_repeat(unknown):
            logger.warning("refresh %s: the answer was lost, to be presented again: %s", name, answer.reason)
            return self._note(flight, entry, owner, unknown, later)
        logger.error("refresh %s: the answer was lost, not to be presented again: %s", name, answer.reason)
        return self._note(flight, entry, owner, unknown, SignInEnded(outcome=Outcome.LOST))

    def _note(
        self, flight: Flight[Result], entry: Entry, owner: str, unknown: Begun | None, result: SignInEnded | RetryLater
    ) -> Result:
        """Write down what came of a presentation, and give the lock back.

        :param unknown: the presentations whose outcome is still unknown; None where there are none.
        """
        secret, head = entry.secret, entry.head

        def note() -> Result:
            if unknown is not None:
                self.ledger.begin(secret, owner=owner, head=head, begun=unknown)
            if result.outcome is Outcome.REJECTED:
                self.ledger.remember(secret, head=head, verdict=Verdict.FAILED, lifetime_s=REFRESH_FAILED_MEMORY_S)
            elif result.outcome is Outcome.UNREACHABLE:
                pause = min(unknown.tries, REFRESH_REPEAT_PAUSE_S) if unknown else REFRESH_UNREACHABLE_MEMORY_S
                self.ledger.remember(secret, head=head, verdict=Verdict.LATER, lifetime_s=pause)
            if unknown is None:
                self.ledger.settle(secret, owner=owner)
            else:
                self.ledger.unlock(secret, owner=owner)
            return result

        return self._insist(flight, head, note, result)

    def _insist(self, flight: Flight[Result], head: str, write: Callable[[], Result], result: Result) -> Result:
        """Write what must not be forgotten: offer it to the store until it takes it, or patience ends.

        Meanwhile all of this process have the `result`.
        """
        patience = Deadline(PATIENCE_S, clock=self.clock.monotonic)
        name = record_name(head)[:8]
        while True:
            try:
                return write()
            except StoreUnavailableError as error:
                logger.log(
                    logging.DEBUG if self._published else logging.WARNING,
                    "refresh %s: %s, not noted yet: %s",
                    name,
                    result.outcome.value,
                    error,
                )
                self._publish(flight, result, keep_joinable=True)
            if patience.passed:
                logger.error("refresh %s: the store never took what came of it", name)
                return result
            self.clock.sleep(OFFER_PAUSE_S)

    def _give_back(self, secret: str, owner: str) -> None:
        try:
            self.ledger.unlock(secret, owner=owner)
        except StoreUnavailableError:
            logger.debug("refresh %s: the lock is left to expire", record_name(self.presented)[:8])

    def _publish(self, flight: Flight[Result], result: Result, *, keep_joinable: bool = False) -> None:
        if not self._published:
            self._published = True
            flight.set_result(result, keep_joinable=keep_joinable)
            self.counters.count(result.outcome)

    def _lifetime(self, pair: TokenPair) -> int:
        # Also where the new token is over by this machine's clock: the one it replaced is spent all the same.
        lifetime = sign_in_lifetime(pair.refresh, now=self.clock.now(), default_s=self.max_age_s)
        return max(HANDOVER_AFTER_USE_S, lifetime)
