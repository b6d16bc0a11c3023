"""One attempt to get a newer pair for a refresh token, in a thread of its own.

The attempt walks from the request's token to the newest pair. Where that has expired as well, it competes with other
processes to set the newest token's record to "started". The winner submits the token, and records the new pair for all.
Who loses waits, and walks again. The attempt goes on when no request waits any more.

A timeout, a lost answer and a worker's death leave the same state: the submission has started, and no outcome is
recorded. Where the token endpoint allows it, the token is then submitted again, with pauses, until there is an answer.
Otherwise, and once the time for that is over, the token is never submitted again.
"""

import logging
import random
import secrets
from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import replace

from portal.api.metrics import RefreshOutcome
from portal.api.refresh.results import (
    SAVE_PAUSE_S,
    OutcomeSaver,
    Refreshed,
    RefreshResult,
    RetryLater,
    SignInEnded,
    StoreOutage,
    audit_end,
    audit_refusal,
)
from portal.api.refresh.sealing import family_secret, log_name, record_name, seal, sign_in_id
from portal.api.refresh.sign_in_ends import UserEnds
from portal.api.refresh.token_endpoint import InvalidGrant, NoResponse, TokenEndpoint, TokensIssued
from portal.api.refresh.token_record import UNREADABLE, State, TokenRecord, issued_record, record_lifetime
from portal.api.refresh.token_records import Newest, TokenRecords
from portal.api.tokens import HandOn, TokenPair, hand_on_safely
from portal.config.limits import (
    REFRESH_DEADLINE_S,
    REFRESH_FAILED_MEMORY_S,
    REFRESH_LATEST_START_S,
    REFRESH_REPEAT_PAUSE_S,
    REFRESH_UNREACHABLE_MEMORY_S,
    REFRESH_WAIT_S,
    ROTATION_GRACE_S,
    SIGN_OUT_DEADLINE_S,
    STORE_TIMEOUT_S,
)
from portal.errors import ApiUnavailableError, StoreUnavailableError
from portal.process import Clock, Deadline, SharedCall
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
                newest = self.records.newest(self.submitted, now=self.clock.now())
                result = self._result_of(newest, waited=waited) or self._try_to_submit(newest)
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

    def _result_of(self, newest: Newest, *, waited: bool = False) -> RefreshResult | None:
        """The result that the records give by themselves; None where the token endpoint must be asked."""
        now, record = self.clock.now(), newest.record
        if record.state is State.OUT:
            return self._ended(record, RefreshOutcome.SIGNED_OUT, since=record.at)
        if record.state is State.SPENT:
            logger.warning("refresh %s: replaced long ago and submitted again", log_name(self.submitted))
            # Known since the next token was submitted: an upload that left before then may meet the newer cookies.
            return self._ended(record, RefreshOutcome.REPLAY_SEEN, since=0.0)
        if record.state is State.FAILED and record.waits(now=now):
            return self._ended(record, RefreshOutcome.REJECTED, since=record.at)
        pair = newest.pair
        if pair is not None and pair.access != self.rejected_access and newest.is_fresh(now=now):
            return Refreshed(pair=pair, outcome=RefreshOutcome.JOINED if waited else RefreshOutcome.FROM_RECORD)
        if record.state is State.LATER and not self._may_submit_again(record):
            return self._ended(record, RefreshOutcome.LOST, since=record.first_at)
        return RetryLater(outcome=RefreshOutcome.UNREACHABLE) if record.waits(now=now) else None

    def _may_submit_again(self, record: TokenRecord) -> bool:
        """Return whether the token endpoint would still repeat its answer to the first submission, if any."""
        if record.first_at is None:
            return True
        since = abs(self.clock.now() - record.first_at)  # two machines may have written these times
        return since < self.token_endpoint.repeatable_s - REFRESH_DEADLINE_S

    def _ended(self, record: TokenRecord, outcome: RefreshOutcome, *, since: float | None = None) -> SignInEnded:
        sign_in = record.sign_in or sign_in_id(family_secret(self.submitted))
        return SignInEnded(outcome=outcome, sign_in=sign_in, since=since)

    # --- the call ---

    def _try_to_submit(self, newest: Newest) -> RefreshResult | None:
        """Submit the newest token; None where another process is doing so, or has just done it.

        :raises StoreUnavailableError: nothing was submitted, and nothing is left behind in the store.
        """
        token, before = newest.refresh, self._record_to_submit(newest)
        if before is None:
            return None
        started = replace(
            before,
            state=State.STARTED,
            at=self.clock.now(),
            until=None,
            owner=secrets.token_hex(8),
            monotonic=self.clock.monotonic(),
            first_at=self.clock.now() if before.first_at is None else before.first_at,
            tries=before.tries + 1,
        )
        try:
            lifetime_s, latest = (
                self._lifetime(token, started),
                Deadline(REFRESH_LATEST_START_S, clock=self.clock.monotonic),
            )
            if not self.records.begin(token, newest.record, started, lifetime_s=lifetime_s, latest=latest):
                return None
            self.outage.over()
            deadline = Deadline(REFRESH_DEADLINE_S, clock=self.clock.monotonic)
            response = self.token_endpoint.submit(refresh=token, deadline=deadline, request_id=self.request_id)
        except StoreUnavailableError as error:
            # Nothing was sent. The store may hold `started` all the same, for which nobody should wait.
            result: RefreshResult = _store_down(error)

            def take_back() -> RefreshResult:
                if self.records.newest(token).first == started:
                    self.records.replace(token, started, before, lifetime_s=self._lifetime(token, before))
                return result

            if (saved := self._saver.save(token, take_back, result)) is None:
                raise
            return saved
        if isinstance(response, TokensIssued):
            return self._save_tokens(newest, started, response.pair)
        record, result = self._failure(token, started, response)
        return self._save(newest, started, record, result)

    def _record_to_submit(self, newest: Newest) -> TokenRecord | None:
        """The record without the submission of a process that died; None while nobody may submit the token."""
        token, record = newest.refresh, newest.record
        if record.state is not State.STARTED:
            return record
        if record.is_at_work(self.clock):
            return None
        # The process died, or can't reach the store. In that case it saves its outcome very soon.
        self.clock.sleep(OTHERS_OUTCOME_WAIT_S)
        left = replace(record, state=State.LATER)
        if self._may_submit_again(left):
            return left
        self.records.replace(token, record, left, lifetime_s=self._lifetime(token, left))
        return None

    def _failure(
        self, token: str, started: TokenRecord, response: InvalidGrant | NoResponse
    ) -> tuple[TokenRecord, SignInEnded | RetryLater]:
        """The record after a submission without tokens, and the result."""
        name, now = log_name(token), self.clock.now()
        if isinstance(response, InvalidGrant):
            logger.warning("refresh %s: refused: %s", name, response.reason)
            rejected = self._ended(started, RefreshOutcome.REJECTED)
            audit_refusal(rejected.sign_in, says=response.reason)
            until = now + REFRESH_FAILED_MEMORY_S
            return replace(started, state=State.FAILED, at=now, until=until, first_at=None, tries=0), rejected
        cause = ApiUnavailableError(f"the refresh: {response.reason}")
        later = RetryLater(outcome=RefreshOutcome.UNREACHABLE, cause=cause)
        pause_s = min(started.tries * REFRESH_UNREACHABLE_MEMORY_S, REFRESH_REPEAT_PAUSE_S)
        record = replace(started, state=State.LATER, at=now, until=now + pause_s)
        if not response.lost:
            logger.warning("refresh %s: no usable answer: %s", name, response.reason)
            # This submission did nothing; an earlier one may have.
            return (replace(record, first_at=None, tries=0) if started.tries == 1 else record), later
        if self._may_submit_again(record):
            logger.warning("refresh %s: the answer was lost, to be submitted again: %s", name, response.reason)
            return record, later
        logger.error("refresh %s: the answer was lost, not to be submitted again: %s", name, response.reason)
        return record, self._ended(started, RefreshOutcome.LOST)

    # --- into the records ---

    def _save_tokens(self, newest: Newest, started: TokenRecord, pair: TokenPair) -> RefreshResult | None:
        """Record the new pair for all; it is the result, unless the sign-in was signed out meanwhile."""
        token, successor, now = newest.refresh, pair.refresh or newest.refresh, self.clock.now()
        pair = TokenPair(access=pair.access, refresh=successor)
        hand_on_safely(self.hand_on, newest.access or self.access, pair.access, is_proven=bool(newest.access))
        before = tuple(map(record_name, {token, self.submitted} - {successor}))
        lifetime_s = record_lifetime(successor, now=now, default_s=self.max_age_s)
        record = issued = issued_record(pair, sign_in=started.sign_in, before=before, now=now)
        if successor != token:
            record = replace(started, state=State.NEXT, access=None, next=seal(successor, under=token))

        def save() -> RefreshResult:
            # An end that comes later than this look finds the new access token by its time of issue.
            if self.user_ends.reach(pair, known=newest.access, access=self.access, submitted=self.submitted):
                out = replace(started, state=State.OUT, at=now)
                self.records.replace(token, started, out, lifetime_s=lifetime_s)
                return self._ended(started, RefreshOutcome.SIGNED_OUT)
            if successor != token:
                self.records.issue(successor, issued, asked_at=started.at, lifetime_s=lifetime_s)
            old = started
            while not self.records.replace(token, old, record, lifetime_s=lifetime_s):
                # Signed out, or this took longer than others wait: they may have got further, or have given up.
                found = self.records.newest(self.submitted)
                left_open = found.record.state in {State.STARTED, State.LATER} and found.record != UNREADABLE
                if found.refresh != token or not left_open:
                    return self._result_of(found) or RetryLater(outcome=RefreshOutcome.BUSY)
                old = found.record
            if token != self.submitted:
                self.records.lead(self.submitted, to=successor, lifetime_s=lifetime_s)
            for name in newest.first.before:
                self.records.spend(name, until=now + ROTATION_GRACE_S)
            return Refreshed(pair=pair, outcome=RefreshOutcome.REFRESHED)

        result = self._saver.save(token, save, Refreshed(pair=pair, outcome=RefreshOutcome.REFRESHED))
        if not isinstance(result, SignInEnded):
            logger.info("refresh %s: refreshed", log_name(token))
            return result
        self._saver.publish(result)
        limit, asked_by = Deadline(SIGN_OUT_DEADLINE_S, clock=self.clock.monotonic), self.request_id
        self.token_endpoint.revoke(refresh=successor, bearer=pair.access, deadline=limit, request_id=asked_by)
        return result

    def _save(
        self, newest: Newest, started: TokenRecord, record: TokenRecord, result: SignInEnded | RetryLater
    ) -> RefreshResult | None:
        """Record what became of a submission that gave no tokens, unless the sign-in was signed out meanwhile."""

        def save() -> RefreshResult:
            if self.records.replace(newest.refresh, started, record, lifetime_s=self._lifetime(newest.refresh, record)):
                if record.state is State.FAILED:
                    self.records.let_in(newest.refresh)
                return result
            return self._result_of(self.records.newest(self.submitted)) or result

        return self._saver.save(newest.refresh, save, result)

    def _lifetime(self, token: str, record: TokenRecord) -> float:
        """Seconds for which a record lasts: as the sign-in; as its pause, where somebody may have made the token up."""
        lasts_s = record_lifetime(token, now=self.clock.now(), default_s=self.max_age_s)
        if record.is_known:
            return lasts_s
        if record.first_at is not None:
            return min(lasts_s, self.max_age_s)
        return 1 if record.until is None else record.until - record.at


def _store_down(error: StoreUnavailableError) -> RetryLater:
    return RetryLater(outcome=RefreshOutcome.STORE_DOWN, cause=error)
