"""The tokens of one request: what its cookies brought, and what its response must set."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPair:
    """An access token and a refresh token; either may be missing. Its `repr` shows neither."""

    access: str | None = field(default=None, repr=False)
    refresh: str | None = field(default=None, repr=False)


NO_TOKENS = TokenPair()


class TokenStatus(Enum):
    """What became of a request's tokens, which decides what its response does with the cookies."""

    KEPT = "kept"
    #: A sign-in gave new ones.
    SIGNED_IN = "signed in"
    #: A refresh gave new ones.
    RENEWED = "renewed"
    #: A sign-out, or tokens that were dead when they came.
    CLEARED = "cleared"
    #: They were refused while the request ran: by the backend, or because they were signed out before.
    ENDED = "ended"
    #: What became of the newest of them can't be known, and it may not be presented again: only a new sign-in helps.
    LOST = "lost"


class SignInStatus(Enum):
    """What the shared store knows about the sign-in of a token pair."""

    #: Nobody signed it out.
    ACTIVE = "active"
    SIGNED_OUT = "signed out"
    #: The store can't be reached. The backend's own revocation remains.
    UNKNOWN = "unknown"


class TokenStore:
    """One request's tokens; the threads of that request may share it.

    The outermost middleware makes it from the cookies and writes cookies from it on the way out. Nothing below
    ever sees a response.
    """

    __slots__ = ("_current", "_fate", "_incoming", "_just_issued", "_lock")

    def __init__(self, incoming: TokenPair = NO_TOKENS) -> None:
        self._incoming = self._current = incoming
        self._fate = TokenStatus.KEPT
        self._just_issued = False
        self._lock = threading.Lock()

    @property
    def incoming(self) -> TokenPair:
        """The pair that the request's cookies brought."""
        return self._incoming

    @property
    def current(self) -> TokenPair:
        """The pair that calls use now."""
        return self._current

    @property
    def fate(self) -> TokenStatus:
        """What became of the incoming pair."""
        return self._fate

    @property
    def just_issued(self) -> bool:
        """Whether the current pair came from the backend for this very request, and not from a record."""
        return self._just_issued

    @property
    def changed(self) -> bool:
        """Whether there are new tokens for the browser."""
        return self._fate is TokenStatus.SIGNED_IN or self._fate is TokenStatus.RENEWED

    @property
    def cleared(self) -> bool:
        """Whether the browser's tokens must go."""
        return self._fate is TokenStatus.CLEARED or self.ended

    @property
    def ended(self) -> bool:
        """Whether they must go because the sign-in can't go on: the response is a redirect, whatever the view made."""
        return self._fate is TokenStatus.ENDED or self._fate is TokenStatus.LOST

    @property
    def lost(self) -> bool:
        """Whether that is since nobody knows what became of them: the redirect is to the sign-in page."""
        return self._fate is TokenStatus.LOST

    def replace(self, pair: TokenPair) -> None:
        """A sign-in: these tokens, whatever was before."""
        with self._lock:
            self._current, self._fate, self._just_issued = pair, TokenStatus.SIGNED_IN, False

    def renew(self, pair: TokenPair, *, spent: str, just_issued: bool = False) -> bool:
        """A refresh of the refresh token `spent` gave `pair`; ignored if another token is in use by now.

        So a late refresh undoes neither a sign-out nor a sign-in of the same request.
        """
        with self._lock:
            if self._current.refresh != spent:
                return False
            self._current, self._just_issued = pair, just_issued
            if self._fate is not TokenStatus.SIGNED_IN:
                self._fate = TokenStatus.RENEWED
            return True

    def reject_access(self) -> None:
        """The access token does not decode, or does not verify: it counts as absent, and no call carries it."""
        with self._lock:
            self._current = TokenPair(refresh=self._current.refresh)

    def clear(self) -> None:
        """A sign-out, or tokens that are dead: the browser's cookies go."""
        with self._lock:
            self._current, self._fate = NO_TOKENS, TokenStatus.CLEARED

    def end(self, *, refused: str | None, lost: bool = False) -> bool:
        """The sign-in of the refresh token `refused` is over; ignored if another one is in use by now.

        :param lost: nobody refused it: what became of it can't be known.
        """
        with self._lock:
            if self._current.refresh != refused:
                return False
            self._current, self._fate = NO_TOKENS, TokenStatus.LOST if lost else TokenStatus.ENDED
            return True
