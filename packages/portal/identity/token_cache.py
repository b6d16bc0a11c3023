"""A process decodes each token once, not once for each request.

Decoding takes 20 to 90 µs, a look-up 0.1 µs. The cache's key is the whole token. Expiry is not cached: it is
checked at each use.

Good and bad tokens have a bounded cache each, and the oldest entry is evicted first. So many bad tokens evict no
good one. An evicted good token costs one decoding.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from fork_safety import ForkSafeLock
from portal.config.limits import EXPIRY_LEEWAY_S
from portal.config.portal_config import ClaimMapping, PortalConfig, ReadsClaims
from portal.identity.users import MAX_TOKEN_CHARS, DecodedUser, decode_user
from portal.identity.verification import NOT_A_TOKEN, TokenVerifier, UnknownKeyError, make_verifier

T = TypeVar("T")


class TokenState(Enum):
    """The state of an access token at one moment."""

    ABSENT = "absent"
    VALID = "valid"
    #: It decodes and verifies, and is past its `exp`.
    EXPIRED = "expired"
    #: It does not decode, does not verify, or is not valid yet.
    INVALID = "invalid"
    #: Its key is not known yet. It counts as absent, and no cookie is cleared. When the keys have been fetched again
    #: and its key is not among them, it is invalid.
    UNVERIFIABLE = "unverifiable"


@dataclass(frozen=True, slots=True, eq=False)
class TokenCheck:
    """A token's state, and its user if it decodes and verifies.

    Compared by identity: the same token gives the same object, so a cache can have it in its key.
    """

    state: TokenState
    user: DecodedUser | None = None


NO_TOKEN = TokenCheck(TokenState.ABSENT)
#: It does not decode or does not verify. No call carries such a token.
INVALID = TokenCheck(TokenState.INVALID)
#: It verifies, but its `nbf` is in the future: one of two clocks is wrong. A refresh would give another such token for
#: each request, so this one is sent to the backend.
EARLY = TokenCheck(TokenState.INVALID)
#: It is not read (`APP_OIDC_ACCESS_TOKENS`). At the edge it counts as absent, as a token that does not decode. Only the
#: backend can tell whether it is good, so it is sent there.
OPAQUE = TokenCheck(TokenState.INVALID)
UNVERIFIABLE = TokenCheck(TokenState.UNVERIFIABLE)


class _Known(NamedTuple):
    valid: TokenCheck
    expired: TokenCheck
    valid_until: float
    valid_from: float
    generation: int


class TokenCache:
    """The token cache of one process. Thread-safe: reads take no lock, changes take one.

    :param verifier: None if tokens are only decoded.
    :param mapping: for a provider that has its own claim for permissions.
    :param backend: for a backend whose claims have other names.
    :param good: the number of good tokens.
    :param bad: the number of bad tokens.
    """

    def __init__(
        self,
        *,
        verifier: TokenVerifier | None = None,
        mapping: ClaimMapping | None = None,
        backend: ReadsClaims | None = None,
        good: int = 4096,
        bad: int = 512,
    ) -> None:
        self._verifier = verifier
        self._mapping = mapping
        self._backend = backend
        self._good: _Bounded[_Known] = _Bounded(good)
        self._bad: _Bounded[int] = _Bounded(bad)
        #: Token to the number of key fetches begun when its key was first missed. Not by key id: a caller who names a
        #: key id before the key is published must not make the first tokens of that key invalid.
        self._missed: _Bounded[int] = _Bounded(bad)

    def check(self, token: str | None, *, now: float) -> TokenCheck:
        """The state of `token` at `now` (seconds since the epoch). Never raises."""
        if not token:
            return NO_TOKEN
        verifier = self._verifier
        # Configured keys never change.
        generation = verifier.source.generation if verifier and not verifier.secrets else 0
        known = self._good.kept.get(token)
        if known is None or known.generation != generation:
            if len(token) > MAX_TOKEN_CHARS or self._bad.kept.get(token) == generation:
                return INVALID
            # Read before the keys, so that the keys of this fetch are among those that are looked up.
            succeeded = verifier.source.succeeded if verifier else 0
            try:
                user = decode_user(token, verifier=verifier, mapping=self._mapping, backend=self._backend)
                known = _known(user, generation)
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
        """Invalid, if a fetch has succeeded that began after this token's key was first missed; else unverifiable."""
        begun = self._missed.kept.get(token)
        if begun is None:
            self._missed.keep(token, self._verifier.source.begun if self._verifier else 0)
            return UNVERIFIABLE
        if succeeded <= begun:
            return UNVERIFIABLE
        self._bad.keep(token, generation)
        return INVALID


class OpaqueTokens(TokenCache):
    """In place of the cache where access tokens say nothing to the portal."""

    def check(self, token: str | None, *, now: float) -> TokenCheck:  # noqa: ARG002  nobody knows when it ends
        """`OPAQUE` for any token."""
        return OPAQUE if token else NO_TOKEN


def make_token_cache(config: PortalConfig) -> TokenCache:
    """What checks the access tokens of a project.

    :raises ConfigurationError: the configured key does not fit the algorithms.
    """
    if config.oidc.opaque_access_tokens:
        return OpaqueTokens()
    return TokenCache(verifier=make_verifier(config.verification), mapping=config.oidc.mapping, backend=config.backend)


class _Bounded(Generic[T]):
    """A dictionary that evicts its oldest entry when it is full."""

    def __init__(self, limit: int) -> None:
        self.kept: dict[str, T] = {}
        self._limit = limit
        self._lock = ForkSafeLock()

    def keep(self, key: str, value: T) -> None:
        with self._lock:
            if key not in self.kept and len(self.kept) >= self._limit:
                del self.kept[next(iter(self.kept))]
            self.kept[key] = value


def _known(user: DecodedUser, generation: int) -> _Known:
    return _Known(
        valid=TokenCheck(TokenState.VALID, user),
        expired=TokenCheck(TokenState.EXPIRED, user),
        valid_until=math.inf if user.expires_at is None else user.expires_at + EXPIRY_LEEWAY_S,
        valid_from=-math.inf if user.not_before is None else user.not_before - EXPIRY_LEEWAY_S,
        generation=generation,
    )
