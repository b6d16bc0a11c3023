"""What all processes know about a refresh token, in the shared store.

Its entries for each token, named by a hash of it:

=========  ==================================================================================================
lock       somebody is presenting it now; 15 s, longer than the call that it protects
begun      when its presentation began, until what came of it is known: outlives a lock whose holder died, or could
           not reach the store
next       the hand-over record: the pair that replaced it, sealed; as long as the sign-in, until that pair's
           refresh token is itself presented, then 60 s
spent      it was replaced; outlives the record by a day, so that it is not presented a second time
verdict    the last answer was no (failed, 30 s), later (unreachable, 1 s) or never came (lost)
out        the tombstone: its sign-in was signed out
before     the name of the token that it replaced, whose record it confirms when it is presented
=========  ==================================================================================================

What it does not cover: a store that forgets (flushed, restored from an old copy) forgets locks and records, and
a process that is suspended in the middle of its call for longer than the lock lives loses the lock.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from portal.api.handover import UnreadableRecordError, record_name, seal, unseal
from portal.config.limits import (
    HANDOVER_AFTER_USE_S,
    REFRESH_BEGUN_MEMORY_S,
    REFRESH_FAILED_MEMORY_S,
    REFRESH_LOCK_S,
    REFRESH_SPENT_MEMORY_S,
    REFRESH_UNREACHABLE_MEMORY_S,
)
from portal.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Collection

    from portal.api.tokens import TokenPair
    from portal.store.aliases import SharedStore

logger = logging.getLogger(__name__)


class Verdict(Enum):
    """What became of the last presentation of a token that did not give new ones."""

    FAILED = "failed"
    UNREACHABLE = "unreachable"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One token's state, read in one round trip.

    :param successor: the pair that replaced it, when its record is there.
    :param spent: whether it was replaced and its successor is in use; also when the record is gone.
    :param begun_at: when somebody began to present it who has not said yet what came of it; monotonic seconds of
        the machine that did.
    """

    successor: TokenPair | None
    verdict: Verdict | None
    signed_out: bool
    spent: bool
    begun_at: float | None


class Ledger:
    """The entries, read and written. Every method may raise `StoreUnavailableError`.

    :param lost_memory_s: how long a token whose answer was lost is not presented again: as long as a sign-in.
    """

    def __init__(self, store: SharedStore, *, lost_memory_s: float) -> None:
        self._store = store
        self._lost_memory_s = lost_memory_s

    def look(self, refresh: str) -> Entry:
        """The state of one token."""
        name = record_name(refresh)
        kinds = ("next", "verdict", "out", "spent", "begun")
        found = self._store.get_many([_key(name, kind) for kind in kinds])
        record, verdict, out, spent, begun = (found.get(_key(name, kind)) for kind in kinds)
        successor = None
        if record is not None:
            try:
                successor = unseal(record, under=refresh)
            except UnreadableRecordError as error:
                # Its token was replaced, by what can't be said: presenting it again would be a replay.
                logger.exception("refresh %s: hand-over record does not open", name[:8])
                raise StoreUnavailableError("a hand-over record does not open") from error
        return Entry(
            successor=successor,
            verdict=None if verdict is None else Verdict(verdict),
            signed_out=out is not None,
            spent=spent is not None,
            begun_at=None if begun is None else float(begun),
        )

    def has_history(self, refresh: str) -> bool:
        """Whether this token came by a refresh, or was refreshed: so that somebody did sign in."""
        name = record_name(refresh)
        return bool(self._store.get_many([_key(name, kind) for kind in ("next", "spent", "before")]))

    def lock(self, refresh: str) -> bool:
        """Take the right to present this token; False when somebody has it."""
        return self._store.add(_key(record_name(refresh), "lock"), 1, lifetime_s=REFRESH_LOCK_S)

    def begin(self, refresh: str, *, at: float) -> None:
        """Note, before this token is presented, that it will be. Only for who holds the lock."""
        self._store.set(_key(record_name(refresh), "begun"), at, lifetime_s=REFRESH_BEGUN_MEMORY_S)

    def settle(self, refresh: str) -> None:
        """What came of the presentation is known: give the lock back. Like :meth:`unlock`, for who holds it."""
        name = record_name(refresh)
        self._store.delete_many([_key(name, "begun"), _key(name, "lock")])

    def unlock(self, refresh: str) -> None:
        """Give the lock back unused. Only for who holds it, and only while it can't have expired."""
        self._store.delete(_key(record_name(refresh), "lock"))

    def hand_over(self, *, spent: str, pair: TokenPair, lifetime_s: float) -> None:
        """Leave `pair` for all who still hold `spent`.

        :param lifetime_s: of the new sign-in cookies; for tokens that are not rotated, of the access token.
        """
        name = record_name(spent)
        self._store.set(_key(name, "next"), seal(pair, under=spent), lifetime_s=lifetime_s)
        if pair.refresh is not None and pair.refresh != spent:
            self._store.set(_key(record_name(pair.refresh), "before"), name, lifetime_s=lifetime_s)

    def shorten(self, *, spent: str, pair: TokenPair, lifetime_s: float) -> None:
        """Let a record that leads to `pair` by way of others lead there at once."""
        self._store.set(_key(record_name(spent), "next"), seal(pair, under=spent), lifetime_s=lifetime_s)

    def confirm(self, refresh: str) -> None:
        """A browser presented `refresh`: the records that led to it are needed for 60 s more, no longer."""
        name, seen = record_name(refresh), set[str]()
        while name not in seen:
            seen.add(name)
            before = self._store.get(_key(name, "before"))
            if not isinstance(before, str):
                return
            # First what outlives the record: a failure in between leaves too much memory rather than too little.
            self._store.set(_key(before, "spent"), 1, lifetime_s=REFRESH_SPENT_MEMORY_S)
            self._store.touch(_key(before, "next"), lifetime_s=HANDOVER_AFTER_USE_S)
            self._store.delete(_key(name, "before"))
            name = before

    def remember(self, refresh: str, verdict: Verdict) -> None:
        """Keep a verdict, so that a dead token does not hammer the backend."""
        lifetime = {
            Verdict.FAILED: REFRESH_FAILED_MEMORY_S,
            Verdict.UNREACHABLE: REFRESH_UNREACHABLE_MEMORY_S,
            Verdict.LOST: self._lost_memory_s,
        }[verdict]
        self._store.set(_key(record_name(refresh), "verdict"), verdict.value, lifetime_s=lifetime)

    def forget(self, tokens: Collection[str]) -> None:
        """Forget all that is known of tokens: they were issued just now."""
        kinds = ("next", "verdict", "out", "spent", "begun")
        self._store.delete_many([_key(record_name(token), kind) for token in tokens for kind in kinds])

    def bury(self, tokens: Collection[str], *, lifetime_s: float) -> None:
        """Leave tombstones on tokens of one sign-in: nothing of it is delivered any more."""
        self._store.set_many({_key(record_name(token), "out"): 1 for token in tokens}, lifetime_s=lifetime_s)


def _key(name: str, kind: str) -> str:
    return f"{name}:{kind}"
