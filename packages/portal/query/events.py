"""What one request's queries came to, for the devtools panel and for logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

Verdict: TypeAlias = Literal["remembered", "fresh", "revalidating", "fetched", "more", "stale", "failed"]
#: remembered: this request had it · fresh: from the cache · revalidating: likewise, past its stale time, and fetched
#: anew behind this request · fetched: from the backend · more: some pages of each · stale: old data beside an error ·
#: failed: an error alone.
VERDICTS: Final[tuple[Verdict, ...]] = (
    "remembered",
    "fresh",
    "revalidating",
    "fetched",
    "more",
    "stale",
    "failed",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEvent:
    """One call of a query hook.

    :param key: the query key as in requirements, "Client-side hook generators".
    :param start: cursor of the first page; None for the beginning.
    :param pages: how many pages were given.
    :param duration_s: of the whole call.
    :param age_s: of the oldest page; None without one.
    :param patches: operations of the user's own writes that were applied.
    :param error: class of the error; empty without one.
    """

    key: tuple[Any, ...]
    endpoint: str
    start: str | None
    pages: int
    verdict: Verdict
    duration_s: float
    age_s: float | None
    patches: int
    error: str
