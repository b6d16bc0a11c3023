"""Pages as one read shows them: the server's words, and the rows after the user's own writes."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from portal.query.cache.page_cache import PAGE_LIFETIME_S
from portal.query.cache.pages import MAX_CLOCK_SKEW_S, SETTLING_S
from portal.query.cache.patches import fold, is_invalidated
from portal.query.endpoints import ListRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from portal.errors import ApiError
    from portal.query.cache.page_cache import Found
    from portal.query.cache.pages import Page, Row
    from portal.query.cache.patches import Judge
    from portal.query.endpoints import ReadRequest

_CONTAINERS: Final = frozenset({dict, list})
_DICT: Final = frozenset({dict})


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """One page of a read.

    :param rows: after the writes that the page lacks; empty for a one-shot answer.
    :param outdated: whether a write made it stale.
    :param total: how many rows the list has in all, as this page and the writes that it lacks say; None where that is
        not known.
    """

    page: Page
    rows: tuple[Row, ...] = ()
    outdated: bool = False
    total: int | None = None

    def is_known(self, *, now: float) -> bool:
        """Whether it may be shown although it is stale: by its age alone, and within the life of a page.

        Not one that may lack a write: this user would look for it.
        """
        return (
            not self.outdated
            and self.page.settled is None
            and -MAX_CLOCK_SKEW_S <= now - self.page.at < PAGE_LIFETIME_S
        )

    def is_stale(self, *, now: float, stale_time_s: float) -> bool:
        """Whether it must not be shown as fresh. A page from the future was stamped by a wrong clock."""
        age = now - self.page.at
        if self.page.settled is not None:
            # It may lack a write, so it counts only until the backend's reads show that.
            stale_time_s = min(stale_time_s, SETTLING_S)
        return self.outdated or age >= stale_time_s or age < -MAX_CLOCK_SKEW_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one read came to.

    :param shown: its pages.
    :param stale: whether one of them is stale: beside an error, or because it is revalidated behind this read.
    :param fetched: how many of them came from the backend now.
    :param patches: how many operations of writes were applied.
    """

    shown: tuple[MergedPage, ...] = ()
    error: ApiError | None = None
    stale: bool = False
    fetched: int = 0
    patches: int = 0


def shown_of(
    found: Found, query: ReadRequest, *, judge_of: Callable[[str], Judge]
) -> tuple[tuple[MergedPage, ...], int]:
    """What is cached of a query, with the writes that it lacks, and how many operations that were.

    :param judge_of: of a list's endpoint key: what decides where rows belong in its variants.
    """
    params = query.key.params
    if not isinstance(query, ListRequest):
        return tuple(
            MergedPage(page=page, outdated=is_invalidated(page=page, records=found.records, params=params))
            for page in found.pages
        ), 0
    folded = fold(pages=found.pages, records=found.records, params=params, judge=judge_of(query.key.endpoint))
    return tuple(
        MergedPage(page=page, rows=rows, outdated=outdated, total=total)
        for page, rows, outdated, total in zip(found.pages, folded.rows, folded.outdated, folded.totals, strict=True)
    ), folded.patches


def copied(value: Any) -> Any:
    """JSON that its receiver may change: what is remembered or shared never is."""
    # Rows are flat, mostly: a look at each of their values would cost more than all the rest of a cached read.
    if type(value) is dict:
        if _CONTAINERS.isdisjoint(map(type, value.values())):
            return value.copy()
        return {name: copied(part) if type(part) in _CONTAINERS else part for name, part in value.items()}
    if type(value) is list:
        if _DICT.issuperset(map(type, value)):
            return copied_rows(value)
        return [copied(part) if type(part) in _CONTAINERS else part for part in value]
    return value


def copied_rows(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that their receiver may change; flat ones, as most are, in one go."""
    rows = list(rows)
    if _CONTAINERS.isdisjoint(map(type, chain.from_iterable(map(dict.values, rows)))):
        return list(map(dict.copy, rows))
    return list(map(copied, rows))


def is_enough(shown: Sequence[MergedPage], count: int) -> bool:
    """Whether these are all the pages that are wanted, or that there are."""
    return len(shown) >= count or (bool(shown) and not shown[-1].page.has_next)


def fresh_prefix(shown: Sequence[MergedPage], *, now: float, stale_time_s: float) -> int:
    """How many pages, from the first on, are fresh."""
    for index, page in enumerate(shown):
        if page.is_stale(now=now, stale_time_s=stale_time_s):
            return index
    return len(shown)
