"""The records of refresh tokens in the shared store, each changed by compare-and-set alone.

A record lies under a hash of its token. A sign-in writes none. Nothing but the record decides who may submit a token:
there is no lock. To find the newest pair is to walk from record to record, and to sign out is to set the last one to
"out".

A record that can't be read is one whose outcome nobody knows: the token is never submitted, and the sign-in is lost
(ADR 49). Two faults are not covered: a store that forgets (flushed, restored from an old copy), and a process that is
suspended in the middle of its call for longer than 15 s.
"""

import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from portal.api.refresh import release_before
from portal.api.refresh.sealing import family_secret, record_name, seal, sign_in_id
from portal.api.refresh.token_record import State, TokenRecord, open_text, parse_record, read_time, stored_form
from portal.api.tokens import TokenPair, expires_at
from portal.config.limits import REFRESH_BORN_EXPIRED_S, REFRESH_LOCK_S, REFRESH_SPENT_S, ROTATION_GRACE_S
from portal.errors import StoreUnavailableError
from portal.process import Deadline
from portal.store import MISSING, SharedStore


class Newest(NamedTuple):
    """The end of a walk: the newest token of a sign-in, or a spent one, and what is known of it.

    :param access: the access token that was issued with it; None if unknown.
    :param first: the record of the token from which the walk began.
    :param passed: the tokens of the walk; this one is the last.
    """

    refresh: str
    record: TokenRecord
    access: str | None
    first: TokenRecord
    passed: tuple[str, ...]

    @property
    def pair(self) -> TokenPair | None:
        """The newest pair; None if its access token is unknown."""
        return None if self.access is None else TokenPair(access=self.access, refresh=self.refresh)

    @property
    def signed_out_at(self) -> float | None:
        """When the sign-in was signed out, in seconds since the epoch; None if it was not."""
        return self.record.at if self.record.state is State.OUT else None

    def is_fresh(self, *, now: float) -> bool:
        """Return whether the access token can be used.

        The records are asked where an access token is missing or over, or the backend has just refused one. A token
        that does not name its end is given out while it is new: after that, nobody knows whether it is still good.

        A token that had expired by this clock when it was issued shows that the clock is ahead of the backend's. It
        is given out for a few seconds all the same; else each request would submit the newest refresh token.
        """
        if not self.access:
            return False
        end, age = expires_at(self.access), now - self.record.since
        if end is None:
            return 0 <= age < ROTATION_GRACE_S
        return 0 <= age < REFRESH_BORN_EXPIRED_S if end <= self.record.since else end > now


class TokenRecords:
    """The records, read and changed. Every method may raise `StoreUnavailableError`."""

    def __init__(self, store: SharedStore) -> None:
        self._store = store

    def newest(self, refresh: str, *, now: float = -math.inf) -> Newest:
        """Walk from a token to the newest one of its sign-in, in one round trip for each.

        :param now: decides whether a grace period is over; without it, the walk passes spent tokens.
        """
        passed: tuple[str, ...] = ()
        first = record = self._read(refresh)
        while True:
            passed += (refresh,)
            if record.state is not State.NEXT:
                return Newest(refresh, record, open_text(record.access, under=refresh), first, passed)
            following = open_text(record.next, under=refresh)
            if record.until is not None and record.until <= now:
                return Newest(refresh, replace(record, state=State.SPENT), None, first, passed)
            if following is None or following in passed:
                return Newest(refresh, parse_record(None), None, first, passed)
            refresh, record = following, self._read(following)

    def replace(self, refresh: str, old: TokenRecord, new: TokenRecord, *, lifetime_s: float) -> bool:
        """Write a record in place of the one that was read; False if another process has changed it meanwhile.

        A record that the store has lost is written.
        """
        is_new = False

        def change(stored: Any) -> Any:
            nonlocal is_new
            found = old if stored is MISSING else parse_record(stored)
            is_new = found in (old, new) or release_before.is_later(old, than=found)
            return stored_form(new) if is_new else MISSING

        self._update(record_name(refresh), change, lifetime_s=lifetime_s)
        return is_new

    def begin(
        self, refresh: str, old: TokenRecord, started: TokenRecord, *, lifetime_s: float, latest: Deadline
    ) -> bool:
        """Take the right to submit a token; False if another process has it, or has changed the record.

        :param latest: when the call would outlast the time for which others wait for it.
        :raises StoreUnavailableError: the record may be `started` all the same.
        """
        # A full store lets no submission begin.
        self._store.check_room()
        # The release before may have submitted it, and given its lock back, since the record was read.
        if not release_before.keep_out(self._store, refresh) or self._read(refresh).state is not old.state:
            return False
        has_begun = self.replace(refresh, old, started, lifetime_s=lifetime_s)
        if latest.passed:
            raise StoreUnavailableError("store 'refresh': it took too long to begin a submission")
        return has_begun

    def issue(self, refresh: str, record: TokenRecord, *, asked_at: float, lifetime_s: float) -> None:
        """Write the record of a token that was issued just now, in place of an earlier one of that token.

        :param asked_at: when the token was asked for. What others have recorded of it since then stays, also by a clock
            that is some seconds behind.
        """

        def change(stored: Any) -> Any:
            found = None if stored is MISSING else parse_record(stored)
            is_old = found is None or (found.at < asked_at - REFRESH_LOCK_S and found.state is not State.OUT)
            return stored_form(record) if is_old else MISSING

        self._update(record_name(refresh), change, lifetime_s=lifetime_s)

    def let_in(self, refresh: str) -> None:
        """Let the release before submit a token again."""
        release_before.let_in(self._store, refresh)

    def lead(self, refresh: str, *, to: str, lifetime_s: float) -> None:
        """Have a replaced token lead straight to the newest one."""
        self._change_replaced(record_name(refresh), lifetime_s=lifetime_s, next=seal(to, under=refresh))

    def spend(self, name: str, *, until: float) -> None:
        """Let the grace period of a replaced token begin, named by its hash: a browser has submitted its successor."""
        self._change_replaced(name, lifetime_s=REFRESH_SPENT_S, until=until)

    # --- sign-in and sign-out ---

    def delete_earlier(self, pair: TokenPair) -> None:
        """Delete all records of tokens that were issued just now: the records are those of an earlier sign-in."""
        keys = [] if pair.access is None else [_tombstone_key(pair.access)]
        if pair.refresh is not None:
            keys += [_key(record_name(pair.refresh)), *release_before.keys_of(pair.refresh)]
        self._store.delete_many(keys)

    def mark_signed_out(
        self, accesses: Iterable[str], *, refresh: Iterable[str] = (), now: float, lifetime_s: float
    ) -> None:
        """Leave tombstones on access tokens.

        :param refresh: tokens that the release before may know.
        """
        keys = [*map(_tombstone_key, accesses), *release_before.tombstones_of(self._store, refresh)]
        self._store.set_many(dict.fromkeys(keys, now), lifetime_s=lifetime_s)

    def signed_out_at(self, access: str) -> float | None:
        """When an access token was signed out; None without a tombstone."""
        tombstone = self._store.get(_tombstone_key(access))
        return None if tombstone is MISSING else read_time(tombstone)

    def _read(self, refresh: str) -> TokenRecord:
        key = _key(record_name(refresh))
        found = self._store.get_many([key, *release_before.keys_of(refresh)])
        record = parse_record(found[key]) if key in found else None
        if record is None or record.state is State.ISSUED:
            before = release_before.read(self._store, refresh, found)
            if before is not None and (record is None or release_before.is_later(before, than=record)):
                return before
        return record or TokenRecord(sign_in=sign_in_id(family_secret(refresh)))

    def _change_replaced(self, name: str, *, lifetime_s: float, **members: Any) -> None:
        """Change a token that was replaced, unless its grace period runs."""

        def change(stored: Any) -> Any:
            record = None if stored is MISSING else parse_record(stored)
            if record is None or record.state is not State.NEXT or record.until is not None:
                return MISSING
            return stored_form(replace(record, **members))

        self._update(name, change, lifetime_s=lifetime_s)

    def _update(self, name: str, change: Callable[[Any], Any], *, lifetime_s: float) -> None:
        self._store.update(_key(name), change, lifetime_s=math.ceil(lifetime_s), since=-math.inf)


def _key(name: str) -> str:
    return f"{name}:record"


def _tombstone_key(access: str) -> str:
    return f"{record_name(access)}:signed-out"
