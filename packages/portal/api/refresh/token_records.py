"""What the shared store holds about a sign-in's refresh tokens.

A sign-in is a family of tokens (:mod:`.token_family`) with a secret. The secret is derived from the first token that is
known of the sign-in, so nothing is written at sign-in, and all processes find the same secret. A later token leads to
its family by a record of its own. The records lie under hashes:

==========  ================================================================================================
token       the family's secret, sealed under that token; written with the rotation record, or before it
family      the rotation record: the latest pair and the names of the older tokens, sealed under the secret;
            lasts as long as the sign-in
lock        a process is submitting the latest token now; 15 s, longer than the call; its value names the owner
started     the latest token was submitted and no outcome is recorded yet: since when, and whether its
            process has given up waiting; outlives the lock
outcome     the last answer was no ("failed", 30 s), or there was no usable answer ("later", 1 s and more); and when
signed-out  the tombstone: when the sign-in was signed out; an access token has one under its own name
==========  ================================================================================================

`started` and `outcome` name the token that they are about. What they say of an older token counts for nothing.

Two releases that run at the same time read each other's records, since a record that counted as missing would have its
token submitted twice. A later release may append members to a record, which this one ignores. A record of an unknown
format, or a damaged one, is one whose outcome nobody knows: the token is never submitted, and the sign-in is lost
(ADR 49).

Two faults are not covered. A store that forgets (flushed, restored from an old copy) forgets locks and records. A
process that is suspended in the middle of its call for longer than 15 s loses the lock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from portal.api.refresh.sealing import UnreadableRecordError, family_secret, record_name, seal, unseal
from portal.api.refresh.token_family import ReplacedToken, TokenFamily
from portal.api.tokens import TokenPair
from portal.config.limits import REFRESH_LOCK_S
from portal.errors import StoreUnavailableError
from portal.store import MISSING, Missing, note_unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from portal.store import SharedStore

#: The format of the rotation record and of `started`, behind their other members; records of before there was a number
#: have format 1 and lack it. The names of the records, and so their labels in :mod:`.sealing`, belong to no format:
#: under another name no release would find what an earlier one has written.
TOKEN_RECORD_FORMAT: Final = 1
#: The formats that this release reads. A new one is read by one release before the next one writes it.
READABLE_FORMATS: Final = (1,)
_ABOUT_A_FAMILY: Final = ("family", "signed-out", "outcome", "started")


class FailedOutcome(Enum):
    """Why the last submission of a token gave no new pair."""

    FAILED = "failed"
    #: Also any value that a newer version of this project may write.
    LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """Submissions of one token without a recorded outcome.

    :param first_at: when the first of them began, in seconds since the epoch.
    :param last_at: when the last one began, in monotonic seconds of the machine that made it; None once its process
        has given up waiting for the answer.
    :param tries: how many there were.
    """

    first_at: float
    last_at: float | None
    tries: int


#: Where a record can't be read: a submission so long ago that nobody waits for it, and no backend repeats its answer.
_GIVEN_UP: Final = Started(first_at=0.0, last_at=None, tries=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInRecord:
    """What the store holds about one sign-in, found by one of its tokens.

    :param latest_refresh: its latest refresh token.
    :param family: None before its first refresh.
    :param is_known: whether one of its tokens was refreshed, so that somebody did sign in.
    :param signed_out_at: when it was signed out, in seconds since the epoch; None if it was not.
    :param outcome_at: when the outcome was recorded, in seconds since the epoch.
    """

    secret: str = field(repr=False)
    latest_refresh: str = field(repr=False)
    family: TokenFamily | None
    is_known: bool
    signed_out_at: float | None
    outcome: FailedOutcome | None
    outcome_at: float
    started: Started | None


class TokenRecords:
    """The records, read and written. Every method may raise `StoreUnavailableError`.

    :param max_age_s: how long an unknown outcome is remembered: as long as a sign-in whose tokens name no end.
    """

    def __init__(self, store: SharedStore, *, max_age_s: int) -> None:
        self._store = store
        self._max_age_s = max_age_s

    def get(self, refresh: str) -> SignInRecord:
        """The sign-in of this token, in one round trip; in two if the token is not the family's first."""
        to_family = _key(refresh, "token")
        secret = family_secret(refresh)
        found = self._store.get_many([to_family, *_keys(secret)])
        is_lost = False
        if to_family in found:
            of_family = _open(found[to_family], under=refresh)
            if isinstance(of_family, str):
                secret = of_family
                found = self._store.get_many(_keys(secret)) | {to_family: True}
            else:
                is_lost = True
        # Any value counts, also JSON's null: nothing here writes it, so it is a record that can't be read.
        rotation, signed_out, outcome, started = (found.get(key, MISSING) for key in _keys(secret))
        family = None if rotation is MISSING else _read_family(_open(rotation, under=secret))
        is_lost = is_lost or (rotation is not MISSING and family is None)
        if is_lost:
            note_unknown("a record of a token refresh", counts_as="its sign-in is lost, its token is never submitted")
        latest_refresh = (family and family.latest_pair.refresh) or refresh
        return SignInRecord(
            secret=secret,
            latest_refresh=latest_refresh,
            family=family,
            is_known=to_family in found or rotation is not MISSING,
            signed_out_at=None if signed_out is MISSING else _read_time(signed_out),
            outcome=_read_outcome(outcome, of=latest_refresh),
            outcome_at=_read_time(*outcome[2:3]) if isinstance(outcome, list) else 0.0,
            started=_GIVEN_UP if is_lost else _read_started(started, of=latest_refresh),
        )

    # --- one submission ---

    def acquire_lock(self, secret: str, *, owner: str) -> bool:
        """Take the right to submit this sign-in's latest token; False when another process has it."""
        key = _key(secret, "lock")
        try:
            return self._store.add(key, owner, lifetime_s=REFRESH_LOCK_S)
        except StoreUnavailableError:
            # The store may have given the lock, and only its answer was lost.
            held_by = self._store.get(key)
            if held_by is MISSING:
                raise
            return bool(held_by == owner)

    def holds_lock(self, secret: str, *, owner: str) -> bool:
        """Whether the lock is still this owner's."""
        return bool(self._store.get(_key(secret, "lock")) == owner)

    def release_lock(self, secret: str, *, owner: str) -> None:
        """Give the lock back, if it is still this owner's."""
        if self.holds_lock(secret, owner=owner):
            self._store.delete(_key(secret, "lock"))

    def mark_started(self, secret: str, *, owner: str, latest_refresh: str, started: Started) -> None:
        """Record that the token is about to be submitted, or was and its outcome is unknown. For the lock's owner."""
        submissions = [started.first_at, started.last_at, started.tries]
        value = [record_name(latest_refresh), *submissions, owner, TOKEN_RECORD_FORMAT]
        self._store.set(_key(secret, "started"), value, lifetime_s=self._max_age_s)

    def finish(self, secret: str, *, owner: str, forgotten: Iterable[str] = ()) -> None:
        """Release the lock after a submission whose outcome is known. Records of another owner stay.

        This owner's `started` goes even where the lock has ended by itself. Else the outcome would count as unknown
        for a month.

        :param forgotten: names of tokens that the family no longer knows.
        """
        keys = [f"{name}:token" for name in forgotten]
        started, lock = _key(secret, "started"), _key(secret, "lock")
        found = self._store.get_many([started, lock])
        if found.get(lock) == owner:
            keys += [started, lock]
        elif _owner_of(found.get(started)) == owner:
            keys += [started]
        self._store.delete_many(keys)

    def set_rotation(self, secret: str, family: TokenFamily, *, submitted: Iterable[str], lifetime_s: float) -> None:
        """Write how its tokens lead to a rotation record, and in the same step the record.

        :param submitted: tokens that were in use just now. The store may have forgotten how they lead to the family.
        """
        latest = family.latest_pair
        content = [latest.access, latest.refresh, family.since, family.older, TOKEN_RECORD_FORMAT]
        rotation = seal(content, under=secret)
        later = {token for token in (latest.refresh, *submitted) if token and family_secret(token) != secret}
        to_family = {_key(token, "token"): seal(secret, under=token) for token in later}
        # In this order where a cluster makes it several steps: nobody has the new token before the last one, and who
        # finds the family finds it by each of its tokens.
        self._store.set_many({**to_family, _key(secret, "family"): rotation}, lifetime_s=lifetime_s)

    def set_outcome(
        self, secret: str, *, latest_refresh: str, outcome: FailedOutcome, now: float, lifetime_s: float
    ) -> None:
        """Remember a failure for a moment, so that a dead token does not hammer the backend."""
        value = [outcome.value, record_name(latest_refresh), now]
        self._store.set(_key(secret, "outcome"), value, lifetime_s=lifetime_s)

    # --- sign-in and sign-out ---

    def delete_earlier(self, pair: TokenPair) -> None:
        """Delete all records of tokens that were issued just now: the records are those of an earlier sign-in."""
        keys = [] if pair.access is None else [_key(pair.access, "signed-out")]
        if pair.refresh is not None:
            keys += [_key(pair.refresh, "token"), *_keys(family_secret(pair.refresh))]
        self._store.delete_many(keys)

    def mark_signed_out(self, secrets: Iterable[str], *, now: float, lifetime_s: float) -> None:
        """Leave tombstones on sign-ins, named by their secrets, and on access tokens."""
        self._store.set_many({_key(secret, "signed-out"): now for secret in secrets}, lifetime_s=lifetime_s)

    def signed_out_at(self, secret: str) -> float | None:
        """When a sign-in, named by its secret, or an access token was signed out; None without a tombstone."""
        tombstone = self._store.get(_key(secret, "signed-out"))
        return None if tombstone is MISSING else _read_time(tombstone)

    def delete_rotation(self, secret: str, *, forgotten: Iterable[str]) -> None:
        """Delete the rotation record. The tokens still lead to the tombstone, except for the `forgotten` names."""
        self._store.delete_many([_key(secret, "family"), *(f"{name}:token" for name in forgotten)])


def _key(secret: str, kind: str) -> str:
    return f"{record_name(secret)}:{kind}"


def _keys(secret: str) -> list[str]:
    name = record_name(secret)
    return [f"{name}:{kind}" for kind in _ABOUT_A_FAMILY]


def _open(record: object, *, under: str) -> Any:
    """The content of a sealed record; None for one that does not open. None has no sealed form here."""
    try:
        return unseal(record, under=under)
    except UnreadableRecordError:
        return None


def _read_family(content: object) -> TokenFamily | None:
    """The family of a rotation record; None for another format, or what is no rotation record."""
    match content:
        case [str() | None as access, str() | None as refresh, float() | int() as since, list() as older, *more]:
            if more[:1] and more[0] not in READABLE_FORMATS:
                return None
        case _:
            return None
    names = [_read_replaced(one) for one in older]
    replaced = tuple(one for one in names if one is not None)
    if len(replaced) < len(names):
        return None
    return TokenFamily(latest_pair=TokenPair(access=access, refresh=refresh), since=since, older=replaced)


def _read_replaced(value: object) -> ReplacedToken | None:
    match value:
        case [str() as name, int() | None as until, *_]:
            return ReplacedToken(name, until)
        case _:
            return None


def _read_outcome(value: object, *, of: str) -> FailedOutcome | None:
    match value:
        case Missing():
            return None
        case [str() as word, str() as name, *_]:
            about = name == record_name(of)
            failed = word == FailedOutcome.FAILED.value
            return (FailedOutcome.FAILED if failed else FailedOutcome.LATER) if about else None
        case _:
            return FailedOutcome.LATER


def _read_time(value: object = None) -> float:
    """Seconds since the epoch; 0, which is long ago, for any other value: earlier releases wrote no time."""
    return value if isinstance(value, float) else 0.0


def _owner_of(started: object) -> object:
    """Who wrote a `started` record; None where it does not name an owner."""
    match started:
        case [_, _, _, _, owner, *_]:
            return owner
        case _:
            return None


def _read_started(value: object, *, of: str) -> Started | None:
    """What is known of the submissions of a token; None where there were none.

    What can't be read may be about this token.
    """
    match value:
        case Missing():
            return None
        case [str() as name, float() | int() as first_at, float() | int() | None as last_at, int() as tries, _, *more]:
            if not more or more[0] in READABLE_FORMATS:
                about = name == record_name(of)
                return Started(first_at=first_at, last_at=last_at, tries=tries) if about else None
    note_unknown("a record of a token's submission", counts_as="its sign-in is lost, its token is never submitted")
    return _GIVEN_UP
