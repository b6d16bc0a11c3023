"""One sign-in's refresh tokens as a family: the newest pair, and the names of those that it replaced. Pure.

A token that was replaced gets the newest pair until the token that replaced it is itself presented by a browser,
then 60 s more (contract, section 8). After that it is a replay. What a family remembers is bounded, however often
the sign-in is refreshed, so that each leaves the same in the store.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from portal.api.expiry import expires_at, is_expired
from portal.api.refresh.sealing import record_name
from portal.config.limits import (
    HANDOVER_AFTER_USE_S,
    REFRESH_BORN_EXPIRED_S,
    REFRESH_SPENT_KEPT,
    REFRESH_UNCONFIRMED_KEPT,
)

if TYPE_CHECKING:
    from portal.api.tokens import TokenPair


class Older(NamedTuple):
    """A refresh token that was replaced.

    :param until: when it is no longer answered for, in seconds since the epoch; None while the token that replaced it
        has not been presented.
    """

    name: str
    until: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """The newest pair of a sign-in, and its older tokens.

    :param since: when the pair was granted, by the clock of the machine that asked for it.
    :param older: the first to be replaced comes first.
    """

    pair: TokenPair = field(repr=False)
    since: float
    older: tuple[Older, ...] = ()

    def has_replaced(self, refresh: str, *, now: float) -> bool:
        """Whether this token of the family was replaced so long ago that nothing is given for it any more."""
        if refresh == self.pair.refresh:
            return False
        until = {older.name: older.until for older in self.older}.get(record_name(refresh), 0)
        return until is not None and until <= now

    def spent(self, *, now: float) -> tuple[str, ...]:
        """Names of the tokens that nothing is given for any more."""
        return tuple(older.name for older in self.older if older.until is not None and older.until <= now)

    def knows(self, pair: TokenPair) -> bool:
        """Whether this pair's refresh token is, or was, one of the family's."""
        return pair.refresh == self.pair.refresh or record_name(pair.refresh or "") in {old.name for old in self.older}

    def is_fresh(self, *, now: float) -> bool:
        """Whether the access token is of use.

        One that was over by this clock when it came says that the clock is ahead of the backend's: it is given for a
        few seconds all the same, or each request would present the newest refresh token.
        """
        access = self.pair.access
        if not access:
            return False
        end = expires_at(access)
        born_expired = end is not None and end <= self.since
        return 0 <= now - self.since < REFRESH_BORN_EXPIRED_S if born_expired else not is_expired(access, now=now)


def grow(
    family: Family | None, *, head: str, presented: str, pair: TokenPair, now: float
) -> tuple[Family, tuple[str, ...]]:
    """The family after `head` was exchanged for `pair`, and the names of those that it forgets.

    :param family: as it was; None before a sign-in's first refresh.
    :param presented: the token in the browser's cookies for which this was done. All that were replaced before it
        have done their work: the browser got beyond them.
    """
    known = [] if family is None else list(family.older)
    names = [older.name for older in known]
    done = len(known) if presented == head else names.index(record_name(presented))
    until = math.ceil(now + HANDOVER_AFTER_USE_S)
    known = [
        older._replace(until=until) if older.until is None and index < done else older
        for index, older in enumerate(known)
    ]
    if pair.refresh != head:
        known.append(Older(record_name(head), None))
    # A backend may give again what it gave before.
    known = [older for older in known if older.name != record_name(pair.refresh or "")]
    kept = _kept(known, presented=record_name(presented), now=now)
    forgotten = tuple(older.name for older in known if older not in kept)
    return Family(pair=pair, since=now, older=kept), forgotten


def _kept(known: list[Older], *, presented: str, now: float) -> tuple[Older, ...]:
    """Of the spent ones, and of those that no browser has confirmed, the newest; and whoever is here now."""
    spent = [older for older in known if older.until is not None and older.until <= now]
    unconfirmed = [older for older in known if older.until is None and older.name != presented]
    forgotten = {*spent[:-REFRESH_SPENT_KEPT], *unconfirmed[:-REFRESH_UNCONFIRMED_KEPT]}
    return tuple(older for older in known if older not in forgotten)
