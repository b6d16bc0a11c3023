"""What each query and each mutation of a request came to, for the devtools panel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

if TYPE_CHECKING:
    from portal.query.endpoints import QueryKey, WriteRequest

CacheStatus: TypeAlias = Literal["memoized", "hit", "miss", "partial", "stale", "error"]
"""Where an answer came from, in the words of RFC 9211 where it has them.

memoized: this request had read the query before · hit: from the cache, fresh · miss: from the backend · partial: some
pages from the cache, others from the backend · stale: older data, which are fetched again behind the request, or stand
beside an error · error: no data.
"""
CACHE_STATUSES: Final[tuple[str, ...]] = get_args(CacheStatus)


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryEvent:
    """One call of a query hook.

    :param key: the query key as in requirements, "Client-side hook generators".
    :param start: cursor of the first page; None for the beginning.
    :param pages: how many pages were given.
    :param began_s: :func:`time.perf_counter` at the beginning.
    :param duration_s: of the whole call.
    :param age_s: of the oldest page; None without one.
    :param patches: how many patches of the user's own writes were applied.
    :param error: class of the error; empty without one.
    """

    key: tuple[Any, ...]
    endpoint: str
    start: str | None
    pages: int
    cache_status: CacheStatus
    began_s: float
    duration_s: float
    age_s: float | None
    patches: int
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationEvent:
    """One call of a mutation hook.

    :param write: what was sent, with what it changes in cached queries.
    :param began_s: :func:`time.perf_counter` at the beginning.
    :param duration_s: of the whole call.
    :param error: class of the error; empty without one.
    """

    write: WriteRequest
    began_s: float
    duration_s: float
    error: str


#: What a client notes of each query: the query's key, and the event's members from `start` on. Few clients are asked
#: for their events.
Done: TypeAlias = "tuple[QueryKey, str | None, int, CacheStatus, float, float, float | None, int, str]"


def event_of(done: Done) -> QueryEvent:
    """The event of a query."""
    key, start, pages, cache_status, began_s, duration_s, age_s, patches, error = done
    return QueryEvent(
        key=tuple(key.parts),
        endpoint=key.endpoint,
        start=start,
        pages=pages,
        cache_status=cache_status,
        began_s=began_s,
        duration_s=duration_s,
        age_s=age_s,
        patches=patches,
        error=error,
    )
