"""What all processes know about a sign-in's refresh tokens, in the shared store.

A sign-in is a family (:mod:`.token_family`) with a secret, which is derived from the first token that is known of
it: nothing is written at sign-in, and all processes agree on it without a word. A token that a refresh gave leads to
its family by one entry of its own; one without is its family's first. The entries, named by hashes:

=======  ====================================================================================================
token    the family's secret, sealed under that token; written in one step with the family's new record
family   the newest pair and the names of the older tokens, sealed under the secret; as long as the sign-in
lock     somebody is presenting the newest token now; 15 s, longer than the call that it protects; its value is the
         holder's own
begun    the newest token was presented and nobody has said yet what came of it: since when, and whether its
         presenter has given up; outlives the lock
verdict  the last answer was no (failed, 30 s), or there was none to go by (later, 1 s and more)
out      the tombstone: the sign-in was signed out; also on an access token, under its own name
=======  ====================================================================================================

`begun` and `verdict` name the token that they are about: what is said of an older one counts for nothing.

What it does not cover: a store that forgets (flushed, restored from an old copy) forgets locks and records, and a
process that is suspended in the middle of its call for longer than the lock lives loses the lock.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from portal.api.refresh.sealing import UnreadableRecordError, family_secret, record_name, seal, unseal
from portal.api.refresh.token_family import Family, Older
from portal.api.tokens import TokenPair
from portal.config.limits import REFRESH_LOCK_S
from portal.errors import StoreUnavailableError
from portal.store import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.store import SharedStore

logger = logging.getLogger(__name__)

_ABOUT_A_FAMILY: Final = ("family", "out", "verdict", "begun")


class Verdict(Enum):
    """What became of the last presentation of a token that did not give new ones."""

    FAILED = "failed"
    #: Also any that a newer version of this project may write.
    LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """Presentations of one token whose outcome nobody has noted.

    :param first: when the first of them began, in seconds since the epoch.
    :param at: when the last one began, in monotonic seconds of the machine that made it; None once its presenter
        has given up waiting for the answer.
    :param tries: how many there were.
    """

    first: float
    at: float | None
    tries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One sign-in's state, as the holder of one of its tokens finds it.

    :param head: its newest refresh token.
    :param family: None before its first refresh.
    :param is_known: whether some token of it came by a refresh, or was refreshed: so that somebody did sign in.
    """

    secret: str = field(repr=False)
    head: str = field(repr=False)
    family: Family | None
    is_known: bool
    signed_out: bool
    verdict: Verdict | None
    begun: Begun | None


class TokenRecords:
    """The entries, read and written. Every method may raise `StoreUnavailableError`.

    :param max_age_s: how long an unknown outcome is remembered: as long as a sign-in whose tokens name no end.
    """

    def __init__(self, store: SharedStore, *, max_age_s: int) -> None:
        self._store = store
        self._max_age_s = max_age_s

    def look(self, refresh: str) -> Entry:
        """The state of the sign-in that this token belongs to, in one round trip, or two for a later token."""
        leads = _key(refresh, "token")
        secret = family_secret(refresh)
        found = self._store.get_many([leads, *_keys(secret)])
        if leads in found:
            secret = _open(found[leads], under=refresh)
            found = self._store.get_many(_keys(secret)) | {leads: True}
        record, out, verdict, begun = (found.get(key) for key in _keys(secret))
        family = None if record is None else _read_family(_open(record, under=secret))
        head = (family and family.pair.refresh) or refresh
        return Entry(
            secret=secret,
            head=head,
            family=family,
            is_known=leads in found or family is not None,
            signed_out=out is not None,
            verdict=_read_verdict(verdict, of=head),
            begun=_read_begun(begun, of=head),
        )

    def lock(self, secret: str, *, owner: str) -> bool:
        """Take the right to present this sign-in's newest token; False when somebody else has it."""
        key = _key(secret, "lock")
        try:
            return self._store.add(key, owner, lifetime_s=REFRESH_LOCK_S)
        except StoreUnavailableError:
            # It may have been taken, and only the store's answer be lost.
            held_by = self._store.get(key)
            if held_by is MISSING:
                raise
            return bool(held_by == owner)

    def holds_lock(self, secret: str, *, owner: str) -> bool:
        """Whether the lock has not ended since it was taken."""
        return bool(self._store.get(_key(secret, "lock")) == owner)

    def unlock(self, secret: str, *, owner: str) -> None:
        """Give the lock back, if it is still this one's."""
        if self.holds_lock(secret, owner=owner):
            self._store.delete(_key(secret, "lock"))

    def begin(self, secret: str, *, owner: str, head: str, begun: Begun) -> None:
        """Note that `head` will be presented, or has been and no outcome came. For the lock's holder."""
        note = [record_name(head), begun.first, begun.at, begun.tries, owner]
        self._store.set(_key(secret, "begun"), note, lifetime_s=self._max_age_s)

    def settle(self, secret: str, *, owner: str, forgotten: Iterable[str] = ()) -> None:
        """What came of the presentation is known: give the lock back. Nothing of another holder's is touched.

        Its own note goes even where the lock has ended by itself: it would say for a month that nobody knows.

        :param forgotten: names of tokens that the family knows no more.
        """
        keys = [f"{name}:token" for name in forgotten]
        begun, lock = _key(secret, "begun"), _key(secret, "lock")
        found = self._store.get_many([begun, lock])
        if found.get(lock) == owner:
            keys += [begun, lock]
        elif _noted_by(found.get(begun)) == owner:
            keys += [begun]
        self._store.delete_many(keys)

    def hand_over(self, secret: str, family: Family, *, held: Iterable[str], lifetime_s: float) -> None:
        """Leave the newest pair for all of the family, in one step with its token's way there.

        :param held: tokens that somebody held just now: the store may have forgotten their way meanwhile.
        """
        record = seal([family.pair.access, family.pair.refresh, family.since, family.older], under=secret)
        later = {token for token in (family.pair.refresh, *held) if token and family_secret(token) != secret}
        ways = {_key(token, "token"): seal(secret, under=token) for token in later}
        self._store.set_many({_key(secret, "family"): record, **ways}, lifetime_s=lifetime_s)

    def remember(self, secret: str, *, head: str, verdict: Verdict, lifetime_s: float) -> None:
        """Keep a verdict on `head`, so that a dead token does not hammer the backend."""
        self._store.set(_key(secret, "verdict"), [verdict.value, record_name(head)], lifetime_s=lifetime_s)

    def forget(self, pair: TokenPair) -> None:
        """Forget all that is known of tokens: they were issued just now."""
        keys = [] if pair.access is None else [_key(pair.access, "out")]
        if pair.refresh is not None:
            keys += [_key(pair.refresh, "token"), *_keys(family_secret(pair.refresh))]
        self._store.delete_many(keys)

    def bury(self, secrets: Iterable[str], *, lifetime_s: float) -> None:
        """Leave tombstones: on a sign-in, by its secret, and on access tokens."""
        self._store.set_many({_key(secret, "out"): 1 for secret in secrets}, lifetime_s=lifetime_s)

    def is_buried(self, secret: str) -> bool:
        """Whether a tombstone stands on a sign-in, by its secret, or on an access token."""
        return self._store.get(_key(secret, "out")) is not MISSING

    def drop(self, secret: str, *, forgotten: Iterable[str]) -> None:
        """Forget a sign-in's newest pair. Its tokens go on leading to its tombstone, but for those that are named."""
        self._store.delete_many([_key(secret, "family"), *(f"{name}:token" for name in forgotten)])


def _key(secret: str, kind: str) -> str:
    return f"{record_name(secret)}:{kind}"


def _keys(secret: str) -> list[str]:
    name = record_name(secret)
    return [f"{name}:{kind}" for kind in _ABOUT_A_FAMILY]


def _open(record: object, *, under: str) -> Any:
    try:
        return unseal(record, under=under)
    except UnreadableRecordError as error:
        # Its token was replaced, by what can't be said: presenting it again would be a replay.
        logger.exception("refresh %s: a record does not open", record_name(under)[:8])
        raise StoreUnavailableError("a record of the refresh does not open") from error


def _read_family(content: Any) -> Family:
    access, refresh, since, older, *_ = content
    return Family(
        pair=TokenPair(access=access, refresh=refresh),
        since=since,
        older=tuple(Older(name, until) for name, until, *_ in older),
    )


def _read_verdict(value: object, *, of: str) -> Verdict | None:
    match value:
        case None:
            return None
        case [word, name, *_]:
            about = name == record_name(of)
            return (Verdict.FAILED if word == Verdict.FAILED.value else Verdict.LATER) if about else None
        case _:
            return Verdict.LATER


def _noted_by(value: object) -> object:
    """Who wrote a note that a presentation has begun; None where it does not say."""
    match value:
        case [_, _, _, _, owner, *_]:
            return owner
        case _:
            return None


def _read_begun(value: object, *, of: str) -> Begun | None:
    match value:
        case [name, float() | int() as first, float() | int() | None as at, int() as tries, *_] if name == record_name(
            of
        ):
            return Begun(first=first, at=at, tries=tries)
        case _:
            return None
