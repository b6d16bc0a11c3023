"""One attempt to get a newer pair for a refresh token, in a thread of its own.

The attempt asks the token records for the sign-in's latest pair. Where that has expired as well, it competes with the
other processes for the lock; the winner submits the latest refresh token and records the new pair for all. The records
are read again after every wait, and once more inside the lock. The attempt goes on when no request waits any more.

A timeout, a lost answer and a worker's death leave the same state: the submission has started, and no outcome is
recorded. Where the token endpoint allows it, the token is then submitted again, with pauses, until there is an answer.
Otherwise, and once the time for that is over, the token is never submitted again.
"""

from __future__ import annotations

import logging
import random
import secrets
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.results import (
    SAVE_PAUSE_S,
    OutcomeSaver,
    Refreshed,
    RetryLater,
    SignInEnded,
    audit_end,
    audit_refusal,
)
from portal.api.refresh.sealing import log_name
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokensIssued
from portal.api.refresh.token_family import rotate
from portal.api.refresh.token_records import FailedOutcome, Started
from portal.api.tokens import hand_on_safely, sign_in_lifetime
from portal.config.limits import (
    REFRESH_DEADLINE_S,
    REFRESH_FAILED_MEMORY_S,
    REFRESH_LATEST_START_S,
    REFRESH_LOCK_S,
    REFRESH_REPEAT_PAUSE_S,
    REFRESH_UNREACHABLE_MEMORY_S,
    REFRESH_WAIT_S,
    ROTATION_GRACE_S,
    SIGN_OUT_DEADLINE_S,
    STORE_TIMEOUT_S,
)
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.process import Deadline

if TYPE_CHECKING:
    from portal.api.refresh.results import RefreshResult, StoreOutage
    from portal.api.refresh.sign_in_ends import UserEnds
    from portal.api.refresh.token_endpoint import TokenEndpoint
    from portal.api.refresh.token_records import SignInRecord, TokenRecords
    from portal.api.tokens import HandOn, TokenPair
    from portal.process import Clock, SharedCall
    from portal.telemetry.metrics import Counters

logger = logging.getLogger(__name__)

#: Pause before the records are read again while another process refreshes, seconds: doubles from the first to the last.
FIRST_PAUSE_S: Final = 0.02
LAST_PAUSE_S: Final = 0.2
#: Wait for the outcome of a submission that another process started, seconds: longer than one offer takes.
OTHERS_OUTCOME_WAIT_S: Final = SAVE_PAUSE_S + STORE_TIMEOUT_S + 0.25


@dataclass(slots=True, kw_only=True)
class RefreshAttempt:
    """See the module.

    :param submitted: the refresh token in the request's cookies.
    :param access: the request's access token.
    :param rejected_access: an access token that the backend answered 401 although it had not expired.
    :param max_age_s: lifetime of a sign-in whose refresh token names none.
    """

    submitted: str = field(repr=False)
    access: str | None = field(repr=False)
    hand_on: HandOn
    rejected_access: str | None = field(repr=False)
    request_id: str | None
    token_endpoint: TokenEndpoint
    records: TokenRecords
    outage: StoreOutage
    user_ends: UserEnds
    clock: Clock
    counters: Counters
    max_age_s: int
    _saver: OutcomeSaver = field(init=False)

    def run(self, shared_call: SharedCall[RefreshResult]) -> RefreshResult:
        """Newer tokens, or why there are none. `shared_call` gets the result early where work remains after it."""
        self._saver = OutcomeSaver(shared_call, outage=self.outage, clock=self.clock, counters=self.counters)
        result = self._get_result()
        if not shared_call.done:
            self.counters.count(result.outcome)
        if result.outcome is RefreshOutcome.STORE_DOWN and isinstance(result, RetryLater):
            logger.warning("refresh %s: not tried: %s", log_name(self.submitted), result.cause)
        audit_end(result)
        return result

    def _get_result(self) -> RefreshResult:
        """Read the records and try to submit, in turn, until there is a result or the wait is over."""
        waited = False
        pause = FIRST_PAUSE_S
        wait = Deadline(REFRESH_WAIT_S, clock=self.clock.monotonic)
        while True:
            later = RetryLater(outcome=RefreshOutcome.BUSY)
            try:
                record = self.records.get(self.submitted)
                result = self._result_of(record, waited=waited) or self._try_to_submit(record.secret)
            except StoreUnavailableError as error:
                later = _store_down(error)
                result = None if self.outage.may_pass() else later
            if result is not None:
                return result
            if wait.passed:
                return later
            waited = True
            self.clock.sleep(pause * random.uniform(0.75, 1.25))  # noqa: S311  spreads processes, guards nothing
            pause = min(pause * 2, LAST_PAUSE_S)

    # --- without the token endpoint ---

    def _result_of(self, record: SignInRecord, *, waited: bool = False) -> RefreshResult | None:
        """The result that the records give by themselves; None where the token endpoint must be asked."""
        now, family, started = self.clock.now(), record.family, record.started
        if record.signed_out_at is not None:
            return SignInEnded(outcome=RefreshOutcome.SIGNED_OUT, secret=record.secret, since=record.signed_out_at)
        if family is not None and family.is_replay(self.submitted, now=now):
            logger.warning("refresh %s: replaced long ago and submitted again", log_name(self.submitted))
            # Known since the next token was submitted: an upload that left before then may meet the newer cookies.
            return SignInEnded(outcome=RefreshOutcome.REPLAY_SEEN, secret=record.secret, since=0.0)
        if record.outcome is FailedOutcome.FAILED:
            return SignInEnded(outcome=RefreshOutcome.REJECTED, secret=record.secret, since=record.outcome_at)
        if family is not None and family.latest_pair.access != self.rejected_access and family.is_fresh(now=now):
            outcome = RefreshOutcome.JOINED if waited else RefreshOutcome.FROM_RECORD
            return Refreshed(pair=family.latest_pair, outcome=outcome)
        if started is not None and started.last_at is None and not self._may_submit_again(started):
            return SignInEnded(outcome=RefreshOutcome.LOST, secret=record.secret, since=started.first_at)
        return None if record.outcome is None else RetryLater(outcome=RefreshOutcome.UNREACHABLE)

    def _may_submit_again(self, started: Started) -> bool:
        """Whether the token endpoint would still repeat its answer to the first submission."""
        since = abs(self.clock.now() - started.first_at)  # two machines may have written these times
        return since < self.token_endpoint.repeatable_s - REFRESH_DEADLINE_S

    # --- the call ---

    def _try_to_submit(self, secret: str) -> RefreshResult | None:
        """Submit the latest token; None where another process is doing so, or has just done it.

        :raises StoreUnavailableError: nothing was submitted, and nothing is left behind in the store.
        """
        asked_at, owner = self.clock.monotonic(), secrets.token_hex(8)
        try:
            if not self.records.acquire_lock(secret, owner=owner):
                return None
            record = self._record_to_submit()
        except StoreUnavailableError as error:
            # The lock is, or may be, this process's. Nobody should wait for it to expire.
            result = _store_down(error)

            def release() -> RefreshResult:
                self.records.release_lock(secret, owner=owner)
                return result

            if (saved := self._saver.save(self.submitted, release, result)) is None:
                raise
            return saved
        if record is not None and self.clock.monotonic() - asked_at <= REFRESH_LATEST_START_S:
            return self._submit(record, owner)
        try:
            self.records.release_lock(secret, owner=owner)
        except StoreUnavailableError:
            logger.debug("refresh %s: the lock is left to expire", log_name(self.submitted))
        return None

    def _record_to_submit(self) -> SignInRecord | None:
        """The record as it is inside the lock; None where it gives a result, or another process is at work."""
        record = self.records.get(self.submitted)
        if self._result_of(record) is not None:
            return None
        if record.started is not None and record.started.last_at is not None:
            if 0 <= self.clock.monotonic() - record.started.last_at < REFRESH_LOCK_S:
                return None  # the other's lock ended too early (a wall clock was set): it may still be at work
            # The other process died, or can't reach the store. In that case it saves its outcome very soon.
            self.clock.sleep(OTHERS_OUTCOME_WAIT_S)
            record = self.records.get(self.submitted)
            if self._result_of(record) is not None:
                return None
        return record

    def _submit(self, record: SignInRecord, owner: str) -> RefreshResult | None:
        """Submit the latest token, or record that nobody ever will; then release the lock."""
        token, earlier = record.latest_refresh, record.started
        started = Started(first_at=self.clock.now(), last_at=self.clock.monotonic(), tries=1)
        if earlier is not None:
            started = replace(started, first_at=earlier.first_at, tries=earlier.tries + 1)
            if not self._may_submit_again(earlier):  # the process that submitted it has died
                lost = SignInEnded(outcome=RefreshOutcome.LOST, secret=record.secret)
                return self._save_failure(record, owner, replace(earlier, last_at=None), lost)
        try:
            self.records.mark_started(record.secret, owner=owner, latest_refresh=token, started=started)
            self.outage.over()
            deadline = Deadline(REFRESH_DEADLINE_S, clock=self.clock.monotonic)
            response = self.token_endpoint.submit(refresh=token, deadline=deadline, request_id=self.request_id)
        except StoreUnavailableError as error:
            # Nothing was sent: only an earlier submission can be unknown. The store may hold `started` all the same.
            before = None if earlier is None else replace(earlier, last_at=None)
            if (saved := self._save_failure(record, owner, before, _store_down(error))) is None:
                raise
            return saved
        if isinstance(response, TokensIssued):
            return self._save_tokens(record, owner, response.pair)
        unknown, result = self._failure(record, started, response)
        return self._save_failure(record, owner, unknown, result)

    def _failure(
        self, record: SignInRecord, started: Started, response: InvalidGrant | NoResponse
    ) -> tuple[Started | None, SignInEnded | RetryLater]:
        """The submissions whose outcome is still unknown, and the result."""
        name = log_name(record.latest_refresh)
        if isinstance(response, InvalidGrant):
            logger.warning("refresh %s: refused: %s", name, response.reason)
            audit_refusal(record.secret, says=response.reason)
            return None, SignInEnded(outcome=RefreshOutcome.REJECTED, secret=record.secret)
        unknown = replace(started, last_at=None)
        cause = ApiUnavailableError(f"the refresh: {response.reason}")
        later = RetryLater(outcome=RefreshOutcome.UNREACHABLE, cause=cause)
        if not response.lost:
            logger.warning("refresh %s: no usable answer: %s", name, response.reason)
            # This submission did nothing; an earlier one may have.
            return (None if started.tries == 1 else unknown), later
        if self._may_submit_again(unknown):
            logger.warning("refresh %s: the answer was lost, to be submitted again: %s", name, response.reason)
            return unknown, later
        logger.error("refresh %s: the answer was lost, not to be submitted again: %s", name, response.reason)
        return unknown, SignInEnded(outcome=RefreshOutcome.LOST, secret=record.secret)

    # --- into the records ---

    def _save_tokens(self, record: SignInRecord, owner: str, pair: TokenPair) -> RefreshResult | None:
        """Record the new pair for all; it is the result, unless the sign-in was signed out meanwhile."""
        secret, refreshed = record.secret, Refreshed(pair=pair, outcome=RefreshOutcome.REFRESHED)

        def save() -> RefreshResult:
            if not self.records.holds_lock(secret, owner=owner):
                # This took longer than the lock. A later owner may have refreshed again, which must not be undone.
                newer = self.records.get(self.submitted)
                if newer.family is not None and newer.latest_refresh != record.latest_refresh:
                    return Refreshed(pair=newer.family.latest_pair, outcome=RefreshOutcome.FROM_RECORD)
            latest, now = record.latest_refresh, self.clock.now()
            family, forgotten = rotate(
                record.family, latest_refresh=latest, submitted=self.submitted, pair=pair, now=now
            )
            submitted, known = {self.submitted, latest}, record.family and record.family.latest_pair.access
            hand_on_safely(self.hand_on, known or self.access, pair.access, is_proven=bool(known))
            self.records.set_rotation(secret, family, submitted=submitted, lifetime_s=self._lifetime(pair))
            # Read after the rotation record is written. An earlier sign-out is seen here; a later one sees the record.
            since = self.records.signed_out_at(secret)
            signed_out = since is not None or self.user_ends.reach(
                pair, before=record.family, access=self.access, submitted=self.submitted
            )
            if signed_out:
                self.records.delete_rotation(secret, forgotten=family.spent_names(now=self.clock.now()))
            self.records.finish(secret, owner=owner, forgotten=forgotten)
            ended = SignInEnded(outcome=RefreshOutcome.SIGNED_OUT, secret=secret, since=since)
            return ended if signed_out else refreshed

        result = self._saver.save(record.latest_refresh, save, refreshed)
        if not isinstance(result, SignInEnded):
            logger.info("refresh %s: refreshed", log_name(record.latest_refresh))
            return result
        self._saver.publish(result)
        if pair.refresh is not None:
            limit, asked_by = Deadline(SIGN_OUT_DEADLINE_S, clock=self.clock.monotonic), self.request_id
            self.token_endpoint.revoke(refresh=pair.refresh, bearer=pair.access, deadline=limit, request_id=asked_by)
        return result

    def _save_failure(
        self, record: SignInRecord, owner: str, unknown: Started | None, result: SignInEnded | RetryLater
    ) -> RefreshResult | None:
        """Record why there are no tokens, and which submissions are still `unknown`; release the lock."""
        secret, token = record.secret, record.latest_refresh

        def save() -> RefreshResult:
            if unknown is not None:
                self.records.mark_started(secret, owner=owner, latest_refresh=token, started=unknown)
            since = None
            if result.outcome is RefreshOutcome.REJECTED:
                lasting_s, outcome = REFRESH_FAILED_MEMORY_S, FailedOutcome.FAILED
                # The backend may have been told of a sign-out meanwhile.
                since = self.records.signed_out_at(secret)
            else:
                lasting_s = min(unknown.tries, REFRESH_REPEAT_PAUSE_S) if unknown else REFRESH_UNREACHABLE_MEMORY_S
                outcome = FailedOutcome.LATER
            if result.outcome in {RefreshOutcome.REJECTED, RefreshOutcome.UNREACHABLE}:
                now = self.clock.now()
                self.records.set_outcome(secret, latest_refresh=token, outcome=outcome, now=now, lifetime_s=lasting_s)
            if unknown is None:
                self.records.finish(secret, owner=owner)
            else:
                self.records.release_lock(secret, owner=owner)
            if since is None:
                return result
            return SignInEnded(outcome=RefreshOutcome.SIGNED_OUT, secret=secret, since=since)

        return self._saver.save(token, save, result)

    def _lifetime(self, pair: TokenPair) -> int:
        # At least the grace period, even if the new token has expired by this clock: the old one is spent all the same.
        return max(ROTATION_GRACE_S, sign_in_lifetime(pair.refresh, now=self.clock.now(), default_s=self.max_age_s))


def _store_down(error: StoreUnavailableError) -> RetryLater:
    return RetryLater(outcome=RefreshOutcome.STORE_DOWN, cause=error)
