"""Ends of sign-ins in the shared store: by a sign-out, and by an operator.

A sign-out ends the newest token, to which all tokens of the sign-in lead, and leaves tombstones on its access tokens.
An operator ends all sign-ins of a user (docs/explanation/token-refresh.md, "An operator ends sign-ins"). Since a
browser may lose its access token before the first refresh, a later sign-in of that user leaves a note of when it began.
"""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final, NamedTuple, ParamSpec, TypeVar

import jwt
from msgspec.structs import replace

from portal.api.backend import current_backend
from portal.api.refresh.results import SAVE_PAUSE_S
from portal.api.refresh.sealing import record_name
from portal.api.refresh.token_record import State, record_lifetime
from portal.api.refresh.token_records import TokenRecords
from portal.api.tokens import MAX_LIFETIME_S, TokenPair
from portal.config.cookies import MAX_COOKIE_BYTES
from portal.config.limits import ROTATION_GRACE_S, SIGN_OUT_DEADLINE_S
from portal.errors import StoreUnavailableError
from portal.identity import contract_claims, subject_in
from portal.process import Clock, Deadline
from portal.store import MISSING, SharedStore

P = ParamSpec("P")
T = TypeVar("T")

#: Number of times that a sign-out tries to end the newest token while others change its record.
_MOST_RACES: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """Marks sign-ins as signed out.

    :param max_age_s: lifetime of a sign-in whose refresh token names none.
    """

    records: TokenRecords
    clock: Clock
    max_age_s: int

    def mark_signed_out(
        self, pair: TokenPair, browser_refresh: str | None, *, verified: bool
    ) -> tuple[TokenPair, str | None]:
        """Set the newest token's record to "out", and leave tombstones on the access tokens.

        :param browser_refresh: the refresh token by which the browser knows the sign-in.
        :param verified: whether these tokens are known to be a sign-in's. Records of made-up ones, which anybody can
            send, last only as long as a response may be on its way; else they could fill the store.
        :returns: the newest pair of the sign-in, and its name in the audit log; None for one without a refresh token.
        :raises StoreUnavailableError: the store failed for 2 s, so an end may be missing.
        """
        latest, now = pair, self.clock.now()
        sign_in: str | None = None
        time_left = Deadline(SIGN_OUT_DEADLINE_S, clock=self.clock.monotonic)
        is_out, tokens = browser_refresh is None, set[str]()
        for _ in range(_MOST_RACES):
            if is_out or browser_refresh is None:
                break
            newest = self._insist(time_left, self.records.newest, browser_refresh)
            record, token = newest.record, newest.refresh
            sign_in, latest, tokens = record.sign_in, newest.pair or pair, {browser_refresh, token}
            verified = verified or record.is_known or record.first_at is not None or len(newest.passed) > 1
            lifetime_s = max(self._lasts_s(each, verified=verified) for each in tokens)
            out = replace(record, state=State.OUT, at=now)
            is_out = self._insist(time_left, self.records.replace, token, record, out, lifetime_s=lifetime_s)
        accesses = {token for token in (pair.access, latest.access) if token is not None}
        if tokens | accesses:
            lifetime_s = max(self._lasts_s(token, verified=verified) for token in tokens | accesses)
            mark = partial(self.records.mark_signed_out, accesses, refresh=tokens, now=now, lifetime_s=lifetime_s)
            self._insist(time_left, mark)
        if not is_out:
            raise StoreUnavailableError("the newest record of a sign-in is damaged, or changes all the time")
        return latest, sign_in

    def _insist(self, time_left: Deadline, operation: Callable[P, T], *args: P.args, **options: P.kwargs) -> T:
        """Try until it works or the time is over.

        A store that fails for a moment, or whose circuit is open, must not let a late response undo a sign-out.
        """
        while True:
            try:
                return operation(*args, **options)
            except StoreUnavailableError:
                if time_left.passed:
                    raise
            self.clock.sleep(SAVE_PAUSE_S)

    def _lasts_s(self, token: str, *, verified: bool) -> int:
        lasts_s = record_lifetime(token, now=self.clock.now(), default_s=self.max_age_s)
        return lasts_s if verified else ROTATION_GRACE_S


_UNREADABLE: Final = (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError)


class _Issue(NamedTuple):
    """Whose token, and when it was issued, in seconds since the epoch; None where it does not say."""

    subject: str | None
    issued_at: float | None


@dataclass(frozen=True, slots=True)
class UserEnds:
    """The ends of one store. Every method may raise `StoreUnavailableError`."""

    store: SharedStore

    def end(self, subject: str, *, now: float) -> None:
        """End all sign-ins of a user whose tokens were issued up to now. A later end replaces an earlier one.

        :param subject: the claim `sub` of the user's access tokens.
        """
        # Longer than any sign-in lasts.
        self.store.set(_key(subject), math.floor(now), lifetime_s=MAX_LIFETIME_S)

    def note_sign_in(self, pair: TokenPair, *, now: float, lifetime_s: int) -> None:
        """Note when a sign-in began whose user has an end; for all other users nothing is written."""
        if pair.access is None or pair.refresh is None:
            return
        issue = _read(pair.access)
        if issue.subject is None or self.store.get(_key(issue.subject)) is MISSING:
            return
        began = now if issue.issued_at is None else issue.issued_at
        self.store.set(_sign_in_key(pair.refresh), began, lifetime_s=lifetime_s)

    def began(self, refresh: str) -> float:
        """When the sign-in began whose first refresh token this is; -inf where there is no note of it."""
        began = self.store.get(_sign_in_key(refresh))
        return began if isinstance(began, int | float) and not isinstance(began, bool) else -math.inf

    def has_ended(self, access: str | None) -> bool:
        """Whether an end is later than this access token, whose claims need not be verified.

        A token that names no time of issue has not ended: its user could never sign in again.
        """
        return access is not None and self.ended_since(access, _read(access).issued_at)

    def ended_since(self, access: str, issued_at: float | None) -> bool:
        """Whether the user of this access token has an end at that moment or later."""
        subject = _read(access).subject
        if subject is None or issued_at is None:
            return False
        end = self.store.get(_key(subject))
        return end is not MISSING and isinstance(end, int | float) and issued_at < end + 1

    def reach(self, renewed: TokenPair, *, known: str | None, access: str | None, submitted: str) -> bool:
        """Whether an end came while a sign-in was renewed: its new token is later than the end.

        :param known: the access token that it had, as the store knew it. Where nobody knows one, the note of the
            beginning counts, and without one any end of this user.
        :param access: the request's access token, expired or not. It may be made up, so it counts only where the store
            knows none of this sign-in.
        :param submitted: the request's refresh token.
        """
        known = known or access
        issued_at = self.began(submitted) if known is None else _read(known).issued_at
        return renewed.access is not None and self.ended_since(renewed.access, issued_at)


def _key(subject: str) -> str:
    digest = hashlib.sha256(f"portal user end\0{subject}".encode("utf-8", "surrogatepass")).hexdigest()
    return f"user-end:{digest[:40]}"


def _sign_in_key(refresh: str) -> str:
    return f"{record_name(refresh)}:began"


@lru_cache(maxsize=1024)
def _read(access: str) -> _Issue:
    if len(access) > MAX_COOKIE_BYTES:
        return _Issue(None, None)
    try:
        claims = jwt.decode(access, options={"verify_signature": False})
    except _UNREADABLE:
        return _Issue(None, None)
    issued = claims.get("iat")
    # `isfinite` raises an error for an integer that no float can hold.
    if isinstance(issued, bool) or not isinstance(issued, int | float) or not -math.inf < issued < math.inf:
        issued = None
    return _Issue(subject_in(contract_claims(claims, current_backend())), issued)
