"""The refresh tokens of one sign-in: the latest pair, and the names of the tokens that it replaced. Pure.

Each refresh gives a token its successor. An old token gets the latest pair until a browser submits the successor, then
60 s more (contract, section 8). After that it is a replay. A family remembers a bounded number of old tokens, so that
each sign-in takes the same room in the store, however often it is refreshed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from portal.api.refresh.sealing import record_name
from portal.api.tokens import expires_at
from portal.config.limits import (
    REFRESH_BORN_EXPIRED_S,
    REFRESH_SPENT_KEPT,
    REFRESH_UNCONFIRMED_KEPT,
    ROTATION_GRACE_S,
)

if TYPE_CHECKING:
    from portal.api.tokens import TokenPair


class ReplacedToken(NamedTuple):
    """A refresh token that has a successor.

    :param until: when its grace period ends, in seconds since the epoch; None while no browser has submitted the
        successor.
    """

    name: str
    until: int | None

    def is_spent(self, *, now: float) -> bool:
        """Whether this token gets no new pair any more."""
        return self.until is not None and self.until <= now


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenFamily:
    """The latest pair of a sign-in, and its older tokens.

    :param since: when the pair was issued, by the clock of the machine that asked for it.
    :param older: the token that was replaced first comes first.
    """

    latest_pair: TokenPair = field(repr=False)
    since: float
    older: tuple[ReplacedToken, ...] = ()

    def is_replay(self, refresh: str, *, now: float) -> bool:
        """Whether this token of the family was replaced so long ago that it gets nothing any more."""
        if refresh == self.latest_pair.refresh:
            return False
        until = {older.name: older.until for older in self.older}.get(record_name(refresh), 0)
        return until is not None and until <= now

    def spent_names(self, *, now: float) -> tuple[str, ...]:
        """Names of the tokens that get nothing any more."""
        return tuple(older.name for older in self.older if older.is_spent(now=now))

    def knows(self, pair: TokenPair) -> bool:
        """Whether this pair's refresh token is, or was, one of the family's."""
        name = record_name(pair.refresh or "")
        return pair.refresh == self.latest_pair.refresh or any(older.name == name for older in self.older)

    def is_fresh(self, *, now: float) -> bool:
        """Whether the access token can be used.

        The records are asked where an access token is missing or over, or the backend has just refused one. A token
        that does not name its end is given out while it is new: after that, nobody knows whether it is still good.

        A token that had expired by this clock when it was issued shows that the clock is ahead of the backend's. It
        is given out for a few seconds all the same; else each request would submit the latest refresh token.
        """
        access = self.latest_pair.access
        if not access:
            return False
        end, age = expires_at(access), now - self.since
        if end is None:
            return 0 <= age < ROTATION_GRACE_S
        return 0 <= age < REFRESH_BORN_EXPIRED_S if end <= self.since else end > now


def rotate(
    family: TokenFamily | None, *, latest_refresh: str, submitted: str, pair: TokenPair, now: float
) -> tuple[TokenFamily, tuple[str, ...]]:
    """The family after `latest_refresh` was exchanged for `pair`, and the names of the tokens that it forgets.

    :param family: as it was; None before a sign-in's first refresh.
    :param submitted: the token in the cookies of the browser that asked. The browser needs none of the tokens that
        were replaced before this one, so their grace period begins.
    """
    known = [] if family is None else list(family.older)
    names = [older.name for older in known]
    confirmed = len(known) if submitted == latest_refresh else names.index(record_name(submitted))
    until = math.ceil(now + ROTATION_GRACE_S)
    known = [
        older._replace(until=until) if older.until is None and index < confirmed else older
        for index, older in enumerate(known)
    ]
    if pair.refresh != latest_refresh:
        known.append(ReplacedToken(record_name(latest_refresh), None))
    # A backend may issue a token once more.
    known = [older for older in known if older.name != record_name(pair.refresh or "")]
    kept = _kept(known, submitted=record_name(submitted), now=now)
    forgotten = tuple(older.name for older in known if older not in kept)
    return TokenFamily(latest_pair=pair, since=now, older=kept), forgotten


def _kept(known: list[ReplacedToken], *, submitted: str, now: float) -> tuple[ReplacedToken, ...]:
    """The newest of the spent tokens, the newest whose successor no browser has submitted, and the submitted one."""
    spent = [older for older in known if older.is_spent(now=now)]
    unconfirmed = [older for older in known if older.until is None and older.name != submitted]
    forgotten = {*spent[:-REFRESH_SPENT_KEPT], *unconfirmed[:-REFRESH_UNCONFIRMED_KEPT]}
    return tuple(older for older in known if older not in forgotten)
