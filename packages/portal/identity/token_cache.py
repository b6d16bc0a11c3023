"""Each token is decoded once in a process, not once in a request.

Decoding costs 20 to 90 microseconds, a look-up a tenth of one. What is remembered is the whole token's result,
under the whole token; whether it has expired is asked again at each use.

Bounded twice: good tokens and bad ones are kept apart, each the oldest out first, so a flood of bad tokens
pushes out no good one. A good one that was pushed out costs one decoding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from fork_safety import ForkSafeLock
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.identity.users import MAX_TOKEN_CHARS, NOT_A_TOKEN, DecodedUser, decode_user
from portal.identity.verification import UnknownKeyError

if TYPE_CHECKING:
    from portal.config.portal_config import ClaimMapping
    from portal.identity.verification import TokenVerifier


T = TypeVar("T")


class TokenState(Enum):
    """What an access token is worth at this moment."""

    ABSENT = "absent"
    VALID = "valid"
    #: It decodes and verifies, and is past its `exp`.
    EXPIRED = "expired"
    #: It does not decode, or does not verify, or is not valid yet.
    INVALID = "rejected"
    #: Its key is not known (yet): it counts as absent, and nothing is cleared because of it. Once the keys were fetched
    #: anew and its key was not among them, it is rejected.
    UNVERIFIABLE = "unjudged"


@dataclass(frozen=True, slots=True, eq=False)
class TokenCheck:
    """A token's state, and its user where it decodes and verifies.

    Compared by identity: the same token gives the same reading, so what follows from it can be kept.
    """

    state: TokenState
    user: DecodedUser | None = None


NO_TOKEN = TokenCheck(TokenState.ABSENT)
#: It does not decode, or does not verify: made up, for all that can be said. No call carries it.
INVALID = TokenCheck(TokenState.INVALID)
#: It verifies, and is not valid yet: one of the two clocks is wrong. A refresh would give another of its kind, for each
#: request anew, so the backend is asked what it thinks of this one.
EARLY = TokenCheck(TokenState.INVALID)
UNVERIFIABLE = TokenCheck(TokenState.UNVERIFIABLE)


class _Known(NamedTuple):
    valid: TokenCheck
    expired: TokenCheck
    valid_until: float
    valid_from: float
    generation: int


class TokenCache:
    """The bounded memory of one process. Safe for threads: reads take no lock, changes take one.

    :param verifier: None where tokens are only decoded.
    :param mapping: where a provider has a claim of its own for permissions.
    :param good: how many good tokens are kept.
    :param bad: how many bad ones.
    """

    def __init__(
        self,
        *,
        verifier: TokenVerifier | None = None,
        mapping: ClaimMapping | None = None,
        good: int = 4096,
        bad: int = 512,
    ) -> None:
        self._verifier = verifier
        self._mapping = mapping
        self._good: _Bounded[_Known] = _Bounded(good)
        self._bad: _Bounded[int] = _Bounded(bad)
        #: How many fetches of keys had begun when a token's key was missed first. For each token, not for each key
        #: id: whoever names a key before it is published must not have its first tokens rejected.
        self._missed: _Bounded[int] = _Bounded(bad)

    def read(self, token: str | None, *, now: float) -> TokenCheck:
        """What `token` is worth at `now` (seconds since the epoch). Never raises."""
        if not token:
            return NO_TOKEN
        verifier = self._verifier
        generation = verifier.generation if verifier else 0
        known = self._good.kept.get(token)
        if known is None or known.generation != generation:
            if len(token) > MAX_TOKEN_CHARS or self._bad.kept.get(token) == generation:
                return INVALID
            # Asked before the keys are: what this fetch brought is among them.
            succeeded = verifier.succeeded if verifier else 0
            try:
                known = _judged(decode_user(token, verifier=verifier, mapping=self._mapping), generation)
            except UnknownKeyError:
                return self._without_key(token, generation, succeeded)
            except NOT_A_TOKEN:
                self._bad.keep(token, generation)
                return INVALID
            self._good.keep(token, known)
        if now >= known.valid_until:
            return known.expired
        return known.valid if now >= known.valid_from else EARLY

    def _without_key(self, token: str, generation: int, succeeded: int) -> TokenCheck:
        """Rejected if a fetch that began after the token was here first has succeeded, and brought no key for it."""
        begun = self._missed.kept.get(token)
        if begun is None:
            self._missed.keep(token, self._verifier.begun if self._verifier else 0)
            return UNVERIFIABLE
        if succeeded <= begun:
            return UNVERIFIABLE
        self._bad.keep(token, generation)
        return INVALID


class _Bounded(Generic[T]):
    """A dictionary that forgets its oldest entry when it is full."""

    def __init__(self, limit: int) -> None:
        self.kept: dict[str, T] = {}
        self._limit = limit
        self._lock = ForkSafeLock()

    def keep(self, key: str, value: T) -> None:
        with self._lock:
            if key not in self.kept and len(self.kept) >= self._limit:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = value


def _judged(user: DecodedUser, generation: int) -> _Known:
    return _Known(
        valid=TokenCheck(TokenState.VALID, user),
        expired=TokenCheck(TokenState.EXPIRED, user),
        valid_until=math.inf if user.expires_at is None else user.expires_at + EXPIRY_LEEWAY_S,
        valid_from=-math.inf if user.not_before is None else user.not_before - EXPIRY_LEEWAY_S,
        generation=generation,
    )
