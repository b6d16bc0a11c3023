"""The silent refresh: one presentation for each refresh token, whoever asks, wherever.

Requirements, "Token refresh flow"; contract, section 8. A request that needs fresh tokens boards its token's
flight in this process (:mod:`portal.api.refresh.attempt` flies it) and waits as long as it may. The flight goes on when
its request has given up.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from portal.api.expiry import is_expired, sign_in_lifetime
from portal.api.metrics import Counters, Outcome, refresh_counters
from portal.api.refresh.attempt import OFFER_PAUSE_S, RefreshAttempt, Refreshed, Result, RetryLater, SignInEnded
from portal.api.refresh.sealing import record_name
from portal.api.refresh.token_records import TokenRecords, Verdict
from portal.api.tokens import SignInStatus, TokenStatus
from portal.config.limits import HANDOVER_AFTER_USE_S, REFRESH_FAILED_MEMORY_S, REFRESH_WAIT_S, SIGN_OUT_DEADLINE_S
from portal.errors import ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.process import Clock, Deadline, NoThreadError, SingleFlight

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.refresh.token_endpoint import TokenEndpoint
    from portal.api.tokens import TokenPair, TokenStore
    from portal.store import SharedStore

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)

#: What a page may say for each reason to come back later.
_LATER_DETAILS = {
    Outcome.BUSY: "Your sign-in is being renewed. Try again in a moment.",
    Outcome.UNREACHABLE: "Your sign-in can't be renewed right now. Try again in a moment.",
    Outcome.STORE_DOWN: "Your sign-in can't be renewed right now. Try again in a moment.",
}
RETRY_AFTER_S = 1.0


class TokenRefresher:
    """Refreshes, hands over and signs out. Safe for threads; one for each process.

    :param max_age_s: lifetime of a sign-in whose refresh token names none.
    """

    def __init__(
        self,
        *,
        exchange: TokenEndpoint,
        store: SharedStore,
        max_age_s: int,
        clock: Clock | None = None,
        counters: Counters | None = None,
    ) -> None:
        self._exchange = exchange
        self._ledger = TokenRecords(store, max_age_s=max_age_s)
        self._max_age_s = max_age_s
        self._clock = clock or Clock()
        self._counters = counters or refresh_counters()
        self._flights: SingleFlight[Result] = SingleFlight()

    def ensure_fresh(
        self, tokens: TokenStore, *, deadline: Deadline, request_id: str | None = None
    ) -> Refreshed | None:
        """Refresh if the access token is missing or past its own `exp`; None where there was no need, or no way.

        A fresh token costs no operation of the store.

        :raises SignInEndedError: the sign-in is over; the tokens are cleared.
        :raises ApiUnavailableError: no fresh token can be had now.
        """
        pair = tokens.current
        if pair.refresh is None:
            return None
        if pair.access is not None and not is_expired(pair.access, now=self._clock.now()):
            return None
        return self.renew(tokens, deadline=deadline, request_id=request_id)

    def renew(
        self, tokens: TokenStore, *, deadline: Deadline, request_id: str | None = None, refused: str | None = None
    ) -> Refreshed:
        """Get newer tokens for the request's refresh token, from whoever has them.

        :param refused: the access token that the backend has just answered 401, if there is one: it is no help,
            though it may not have expired.
        :raises SignInEndedError: the sign-in is over; the tokens are cleared.
        :raises ApiUnavailableError: no fresh token can be had now.
        """
        spent, presented = tokens.current.refresh, _brought(tokens)
        if spent is None or presented is None:
            raise SignInEndedError("this sign-in has ended")
        renewal = RefreshAttempt(
            presented=presented,
            refused=refused,
            request_id=request_id,
            exchange=self._exchange,
            ledger=self._ledger,
            clock=self._clock,
            counters=self._counters,
            max_age_s=self._max_age_s,
        )
        result, started = self._board(renewal, deadline)
        if refused is not None and not started and isinstance(result, Refreshed) and result.pair.access == refused:
            # Another request's flight, which did not know that this token is refused.
            result, _ = self._board(renewal, deadline)
        return self._settle(result, tokens, spent)

    def _board(self, renewal: RefreshAttempt, deadline: Deadline) -> tuple[Result, bool]:
        """The result of the token's flight, as far as this request may wait; and whether this request started it."""
        name = record_name(renewal.presented)
        flight, started = self._flights.join(name)
        if started:
            self._flights.run_in_thread(flight, partial(renewal.run, flight), name="portal-refresh")
        waits = not started and not flight.done
        patience = deadline.remaining() if started else min(deadline.remaining(), REFRESH_WAIT_S)
        try:
            result = flight.result(timeout_s=patience)
        except (TimeoutError, NoThreadError) as error:
            logger.info(
                "refresh %s: %s",
                name[:8],
                "nobody to do it" if isinstance(error, NoThreadError) else "waited for in vain",
            )
            self._counters.count(Outcome.BUSY)
            return RetryLater(outcome=Outcome.BUSY), started
        return (result if started else self._joined(result, waited=waits)), started

    def judge_refusal(self, tokens: TokenStore) -> None:
        """What it means that the backend answered 401 to a request that was refreshed.

        A token that it has only just given: that sign-in is over as well (contract, section 5, "No loops").
        Nothing ends where another cause is possible: a token that was handed over and not just issued, that
        expired on its way, or that has a successor by now.

        :raises ApiUnavailableError: the token expired on its way; another try gets a fresh one.
        """
        pair, brought = tokens.current, _brought(tokens)
        if tokens.fate is not TokenStatus.RENEWED or brought is None or pair.access is None:
            return
        if is_expired(pair.access, now=self._clock.now()):
            raise ApiUnavailableError(_LATER_DETAILS[Outcome.BUSY], retry_after=RETRY_AFTER_S, was_sent=False)
        if not tokens.just_issued:
            return
        try:
            entry = self._ledger.look(brought)
            if entry.family is not None and entry.family.pair != pair:
                return
            self._ledger.remember(
                entry.secret, head=entry.head, verdict=Verdict.FAILED, lifetime_s=REFRESH_FAILED_MEMORY_S
            )
        except StoreUnavailableError:
            return
        self._counters.count(Outcome.REJECTED)
        logger.warning("refresh %s: the backend refuses what it just issued", record_name(brought)[:8])
        tokens.end(refused=pair.refresh)

    def sign_in_status(self, pair: TokenPair) -> SignInStatus:
        """Whether the sign-in of these tokens was signed out, which a valid access token does not tell by itself.

        Costs one or two reads of the store, so it is asked for a token that is not bound to a user yet, not for each
        call.
        """
        try:
            signed_out = (pair.access is not None and self._ledger.is_buried(pair.access)) or (
                pair.refresh is not None and self._ledger.look(pair.refresh).signed_out
            )
        except StoreUnavailableError:
            self._counters.count(Outcome.STORE_DOWN)
            return SignInStatus.UNKNOWN
        return SignInStatus.SIGNED_OUT if signed_out else SignInStatus.ACTIVE

    def signed_in(self, pair: TokenPair) -> None:
        """Begin anew with tokens that the backend has just issued.

        One that does not rotate may issue the refresh token of an earlier sign-in again, whose tombstone or verdict
        must not meet this one. Where the store can't be reached that is left as it is: with all others it is nothing.
        """
        try:
            self._ledger.forget(pair)
        except StoreUnavailableError:
            self._counters.count(Outcome.STORE_DOWN)

    def sign_out(self, tokens: TokenStore, *, genuine: bool = True, request_id: str | None = None) -> list[TokenPair]:
        """End this sign-in everywhere: tombstones, the backend told (2 s at most each), the request's tokens cleared.

        Where the store can't be reached in this time, no tombstone is left: the backend's own revocation remains.

        :param genuine: whether these tokens are known to be a sign-in's. Anybody can sign out made-up ones:
            theirs leave tombstones for as long only as a response may be on its way, lest they fill the store.
        :returns: the pairs of this sign-in that are known: the presented one first, the newest last.
        """
        pair = tokens.current if tokens.current.refresh else tokens.incoming
        brought = _brought(tokens) or pair.refresh
        tokens.clear()
        newest = pair
        try:
            newest = self._bury(pair, brought, genuine=genuine)
        except StoreUnavailableError:
            self._counters.count(Outcome.STORE_DOWN)
            logger.warning("sign-out %s: no tombstone, the store can't be reached", record_name(pair.refresh or "")[:8])
        if newest.refresh is not None:
            deadline = Deadline(SIGN_OUT_DEADLINE_S, clock=self._clock.monotonic)
            access = newest.access
            bearer = None if access is None or is_expired(access, now=self._clock.now()) else access
            self._exchange.revoke(refresh=newest.refresh, bearer=bearer, deadline=deadline, request_id=request_id)
        return [pair] if newest == pair else [pair, newest]

    def _bury(self, pair: TokenPair, brought: str | None, *, genuine: bool) -> TokenPair:
        """Leave tombstones on the sign-in and its access tokens, and forget all else; its newest pair."""
        newest = pair
        patience = Deadline(SIGN_OUT_DEADLINE_S, clock=self._clock.monotonic)
        if brought is not None:
            entry = self._insist(patience, self._ledger.look, brought)
            genuine = genuine or entry.is_known
            lasts = max(self._tombstone_s(token, genuine=genuine) for token in {brought, entry.head})
            self._insist(patience, self._ledger.bury, [entry.secret], lifetime_s=lasts)
            # Read after the tombstone is written: a refresh in flight that hands over later finds it.
            family = self._insist(patience, self._ledger.look, brought).family
            if family is not None:
                newest = family.pair
                self._insist(patience, self._ledger.drop, entry.secret, forgotten=family.spent(now=self._clock.now()))
        accesses = {token for token in (pair.access, newest.access) if token is not None}
        if accesses:
            lasts = max(self._tombstone_s(token, genuine=genuine) for token in accesses)
            self._insist(patience, self._ledger.bury, accesses, lifetime_s=lasts)
        return newest

    def _insist(self, patience: Deadline, operation: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Try until it is done or patience ends.

        No late response may undo a sign-out since a store failed for a moment, or since its circuit is open for one.
        """
        while True:
            try:
                return operation(*args, **options)
            except StoreUnavailableError:
                if patience.passed:
                    raise
            self._clock.sleep(OFFER_PAUSE_S)

    def _tombstone_s(self, token: str, *, genuine: bool) -> int:
        # At least that, also where a token is over by this machine's clock: the backend's may differ.
        lifetime = sign_in_lifetime(token, now=self._clock.now(), default_s=self._max_age_s) if genuine else 0
        return max(HANDOVER_AFTER_USE_S, lifetime)

    def deliverable(self, tokens: TokenStore) -> TokenPair | None:
        """The pair to set as cookies for a request that was refreshed: the newest one, or None for nothing.

        Nothing is delivered for a sign-in that was signed out meanwhile, and nothing while that can't be known:
        the family's record gives the same tokens to the next request.
        """
        pair, brought = tokens.current, _brought(tokens)
        if brought is None:
            return pair
        try:
            entry = self._ledger.look(brought)
        except StoreUnavailableError:
            self._counters.count(Outcome.STORE_DOWN)
            return None
        if entry.signed_out:
            return None
        return entry.family.pair if entry.family is not None and entry.family.knows(pair) else pair

    def _joined(self, result: Result, *, waited: bool) -> Result:
        """The result of a flight that another request started, as this one counts it."""
        if isinstance(result, Refreshed):
            result = Refreshed(pair=result.pair, outcome=Outcome.JOINED if waited else Outcome.HANDED_OVER)
        self._counters.count(result.outcome)
        return result

    def _settle(self, result: Result, tokens: TokenStore, refresh: str) -> Refreshed:
        if isinstance(result, Refreshed):
            tokens.renew(result.pair, spent=refresh, just_issued=result.outcome is not Outcome.HANDED_OVER)
            if tokens.cleared:
                raise SignInEndedError("this sign-in has ended")
            return result
        if isinstance(result, SignInEnded):
            tokens.end(refused=refresh, lost=result.outcome is Outcome.LOST)
            raise SignInEndedError(f"this sign-in has ended ({result.outcome.value})")
        later = ApiUnavailableError(_LATER_DETAILS[result.outcome], retry_after=RETRY_AFTER_S, was_sent=False)
        raise later from result.cause


def _brought(tokens: TokenStore) -> str | None:
    """The refresh token by which the browser knows this request's sign-in.

    That of its cookies, until the request itself signs somebody in: the browser has none of the newer ones yet.
    """
    return (tokens.incoming if tokens.fate is TokenStatus.RENEWED else tokens.current).refresh
