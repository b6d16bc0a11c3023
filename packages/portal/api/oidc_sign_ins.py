"""What the portal keeps about sign-ins that came from the provider, in the refresh store.

The provider ends a sign-in by naming its session (`sid`) or its user (`sub`); the portal knows sign-ins by their
tokens, which change with every refresh. So each token has a record: hashes of both names, when the sign-in began,
and the ID token, sealed under the token itself, which the provider's sign-out page wants to see. A refresh carries
the record over to the new token.

An end is one entry for the session or for the user; what began before it has ended. Whoever reads the store sees
hashes and ciphertext.
"""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from portal.api.expiry import sign_in_lifetime
from portal.api.refresh.sealing import UnreadableRecordError, record_name, seal, unseal
from portal.store import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.oidc_tokens import LoggedOut, SignedInAs
    from portal.api.tokens import TokenPair
    from portal.store import SharedStore

#: How long a logout token is known as used, seconds: longer than it is accepted.
USED_FOR_S: Final = 15 * 60
#: How long the record of a token that was refreshed stays, seconds: whoever still holds it gets the new one, with its
#: record, as soon as its access token is over.
SPENT_FOR_S: Final = 15 * 60


@dataclass(frozen=True, slots=True)
class ProviderSignIns:
    """The records. Every method may raise `StoreUnavailableError`.

    :param max_age_s: lifetime of a sign-in whose token names none.
    :param clock: seconds since the epoch.
    """

    store: SharedStore
    max_age_s: int
    clock: Callable[[], float] = time.time

    def begin(self, pair: TokenPair, *, signed_in_as: SignedInAs, id_token: str) -> None:
        """A sign-in begins with these tokens."""
        token = anchor(pair)
        if token is None:
            return
        record = {
            "sid": None if signed_in_as.sid is None else _hashed("sid", signed_in_as.sid),
            "sub": _hashed("sub", signed_in_as.subject),
            "since": self.clock(),
            "hint": seal(id_token, under=token),
        }
        self.store.set(_record_key(token), record, lifetime_s=self._lifetime(token))

    def carry_over(self, *, spent: str, pair: TokenPair) -> None:
        """A refresh gave `pair` for `spent`: the sign-in goes on under its new token."""
        token = anchor(pair)
        record = self._record(spent)
        if token is None or token == spent or record is None:
            return
        hint = self._hint(record, spent)
        sealed = None if hint is None else seal(hint, under=token)
        self.store.set(_record_key(token), record | {"hint": sealed}, lifetime_s=self._lifetime(token))
        # Else each refresh of a sign-in would leave one more.
        self.store.touch(_record_key(spent), lifetime_s=SPENT_FOR_S)

    def forget(self, token: str) -> None:
        """The sign-in of this token was signed out: nobody asks for its record any more."""
        self.store.delete(_record_key(token))

    def end(self, logged_out: LoggedOut) -> bool:
        """The provider ended a session, or all of a user's; False for a logout token that was used before.

        Where it fails, the same token may be used again: what is missing of the end is then added.
        """
        used = f"oidc:used:{_hashed('jti', logged_out.token_id)}"
        name = _hashed("sid", logged_out.sid) if logged_out.sid is not None else _hashed("sub", str(logged_out.subject))
        end, now = _end_key(name), self.clock()
        if not self.store.add(used, now, lifetime_s=USED_FOR_S):
            found = self.store.get_many([used, end])
            # The moment of the first use: what began since then is none of this token's business.
            now = found.get(used, -math.inf)
            if found.get(end, -math.inf) >= now:
                return False
        self.store.set(end, now, lifetime_s=self.max_age_s)
        return True

    def has_ended(self, pair: TokenPair) -> bool:
        """Whether the provider has ended the sign-in of these tokens."""
        token = anchor(pair)
        record = None if token is None else self._record(token)
        if record is None:
            return False
        keys = [_end_key(record[name]) for name in ("sid", "sub") if record.get(name)]
        ends = self.store.get_many(keys).values()
        return any(end >= record["since"] for end in ends)

    def id_token(self, pair: TokenPair) -> str | None:
        """The ID token with which this sign-in began."""
        token = anchor(pair)
        record = None if token is None else self._record(token)
        return None if record is None or token is None else self._hint(record, token)

    def _record(self, token: str) -> dict[str, Any] | None:
        record = self.store.get(_record_key(token))
        return None if record is MISSING else record

    def _hint(self, record: dict[str, Any], token: str) -> str | None:
        try:
            return str(unseal(record["hint"], under=token))
        except UnreadableRecordError:
            return None

    def _lifetime(self, token: str) -> int:
        return sign_in_lifetime(token, now=self.clock(), default_s=self.max_age_s)


def anchor(pair: TokenPair) -> str | None:
    """The token by which a sign-in is known: the refresh token, or without one the access token."""
    return pair.refresh or pair.access


def _record_key(token: str) -> str:
    return f"{record_name(token)}:oidc"


def _end_key(hashed: str) -> str:
    return f"oidc:end:{hashed}"


def _hashed(kind: str, name: str) -> str:
    return hashlib.sha256(f"portal provider {kind}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
