"""One token's way to a newer pair, flown in a thread of its own and finished whoever still waits.

It follows the hand-over records to the newest pair. Where that has expired as well, it competes with the other
processes for the right to present its refresh token; the winner presents it once and leaves the new pair for
all. What is known is read again after every wait, and once more inside the lock.
"""

from __future__ import annotations

import logging
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from portal.api.counters import Counters, Outcome
from portal.api.deadline import Deadline
from portal.api.exchange import Granted, Refused, Unanswered
from portal.api.expiry import expires_at, is_expired, sign_in_lifetime
from portal.api.handover import record_name
from portal.api.ledger import Verdict
from portal.config.limits import (
    HANDOVER_AFTER_USE_S,
    REFRESH_DEADLINE_S,
    REFRESH_LOCK_S,
    REFRESH_WAIT_S,
    SIGN_OUT_DEADLINE_S,
    STORE_TIMEOUT_S,
)
from portal.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.clock import Clock
    from portal.api.exchange import RefreshExchange
    from portal.api.flights import Flight
    from portal.api.ledger import Entry, Ledger
    from portal.api.tokens import TokenPair

logger = logging.getLogger(__name__)

#: Between two looks at a refresh that another process is making, seconds: doubles from the first to the last.
FIRST_LOOK_S: Final = 0.02
LAST_LOOK_S: Final = 0.2
#: A lock that took longer than this to come is given back unused: it might end before the call does, seconds.
LATEST_START_S: Final = 3.0
#: A lock is given back by its holder only while it can't have expired and be somebody else's, seconds.
LATEST_UNLOCK_S: Final = REFRESH_LOCK_S - 2.0
#: Records between a presented token and the newest pair from which on the way is shortened.
LONG_WAY: Final = 4
#: How long what the store would not take is offered to it again, and how often, seconds.
PATIENCE_S: Final = 600.0
OFFER_PAUSE_S: Final = 0.25
#: Who finds a presentation without an outcome waits for it once more, seconds: longer than one offer takes.
SETTLE_S: Final = OFFER_PAUSE_S + STORE_TIMEOUT_S + 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewed:
    """Newer tokens for whoever holds the presented one."""

    pair: TokenPair = field(repr=False)
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The sign-in is over."""

    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """Nothing can be said now; another try may help, and nobody is signed out."""

    outcome: Outcome


Result: TypeAlias = Renewed | Ended | Later


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewal:
    """The work of one flight.

    :param presented: the refresh token that a request holds.
    :param from_browser: whether it came in that request's cookies: the browser has it, so the records that led
        to it have done their work.
    :param refused: the access token that the backend refused though it had not expired; it is no help.
    :param max_age_s: lifetime of a sign-in whose refresh token names none.
    """

    presented: str = field(repr=False)
    from_browser: bool
    refused: str | None = field(repr=False)
    request_id: str | None
    exchange: RefreshExchange
    ledger: Ledger
    clock: Clock
    counters: Counters
    max_age_s: int

    def fly(self, flight: Flight[Result]) -> None:
        """Land with newer tokens, or with the reason why there are none."""
        waited = False
        pause = FIRST_LOOK_S
        patience = Deadline(REFRESH_WAIT_S, clock=self.clock.monotonic)
        try:
            if self.from_browser:
                self.ledger.confirm(self.presented)
            while True:
                head, pair, entry = self._follow()
                result = self._known(head, pair, entry, waited=waited) or self._present(flight, head)
                if result is None and patience.passed:
                    result = Later(outcome=Outcome.BUSY)
                if result is not None:
                    self._land(flight, result)
                    return
                waited = True
                self.clock.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311  spreads processes, guards nothing
                pause = min(pause * 2, LAST_LOOK_S)
        except StoreUnavailableError as error:
            logger.warning("refresh %s: not tried: %s", record_name(self.presented)[:8], error)
            self._land(flight, Later(outcome=Outcome.STORE_DOWN))

    # --- what is known ---

    def _follow(self) -> tuple[str, TokenPair | None, Entry]:
        """Along the records to the newest refresh token: it, the pair that it came in, and its entry."""
        head, pair = self.presented, None
        first = entry = self.ledger.look(head)
        seen = {head}
        while entry.successor is not None and not entry.signed_out:
            pair = entry.successor
            if pair.refresh is None or pair.refresh in seen:  # a backend that does not rotate, or not always
                break
            head = pair.refresh
            seen.add(head)
            entry = self.ledger.look(head)
        if pair is not None and len(seen) > LONG_WAY and not (first.spent or entry.signed_out):
            # A browser that keeps no cookies comes this way each time, and it grows by one with each rotation.
            self.ledger.shorten(spent=self.presented, pair=pair, lifetime_s=self._lifetime(pair))
        return head, pair, entry

    def _known(self, head: str, pair: TokenPair | None, entry: Entry, *, waited: bool) -> Result | None:
        """What can be said without asking the backend; None where it must be asked."""
        if entry.signed_out:
            return Ended(outcome=Outcome.SIGNED_OUT)
        if entry.verdict is Verdict.FAILED:
            return Ended(outcome=Outcome.REJECTED)
        if (
            pair is not None
            and pair.access
            and pair.access != self.refused
            and not is_expired(pair.access, now=self.clock.now())
        ):
            return Renewed(pair=pair, outcome=Outcome.JOINED if waited else Outcome.HANDED_OVER)
        if entry.verdict is not None:
            lost = entry.verdict is Verdict.LOST
            return Later(outcome=Outcome.LOST if lost else Outcome.UNREACHABLE)
        if entry.spent and entry.successor is None:
            logger.warning("refresh %s: replaced long ago and presented again", record_name(head)[:8])
            return Ended(outcome=Outcome.REPLAY_SEEN)
        return None

    # --- the call ---

    def _present(self, flight: Flight[Result], head: str) -> Result | None:
        """Present `head` to the backend; None where somebody else is doing so, or has just done it."""
        asked_at = self.clock.monotonic()
        if not self.ledger.lock(head):
            return None
        unlock = self.ledger.unlock
        try:
            if not self._is_to_be_presented(head, asked_at):
                self._give_back(asked_at, unlock, head)
                return None
            unlock = self.ledger.settle
            self.ledger.begin(head, at=self.clock.monotonic())
            deadline = Deadline(REFRESH_DEADLINE_S, clock=self.clock.monotonic)
            answer = self.exchange.exchange(refresh=head, deadline=deadline, request_id=self.request_id)
        except StoreUnavailableError:
            # Nothing was sent. The store may have failed for a moment only: let nobody wait for the lock to expire.
            self._give_back(asked_at, unlock, head)
            raise
        result: Result | None
        if isinstance(answer, Granted):
            result, noted = self._grant(flight, head, answer.pair), True
        else:
            result, noted = self._deny(flight, head, answer)
        if noted:  # else the lock keeps the token from being presented again at once
            self._give_back(asked_at, self.ledger.settle, head)
        return result

    def _is_to_be_presented(self, head: str, asked_at: float) -> bool:
        """Whether, seen from inside the lock, nothing is known of `head`, and the lock outlives the call."""
        entry = self._unknown(head)
        if entry is not None and entry.begun_at is not None:
            if 0 <= self.clock.monotonic() - entry.begun_at < REFRESH_LOCK_S:
                return False  # the other's lock ended before its time (the wall clock was set): it may still be at it
            # It died, or could not reach the store. Then it offers the outcome as soon as the store is back.
            self.clock.sleep(SETTLE_S)
            entry = self._unknown(head)
        return entry is not None and self.clock.monotonic() - asked_at <= LATEST_START_S

    def _unknown(self, head: str) -> Entry | None:
        """The entry of `head`; None where it has a successor, or something can be said without asking the backend."""
        now_head, pair, entry = self._follow()
        return entry if now_head == head and self._known(head, pair, entry, waited=False) is None else None

    def _grant(self, flight: Flight[Result], head: str, pair: TokenPair) -> Result:
        """Hand the new pair over; it is the result, unless the sign-in was signed out meanwhile."""
        renewed = Renewed(pair=pair, outcome=Outcome.REFRESHED)

        def hand_over() -> bool:
            lifetime = self._record_lifetime(pair, head)
            self.ledger.hand_over(spent=head, pair=pair, lifetime_s=lifetime)
            # Asked after the record is written: a sign-out that came before is seen here, and one that comes
            # later finds the record and buries the new token itself.
            if not any(self.ledger.look(token).signed_out for token in {self.presented, head}):
                return False
            if pair.refresh is not None:
                self.ledger.bury([pair.refresh], lifetime_s=self._lifetime(pair))
            return True

        try:
            signed_out = hand_over()
        except StoreUnavailableError as error:
            logger.warning("refresh %s: refreshed, not handed over yet: %s", record_name(head)[:8], error)
            self._land(flight, renewed, hold=True)
            signed_out = self._insist(head, hand_over)
        if not signed_out:
            logger.info("refresh %s: refreshed", record_name(head)[:8])
            return renewed
        ended = Ended(outcome=Outcome.SIGNED_OUT)
        self._land(flight, ended)
        if pair.refresh is not None:
            deadline = Deadline(SIGN_OUT_DEADLINE_S, clock=self.clock.monotonic)
            self.exchange.revoke(refresh=pair.refresh, bearer=pair.access, deadline=deadline)
        return ended

    def _deny(self, flight: Flight[Result], head: str, answer: Refused | Unanswered) -> tuple[Result, bool]:
        """Remember why there are no tokens; say why, and whether it is remembered."""
        name = record_name(head)[:8]
        result: Result
        if isinstance(answer, Refused):
            logger.warning("refresh %s: refused: %s", name, answer.reason)
            verdict, result = Verdict.FAILED, Ended(outcome=Outcome.REJECTED)
        elif answer.lost:
            logger.error("refresh %s: the answer was lost, not to be presented again: %s", name, answer.reason)
            verdict, result = Verdict.LOST, Later(outcome=Outcome.LOST)
        else:
            logger.warning("refresh %s: no usable answer: %s", name, answer.reason)
            verdict, result = Verdict.UNREACHABLE, Later(outcome=Outcome.UNREACHABLE)

        def remember() -> bool:
            self.ledger.remember(head, verdict)
            return True

        try:
            return result, remember()
        except StoreUnavailableError:
            if verdict is not Verdict.LOST:
                return result, False
            self._land(flight, result, hold=True)
            return result, self._insist(head, remember)

    def _insist(self, head: str, write: Callable[[], bool]) -> bool:
        """Offer to the store until it takes it what must not be forgotten; False when patience ends."""
        patience = Deadline(PATIENCE_S, clock=self.clock.monotonic)
        while not patience.passed:
            self.clock.sleep(OFFER_PAUSE_S)
            try:
                return write()
            except StoreUnavailableError:
                continue
        logger.error("refresh %s: the store never took what came of it", record_name(head)[:8])
        return False

    def _give_back(self, locked_at: float, unlock: Callable[[str], None], head: str) -> None:
        if self.clock.monotonic() - locked_at > LATEST_UNLOCK_S:
            return
        try:
            unlock(head)
        except StoreUnavailableError:
            logger.debug("refresh %s: the lock is left to expire", record_name(head)[:8])

    def _land(self, flight: Flight[Result], result: Result, *, hold: bool = False) -> None:
        if flight.land(result, hold=hold):
            self.counters.count(result.outcome)

    def _lifetime(self, pair: TokenPair) -> int:
        # Also where the new token is over by this machine's clock: the one it replaced is spent all the same.
        lifetime = sign_in_lifetime(pair.refresh, now=self.clock.now(), default_s=self.max_age_s)
        return max(HANDOVER_AFTER_USE_S, lifetime)

    def _record_lifetime(self, pair: TokenPair, head: str) -> float:
        """As long as the sign-in; where the refresh token stays the same, only as long as the access token."""
        if pair.refresh not in {None, head} or pair.access is None:
            return self._lifetime(pair)
        end = expires_at(pair.access)
        lifetime = self._lifetime(pair)
        return lifetime if end is None else max(1.0, min(end - self.clock.now(), lifetime))
