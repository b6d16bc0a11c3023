"""The record of one refresh token: its state, and what is sealed in it. Pure.

::

    no record ──▶ started ──▶ next ──(a browser submits the successor; 60 s later)──▶ spent
     or issued      │ ├──▶ failed (30 s)
        ▲           │ └──▶ later (1 s and more)
        └───────────┘ the backend gave the same refresh token again
    any state ──▶ out (signed out)

"issued" has the access token that was issued with this refresh token, and "next" the refresh token that replaced it.
Both are sealed under this token: only who has a token gets on to the newest one.
"""

import math
from enum import StrEnum
from typing import Any, Final

import msgspec

from portal.api.refresh.sealing import UnreadableRecordError, seal, unseal
from portal.api.tokens import TokenPair, sign_in_lifetime
from portal.config.limits import REFRESH_LOCK_S, ROTATION_GRACE_S
from portal.process import Clock
from portal.store import note_unknown


class State(StrEnum):
    """The state of a refresh token."""

    #: Nobody has submitted it, or the backend has given it once more.
    ISSUED = "issued"
    STARTED = "started"
    NEXT = "next"
    FAILED = "failed"
    LATER = "later"
    OUT = "out"
    #: Replaced, and its grace period is over. It is never stored.
    SPENT = "spent"


class TokenRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The state of a refresh token, and what led to it. Times are in seconds since the epoch.

    :ivar sign_in: the name of its sign-in in the audit log.
    :ivar at: when it got this state.
    :ivar until: when the state ends: the pause of "failed" and "later", the grace period of "next".
    :ivar access: the access token that was issued with it, sealed.
    :ivar since: when that was issued.
    :ivar before: names of the tokens that it replaced. Their grace period begins when a browser submits this one.
    :ivar owner: the submission, for "started".
    :ivar monotonic: when that began, in monotonic seconds of its machine.
    :ivar first_at: when the first submission began whose outcome is unknown; None if there is none.
    :ivar tries: the number of submissions since then.
    :ivar next: the refresh token that replaced it, sealed.
    """

    sign_in: str
    state: State = State.ISSUED
    at: float = 0.0
    until: float | None = None
    access: str | None = None
    since: float = 0.0
    before: tuple[str, ...] = ()
    owner: str = ""
    monotonic: float = -math.inf
    first_at: float | None = None
    tries: int = 0
    next: str | None = None

    @property
    def is_known(self) -> bool:
        """Return whether a refresh gave this token, or replaced it: nobody has made it up."""
        return self.access is not None or self.next is not None

    def waits(self, *, now: float) -> bool:
        """Return whether the pause of "failed" or "later" is not over. A clock that is far off prolongs none."""
        return self.until is not None and self.at - REFRESH_LOCK_S < now < self.until

    def is_at_work(self, clock: Clock) -> bool:
        """Return whether the process that submitted the token may still wait for the answer, by either clock.

        The call ends 5 s before the lock, so the wall clocks of two machines may be 5 s apart.
        """
        age = min(abs(clock.now() - self.at), abs(clock.monotonic() - self.monotonic))
        return self.state is State.STARTED and age < REFRESH_LOCK_S


#: In place of a record that can't be read: submitted so long ago that nobody waits, and no backend repeats its answer.
UNREADABLE: Final = msgspec.convert({"sign_in": "", "state": "later", "first_at": 0.0, "tries": 1}, TokenRecord)


def issued_record(pair: TokenPair, *, sign_in: str, before: tuple[str, ...], now: float) -> TokenRecord:
    """Return the record of the refresh token of a pair that was issued just now."""
    access = None if pair.access is None else seal(pair.access, under=pair.refresh or "")
    return TokenRecord(sign_in=sign_in, at=now, access=access, since=now, before=before)


def record_lifetime(refresh: str, *, now: float, default_s: int) -> int:
    """Return the seconds for which the record of a token lasts: as its sign-in, and for the grace period at least.

    By our clock a token may be over that the backend still takes.
    """
    return max(ROTATION_GRACE_S, sign_in_lifetime(refresh, now=now, default_s=default_s))


def parse_record(stored: object) -> TokenRecord:
    """Return a stored record; `UNREADABLE` for what can't be read. A later release may add members."""
    try:
        return msgspec.convert(stored, TokenRecord)
    except msgspec.ValidationError:
        note_unknown("a record of a token refresh", counts_as="its sign-in is lost, its token is never submitted")
        return UNREADABLE


def stored_form(record: TokenRecord) -> dict[str, Any]:
    """Return the JSON of a record, for the store."""
    form: dict[str, Any] = msgspec.to_builtins(record)
    return form


def open_text(sealed: object, *, under: str) -> str | None:
    """Return a sealed text; None for what does not open."""
    try:
        text: Any = unseal(sealed, under=under)
    except UnreadableRecordError:
        return None
    return text if isinstance(text, str) else None


def read_time(value: object) -> float:
    """Return stored seconds since the epoch; 0, which is long ago, for any other value."""
    return value if isinstance(value, float) else 0.0
