"""Records of the sign-ins that came from the provider, in the refresh store.

The provider ends a sign-in by the name of its session (`sid`) or of its user (`sub`). The portal knows a sign-in by its
tokens, which change with every refresh. So each refresh token has a record: hashes of both names, the time when the
sign-in started, and the ID token, encrypted with a key made from the refresh token. A refresh moves the record to the
new token. The provider's sign-out page needs the ID token.

An end is one entry for the session or for the user. It ends each sign-in that started before. A reader of the store
sees hashes and ciphertext.
"""

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from portal.api import TokenPair, sign_in_lifetime
from portal.api.refresh import UnreadableRecordError, record_name, seal, unseal
from portal.config.current import portal_config
from portal.store import MISSING, SharedStore, note_unknown, refresh_store
from portal_oidc.id_tokens import IdTokenClaims, LogoutTokenClaims

#: The format of a record. Another release may add members, which this one keeps as they are.
_FORMAT: Final = 1
#: How long a logout token is known as used, seconds. It must be longer than `LOGOUT_TOKEN_AGE_S`.
LOGOUT_TOKEN_KEPT_S: Final = 15 * 60
#: How long the record of a used refresh token stays, seconds. Requests that still hold the token get the new one within
#: the lifetime of an access token.
OLD_RECORD_KEPT_S: Final = 15 * 60


@dataclass(frozen=True, slots=True)
class ProviderSessions:
    """The records. Every method may raise `StoreUnavailableError`.

    :param max_age_s: lifetime of a sign-in whose token has no `exp`, seconds.
    :param clock: seconds since the epoch.
    """

    store: SharedStore
    max_age_s: int
    clock: Callable[[], float] = time.time

    def start(self, pair: TokenPair, *, claims: IdTokenClaims, id_token: str) -> None:
        """Record a sign-in that starts with these tokens."""
        token = session_token(pair)
        if token is None:
            return
        record = {
            "sid": None if claims.sid is None else _hashed("sid", claims.sid),
            "sub": _hashed("sub", claims.subject),
            "since": self.clock(),
            "hint": seal(id_token, under=token),
            "format": _FORMAT,
        }
        self.store.set(_record_key(token), record, lifetime_s=self._lifetime(token))

    def move(self, *, old: str, pair: TokenPair) -> None:
        """Move the record of `old` to the tokens that a refresh gave for it."""
        token = session_token(pair)
        record = self._record(old)
        if token is None or token == old or record is None:
            return
        hint = self._hint(record, old)
        sealed = None if hint is None else seal(hint, under=token)
        self.store.set(_record_key(token), record | {"hint": sealed}, lifetime_s=self._lifetime(token))
        # A shorter lifetime: else each refresh would leave one more record.
        self.store.touch(_record_key(old), lifetime_s=OLD_RECORD_KEPT_S)

    def delete(self, token: str) -> None:
        """Delete the record of a sign-in that was signed out."""
        self.store.delete(_record_key(token))

    def end(self, claims: LogoutTokenClaims) -> bool:
        """End a session of the provider, or all sessions of a user; False for a logout token that was used before.

        After an error the provider may send the same token again, and the missing part of the end is written then.
        """
        used = f"oidc:used:{_hashed('jti', claims.token_id)}"
        name = _hashed("sid", claims.sid) if claims.sid is not None else _hashed("sub", str(claims.subject))
        end, now = _end_key(name), self.clock()
        if not self.store.add(used, now, lifetime_s=LOGOUT_TOKEN_KEPT_S):
            found = self.store.get_many([used, end])
            # The time of the first use: the token does not end a sign-in that started later.
            now = _time_of(found.get(used))
            if _time_of(found.get(end)) >= now:
                return False
        self.store.set(end, now, lifetime_s=self.max_age_s)
        return True

    def end_user(self, subject: str) -> None:
        """End all sign-ins of a user that there are now."""
        self.store.set(_end_key(_hashed("sub", subject)), self.clock(), lifetime_s=self.max_age_s)

    def has_ended(self, pair: TokenPair) -> bool:
        """Whether the provider has ended the sign-in of these tokens."""
        record = self._record(session_token(pair))
        if record is None:
            return False
        keys = [_end_key(record[name]) for name in ("sid", "sub") if record.get(name)]
        ends = self.store.get_many(keys).values()
        return any(_time_of(end) >= record["since"] for end in ends)

    def id_token(self, pair: TokenPair) -> str | None:
        """The ID token with which this sign-in started."""
        token = session_token(pair)
        record = self._record(token)
        return None if record is None or token is None else self._hint(record, token)

    def _record(self, token: str | None) -> dict[str, Any] | None:
        """The record; None also for one that can't be read. Then the provider ends the sign-in at its next refresh."""
        value = MISSING if token is None else self.store.get(_record_key(token))
        if value is MISSING:
            return None
        record: dict[str, Any] = value if isinstance(value, dict) else {}
        texts = (record.get(name) for name in ("sid", "sub", "hint"))
        is_known = record.get("format", _FORMAT) == _FORMAT and isinstance(record.get("since"), int | float)
        if is_known and all(isinstance(text, str | None) for text in texts):
            return record
        note_unknown("the record of a provider's session")
        return None

    def _hint(self, record: dict[str, Any], token: str) -> str | None:
        try:
            return str(unseal(record.get("hint"), under=token))
        except UnreadableRecordError:
            return None

    def _lifetime(self, token: str) -> int:
        return sign_in_lifetime(token, now=self.clock(), default_s=self.max_age_s)


def provider_sessions() -> ProviderSessions:
    """The records in the configured store."""
    return ProviderSessions(store=refresh_store(), max_age_s=portal_config().sign_in_max_age_s)


def session_token(pair: TokenPair) -> str | None:
    """The token that a sign-in's record is stored under: the refresh token, or without one the access token."""
    return pair.refresh or pair.access


def _record_key(token: str) -> str:
    return f"{record_name(token)}:oidc"


def _time_of(value: object) -> float:
    """A time that the store has; before all others where it has none, or none that can be read."""
    return float(value) if isinstance(value, int | float) else -math.inf


def _end_key(hashed: str) -> str:
    return f"oidc:end:{hashed}"


def _hashed(kind: str, name: str) -> str:
    return hashlib.sha256(f"portal provider {kind}\0{name}".encode("utf-8", "surrogatepass")).hexdigest()
