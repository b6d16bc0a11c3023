"""The silent refresh: each refresh token is submitted once, by whichever request and process comes first.

Requirements, "Token refresh flow"; contract, section 8. A request that needs fresh tokens joins its token's single
flight in this process (:mod:`portal.api.refresh.attempt` is the work) and waits as long as it may. The attempt goes on
when its request has given up.
"""

import logging
from functools import partial
from typing import Final

from msgspec.structs import replace

from portal.api.metrics import RefreshOutcome, refresh_counters, refresh_timings
from portal.api.refresh.attempt import RefreshAttempt
from portal.api.refresh.results import (
    Refreshed,
    RefreshResult,
    RetryLater,
    SignedOut,
    SignInEnded,
    StoreOutage,
    audit_refusal,
)
from portal.api.refresh.sealing import log_name, record_name
from portal.api.refresh.sign_in_ends import Revocation, UserEnds
from portal.api.refresh.token_endpoint import TokenEndpoint
from portal.api.refresh.token_record import State, record_lifetime
from portal.api.refresh.token_records import TokenRecords
from portal.api.tokens import TokenPair, TokenStatus, TokenStore, is_expired, sign_in_lifetime
from portal.config.limits import REFRESH_FAILED_MEMORY_S, REFRESH_WAIT_S, REQUEST_BUDGET_S, SIGN_OUT_DEADLINE_S
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.process import Clock, Deadline, NoThreadError, SharedCall, SingleFlight, waits_for
from portal.store import SharedStore
from portal.telemetry import audit, tracing

logger = logging.getLogger(__name__)

#: Submissions without an answer that one request makes.
MOST_UNANSWERED: Final = 2
#: When such a page should be tried again, seconds.
RETRY_REFRESH_AFTER_S: Final = 1.0


class TokenRefresher:
    """Refreshes and signs out. Safe for threads; one for each process.

    :param max_age_s: lifetime of a sign-in whose refresh token names none.
    """

    def __init__(
        self, *, token_endpoint: TokenEndpoint, store: SharedStore, max_age_s: int, clock: Clock | None = None
    ) -> None:
        self._token_endpoint = token_endpoint
        self._records = TokenRecords(store)
        self._user_ends = UserEnds(store)
        self._max_age_s = max_age_s
        self._clock = clock or Clock()
        self._counters = refresh_counters
        self._outage = StoreOutage(clock=self._clock)
        self._single_flight: SingleFlight[RefreshResult] = SingleFlight()

    def ensure_fresh(
        self, tokens: TokenStore, *, deadline: Deadline, request_id: str | None = None
    ) -> Refreshed | None:
        """Refresh if the access token is missing or has expired; None if that is not needed, or not possible.

        With a fresh token the store is not asked.

        :raises SignInEndedError: the sign-in is over; the tokens are cleared.
        :raises ApiUnavailableError: no fresh token can be had now.
        """
        pair = tokens.current
        if pair.refresh is None:
            return None
        if pair.access is not None and not is_expired(pair.access, now=self._clock.now()):
            return None
        return self.refresh(tokens, deadline=deadline, request_id=request_id)

    def refresh(
        self,
        tokens: TokenStore,
        *,
        deadline: Deadline,
        request_id: str | None = None,
        rejected_access: str | None = None,
    ) -> Refreshed:
        """Get newer tokens for the request's refresh token: from the records, or from the token endpoint.

        :param rejected_access: the access token that the backend has just answered 401, if there is one: it is no
            help, though it may not have expired.
        :raises SignInEndedError: the sign-in is over; the tokens are cleared.
        :raises ApiUnavailableError: no fresh token can be had now.
        """
        replaced, submitted = tokens.current.refresh, tokens.browser_refresh
        if replaced is None or submitted is None:
            raise SignInEndedError("this sign-in has ended")
        if self._operator_has_ended(tokens.current, request_id=request_id):
            tokens.end(rejected=replaced)
            raise SignInEndedError("an operator has ended this user's sign-ins")
        attempt = RefreshAttempt(
            submitted=submitted,
            access=tokens.current.access,
            hand_on=tokens.hand_on,
            user_ends=self._user_ends,
            rejected_access=rejected_access,
            request_id=request_id,
            token_endpoint=self._token_endpoint,
            records=self._records,
            outage=self._outage,
            clock=self._clock,
            counters=self._counters,
            max_age_s=self._max_age_s,
        )
        began = self._clock.monotonic()
        tokens.unanswered = [at for at in tokens.unanswered if began - at < REQUEST_BUDGET_S]
        if len(tokens.unanswered) >= MOST_UNANSWERED:
            raise _later(RefreshOutcome.UNREACHABLE)
        result, leads = self._join(attempt, deadline)
        if leads and isinstance(result, RetryLater) and result.outcome is RefreshOutcome.UNREACHABLE and result.cause:
            tokens.unanswered.append(began)
        is_rejected = isinstance(result, Refreshed) and result.pair.access == rejected_access
        if is_rejected and not leads:
            # The attempt of another request, which did not know that this token was rejected.
            result, _ = self._join(attempt, deadline)
        refresh_timings.observe(self._clock.monotonic() - began)
        return self._apply(result, tokens, replaced)

    def handle_401_after_refresh(self, tokens: TokenStore) -> None:
        """End the sign-in if the backend rejects a token that it has only just issued (contract, section 5).

        Another cause is possible, and nothing ends, if the token came from a record, expired on its way, or has a
        successor by now.

        :raises ApiUnavailableError: the token expired on its way; another try gets a fresh one.
        """
        pair, browser_refresh, now = tokens.current, tokens.browser_refresh, self._clock.now()
        if tokens.status is not TokenStatus.REFRESHED or browser_refresh is None or pair.access is None:
            return
        if is_expired(pair.access, now=now):
            raise _later(RefreshOutcome.BUSY)
        if not tokens.just_issued:
            return
        try:
            newest = self._records.newest(browser_refresh)
            record, token = newest.record, newest.refresh
            if newest.pair not in (None, pair) or record.state in {State.STARTED, State.LATER}:
                return
            failed = replace(record, state=State.FAILED, at=now, until=now + REFRESH_FAILED_MEMORY_S)
            lifetime_s = record_lifetime(token, now=now, default_s=self._max_age_s)
            if record.state is State.ISSUED and not self._records.replace(token, record, failed, lifetime_s=lifetime_s):
                return
        except StoreUnavailableError:
            return
        self._counters.count(RefreshOutcome.REJECTED)
        logger.warning("refresh %s: the backend rejects a token that it has just issued", log_name(browser_refresh))
        audit_refusal(record.sign_in, says="status 401", reason=audit.Reason.NEW_TOKEN_REFUSED)
        tokens.end(rejected=pair.refresh, known_since=newest.signed_out_at)

    def signed_out_at(self, pair: TokenPair) -> float | None:
        """When the sign-in of these tokens was signed out, in seconds since the epoch; None if it was not.

        A valid access token does not tell it by itself. While the store fails nobody can tell: None, since the
        backend's own revocation remains. It reads the store once or twice: it is for tokens that open no cache yet.
        """
        try:
            at = None if pair.access is None else self._records.signed_out_at(pair.access)
            if at is None and pair.refresh is not None:
                at = self._records.newest(pair.refresh).signed_out_at
        except StoreUnavailableError:
            self._counters.count(RefreshOutcome.STORE_DOWN)
            return None
        # An operator's end was told to no browser yet.
        return 0.0 if at is None and self._operator_has_ended(pair) else at

    def end_user(self, subject: str, *, issuer_ahead_s: float = 0.0) -> None:
        """End all sign-ins of a user that there are now, in all processes: each ends with its next request.

        :param subject: the claim `sub` of the user's access tokens.
        :param issuer_ahead_s: how far the clock that gives tokens their time of issue is ahead of this machine's.
        :raises StoreUnavailableError: nothing has ended.
        """
        self._user_ends.end(subject, now=self._clock.now() + issuer_ahead_s)

    def _operator_has_ended(self, pair: TokenPair, *, request_id: str | None = None) -> bool:
        """Whether :meth:`end_user` has ended this sign-in. If so, the backend is told as well.

        While the store does not answer, it has not: what needs the store fails anyway.
        """
        try:
            ended = self._user_ends.has_ended(pair.access)
        except StoreUnavailableError:
            return False
        if ended:
            logger.info("sign-out %s: an operator has ended this user's sign-ins", log_name(pair.refresh or ""))
            # Anybody can send tokens that name this user: only what the store knows gets a lasting tombstone.
            self.sign_out(TokenStore(pair), verified=False, request_id=request_id)
        return ended

    def prepare_sign_in(self, pair: TokenPair) -> None:
        """Prepare the store for tokens that the backend has just issued at a sign-in.

        A backend that does not rotate may issue the refresh token of an earlier sign-in again. The tombstone of that
        one must not end this one, and neither must an operator's :meth:`end_user` of before. While the store fails,
        the records stay; with other backends, and for other users, there are none.
        """
        now = self._clock.now()
        try:
            self._records.delete_earlier(pair)
            lifetime_s = sign_in_lifetime(pair.refresh, now=now, default_s=self._max_age_s)
            self._user_ends.note_sign_in(pair, now=now, lifetime_s=lifetime_s)
        except StoreUnavailableError:
            self._counters.count(RefreshOutcome.STORE_DOWN)

    def sign_out(self, tokens: TokenStore, *, verified: bool = True, request_id: str | None = None) -> SignedOut:
        """End this sign-in everywhere: tombstones, a call to the backend (2 s each at most), the request's tokens.

        If the store fails for that time, there is no tombstone: the backend's own revocation remains.

        :param verified: whether these tokens are known to be a sign-in's (:meth:`Revocation.mark_signed_out`).
        """
        pair = tokens.current if tokens.current.refresh else tokens.incoming
        browser_refresh = tokens.browser_refresh or pair.refresh
        tokens.clear()
        latest, sign_in = pair, None
        revocation = Revocation(records=self._records, clock=self._clock, max_age_s=self._max_age_s)
        try:
            latest, sign_in = revocation.mark_signed_out(pair, browser_refresh, verified=verified)
            is_marked = True
        except StoreUnavailableError:
            is_marked = False
            self._counters.count(RefreshOutcome.STORE_DOWN)
            logger.warning("sign-out %s: no tombstone, the store can't be reached", log_name(pair.refresh or ""))
        if latest.refresh is not None:
            deadline = Deadline(SIGN_OUT_DEADLINE_S, clock=self._clock.monotonic)
            expired = latest.access is None or is_expired(latest.access, now=self._clock.now())
            bearer = None if expired else latest.access
            self._token_endpoint.revoke(refresh=latest.refresh, bearer=bearer, deadline=deadline, request_id=request_id)
        pairs = [pair] if latest == pair else [pair, latest]
        return SignedOut(pairs=pairs, sign_in=sign_in, is_marked=is_marked)

    def tokens_to_set(self, tokens: TokenStore) -> TokenPair | None:
        """The pair to set as cookies after a refresh: the latest one, or None for no cookies.

        There are none if the sign-in was signed out meanwhile, or if that can't be known. In that case the next
        request gets the same tokens from the records.
        """
        pair, browser_refresh = tokens.current, tokens.browser_refresh
        if browser_refresh is None:
            return pair
        try:
            newest = self._records.newest(browser_refresh)
            if newest.signed_out_at is None and pair.refresh is not None and pair.refresh not in newest.passed:
                # No record leads to it yet, or a later refresh leads past it.
                newest = self._records.newest(pair.refresh)
        except StoreUnavailableError:
            self._counters.count(RefreshOutcome.STORE_DOWN)
            return None
        if newest.signed_out_at is not None:
            return None
        return newest.pair or pair

    def _join(self, attempt: RefreshAttempt, deadline: Deadline) -> tuple[RefreshResult, bool]:
        """Join the token's attempt in this process, or start this one; its result, and whether this one started."""
        shared_call, leads = self._single_flight.join(record_name(attempt.submitted))
        if leads:
            self._single_flight.run_in_thread(shared_call, partial(_run, attempt, shared_call), name="portal-refresh")
        waits = not leads and not shared_call.done
        wait_s = deadline.remaining() if leads else min(deadline.remaining(), REFRESH_WAIT_S)
        try:
            with waits_for("refresh"):
                result = shared_call.result(timeout_s=wait_s)
        except (TimeoutError, NoThreadError) as error:
            reason = "no thread to do it" if isinstance(error, NoThreadError) else "not done in time"
            logger.info("refresh %s: %s", log_name(attempt.submitted), reason)
            result = RetryLater(outcome=RefreshOutcome.BUSY)
            self._counters.count(result.outcome)
            return result, leads
        if not leads:
            if isinstance(result, Refreshed):
                result = Refreshed(
                    pair=result.pair, outcome=RefreshOutcome.JOINED if waits else RefreshOutcome.FROM_RECORD
                )
            self._counters.count(result.outcome)
        return result, leads

    def _apply(self, result: RefreshResult, tokens: TokenStore, replaced: str) -> Refreshed:
        """Do to the request's tokens what the result says, or raise."""
        if isinstance(result, Refreshed):
            just_issued = result.outcome is not RefreshOutcome.FROM_RECORD
            tokens.rotate(result.pair, replaced=replaced, just_issued=just_issued)
            if tokens.cleared:
                raise SignInEndedError("this sign-in has ended")
            return result
        if isinstance(result, SignInEnded):
            tokens.end(rejected=replaced, lost=result.outcome is RefreshOutcome.LOST, known_since=result.since)
            raise SignInEndedError(f"this sign-in has ended ({result.outcome.value})")
        raise _later(result.outcome) from result.cause


def _run(attempt: RefreshAttempt, shared_call: SharedCall[RefreshResult]) -> RefreshResult:
    """Make the attempt, in the trace of the request that began it."""
    with tracing.span("refresh", "attempt") as span:
        result = attempt.run(shared_call)
        span.set(tracing.OUTCOME, result.outcome.value)
    return result


def _later(outcome: RefreshOutcome) -> ApiUnavailableError:
    how = "is being renewed" if outcome is RefreshOutcome.BUSY else "can't be renewed right now"
    return ApiUnavailableError(
        f"Your sign-in {how}. Try again in a moment.", retry_after=RETRY_REFRESH_AFTER_S, was_sent=False
    )
