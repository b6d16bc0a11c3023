"""The tokens of one request: the pair that its cookies brought, the pair now, and when a token expires."""

import base64
import json
import logging
import math
import threading
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Final, Protocol

from portal.config.cookies import MAX_COOKIE_BYTES

logger = logging.getLogger(__name__)

#: A browser keeps no cookie for longer than 400 days (RFC 6265bis, section 5.5).
MAX_LIFETIME_S: Final = 400 * 24 * 60 * 60
_JWT_PARTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPair:
    """An access token and a refresh token; either may be missing. Its `repr` shows neither."""

    access: str | None = field(default=None, repr=False)
    refresh: str | None = field(default=None, repr=False)


NO_TOKENS: Final = TokenPair()


class TokenStatus(Enum):
    """What became of a request's tokens, which decides what its response does with the cookies."""

    KEPT = "kept"
    #: A sign-in gave new ones.
    SIGNED_IN = "signed in"
    #: A refresh gave new ones.
    REFRESHED = "refreshed"
    #: A sign-out, or tokens that were dead when they came.
    CLEARED = "cleared"
    #: The sign-in ended while the request ran: the backend rejected the tokens, or they had been signed out.
    ENDED = "ended"
    #: Nobody can tell what became of the latest token, and it must not be submitted again. Only a new sign-in helps.
    LOST = "lost"


class HandOn(Protocol):
    """Has what belongs to an access token belong to the one that replaces it."""

    def __call__(self, old: str, new: str, *, is_proven: bool) -> None:
        """Hand on.

        :param is_proven: whether both tokens are certainly of one sign-in.
        """


def _hand_on_nothing(old: str, new: str, *, is_proven: bool) -> None:
    """Do nothing: nobody caches anything under an access token."""


def hand_on_safely(hand_on: HandOn, old: str | None, new: str | None, *, is_proven: bool) -> None:
    """Hand on from an access token to its successor, before anybody can have it. Never raises."""
    if old is None or new is None:
        return
    try:
        hand_on(old, new, is_proven=is_proven)
    except Exception as error:  # noqa: BLE001  the old pair is spent: whatever is wrong, the new one must not be lost
        logger.warning("what is cached is not handed on to a new token: %s", error)


class TokenStore:
    """One request's tokens; the threads of that request may share it.

    The outermost middleware makes it from the cookies, and writes cookies from it into the response. Nothing below the
    middleware sees a response. The attributes are for reading; only the methods change them.

    :ivar incoming: the pair that the request's cookies brought.
    :ivar current: the pair that calls use now.
    :ivar status: what became of the incoming pair.
    :ivar just_issued: whether the backend issued the current pair for this very request; no for a pair from a record.
    :ivar known_since: since when others have known that the sign-in ended, in seconds since the epoch: their responses
        have told the browser. None if this request found it out.
    :ivar accepted: the access token that GET `/me` did not refuse after another call had.
    :ivar unanswered: when this request's submissions began that had no usable answer, monotonic seconds.
    :ivar asking: is held while `/me` is asked.
    :ivar hand_on: a refresh calls it before anybody has the new access token.
    """

    __slots__ = (
        "_lock",
        "accepted",
        "asking",
        "current",
        "hand_on",
        "incoming",
        "just_issued",
        "known_since",
        "status",
        "unanswered",
    )

    def __init__(self, incoming: TokenPair = NO_TOKENS) -> None:
        self.incoming = self.current = incoming
        self.status = TokenStatus.KEPT
        self.just_issued = False
        self.known_since: float | None = None
        self.accepted: str | None = None
        self.unanswered: list[float] = []
        self.hand_on: HandOn = _hand_on_nothing
        self._lock, self.asking = threading.Lock(), threading.Lock()

    @property
    def browser_refresh(self) -> str | None:
        """The refresh token by which the browser knows the sign-in: no refresh of this request has reached it yet."""
        return (self.incoming if self.status is TokenStatus.REFRESHED else self.current).refresh

    @property
    def changed(self) -> bool:
        """Whether there are new tokens for the browser."""
        return self.status is TokenStatus.SIGNED_IN or self.status is TokenStatus.REFRESHED

    @property
    def cleared(self) -> bool:
        """Whether the browser's tokens must go."""
        return self.status in (TokenStatus.CLEARED, TokenStatus.ENDED, TokenStatus.LOST)

    @property
    def ended(self) -> bool:
        """Whether the sign-in can't go on: then the response is a redirect, whatever the view returned."""
        return self.status is TokenStatus.ENDED or self.status is TokenStatus.LOST

    @property
    def lost(self) -> bool:
        """Whether it ended because nobody can tell what became of its latest token: a redirect to the sign-in page."""
        return self.status is TokenStatus.LOST

    def sign_in(self, pair: TokenPair) -> None:
        """A sign-in gave this pair, which replaces any other."""
        with self._lock:
            self.current, self.status, self.just_issued = pair, TokenStatus.SIGNED_IN, False

    def rotate(self, pair: TokenPair, *, replaced: str, just_issued: bool = False) -> bool:
        """A refresh gave `pair` for the refresh token `replaced`. Nothing happens if another token is in use by now.

        So a late refresh undoes neither a sign-out nor a sign-in of the same request.
        """
        with self._lock:
            if self.current.refresh != replaced:
                return False
            self.current, self.just_issued = pair, just_issued
            if self.status is not TokenStatus.SIGNED_IN:
                self.status = TokenStatus.REFRESHED
            return True

    def drop_access(self) -> None:
        """The access token does not decode or verify: it counts as absent, and no call carries it."""
        with self._lock:
            self.current = TokenPair(refresh=self.current.refresh)

    def clear(self) -> None:
        """A sign-out, or dead tokens: the browser's cookies go."""
        with self._lock:
            self.current, self.status = NO_TOKENS, TokenStatus.CLEARED

    def end(self, *, rejected: str | None, lost: bool = False, known_since: float | None = None) -> bool:
        """The sign-in of the refresh token `rejected` is over. Nothing happens if another token is in use by now.

        :param lost: nobody rejected the token: nobody can tell what became of it.
        """
        with self._lock:
            if self.current.refresh != rejected:
                return False
            self.current, self.status = NO_TOKENS, TokenStatus.LOST if lost else TokenStatus.ENDED
            self.known_since = known_since
            return True


def expires_at(token: str) -> float | None:
    """The claim `exp` of a JWT, in seconds since the epoch; None for any other token. Nothing is verified.

    A token that is larger than any cookie is made up: it is neither read nor remembered.
    """
    return _read_exp(token) if len(token) <= MAX_COOKIE_BYTES else None


def is_expired(token: str, *, now: float) -> bool:
    """Whether a token's `exp` has passed at `now`; a token without `exp` does not expire."""
    end = expires_at(token)
    return end is not None and end <= now


def sign_in_lifetime(refresh: str | None, *, now: float, default_s: int) -> int:
    """Seconds for which a sign-in with this refresh token lasts: until its `exp`, else `default_s`.

    Source: contract, section 4. The cookies and the records of refresh tokens share this lifetime.
    """
    end = expires_at(refresh) if refresh else None
    seconds = default_s if end is None else math.ceil(end - now)
    return max(0, min(seconds, MAX_LIFETIME_S))


@lru_cache(maxsize=1024)
def _read_exp(token: str) -> float | None:
    parts = token.split(".")
    if len(parts) != _JWT_PARTS:
        return None
    try:
        claims = json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except (ValueError, RecursionError):
        return None
    value = claims.get("exp") if isinstance(claims, dict) else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None
