"""What hooks give back (requirements, "Client-side hook generators"; contract, section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from portal.errors import ApiError, ApiUnavailableError
from portal.query.cache.page_cache import MAX_PAGES

if TYPE_CHECKING:
    from collections.abc import Callable

TData = TypeVar("TData")
TItem = TypeVar("TItem")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult(Generic[TData]):
    """A one-shot read.

    :param data: the answer; with an `error` beside it, the last one known. None where there is none.
    :param error: why the last try to fetch failed.
    :param fetched_at: when `data` was asked for, seconds since the epoch.
    :param is_stale: `data` is older than the endpoint's stale time, or a write outdated it.
    """

    data: TData | None
    error: ApiError | None
    fetched_at: float | None
    is_stale: bool
    _refetch: Callable[[], QueryResult[TData]]

    @property
    def is_loading(self) -> bool:
        """Always False: a hook returns when the fetch is done."""
        return False

    @property
    def as_of(self) -> datetime | None:
        """When `data` was asked for, in UTC; None without data."""
        return _moment(self.fetched_at)

    @property
    def is_success(self) -> bool:
        """Whether nothing went wrong: JSON's null, and no content, are data too."""
        return self.error is None

    def refetch(self) -> QueryResult[TData]:
        """Ask the backend, however fresh the data is; gives a new result."""
        return self._refetch()

    def unwrap(self) -> TData:
        """The data, for a view that can't do without.

        Older data is served through an outage, but not past a definite no (401, 403, 404).

        :raises ApiError: there is none, or the backend refused it.
        """
        if self.error is not None and (self.data is None or not isinstance(self.error, ApiUnavailableError)):
            raise self.error
        # A query without an error has its data, and JSON's null is data too.
        return cast("TData", self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaginatedRes(Generic[TItem]):
    """A list, flattened (requirements, "Paginated result").

    :param items: rows of all its pages, without duplicates; other fields than `id` as they came.
    :param has_next: whether the server has a further page, in its own last words.
    :param next_cursor: where that page begins; None at the end.
    :param raw_res: the server's own page bodies, one for each page.
    :param total: how many rows the list has in all, after this user's own writes; None where the backend gives no
        number, and where nobody knows whether a written row was among a filter's.
    """

    items: tuple[TItem, ...] = ()
    has_next: bool = False
    next_cursor: str | None = None
    raw_res: tuple[dict[str, Any], ...] = ()
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaginatedResult(Generic[TItem]):
    """A read of a list.

    :param data: the pages so far; empty where none could be had, and then there is an `error`.
    :param error: why the last try to fetch a page failed; the pages known before stay in `data`.
    :param fetched_at: when the oldest page was asked for, seconds since the epoch.
    :param is_stale: a page is older than the endpoint's stale time, or a write outdated it.
    :param pages: how many pages `data` holds.
    """

    data: PaginatedRes[TItem]
    error: ApiError | None
    fetched_at: float | None
    is_stale: bool
    pages: int
    _refetch: Callable[[], PaginatedResult[TItem]]
    _fetch_next: Callable[[], PaginatedResult[TItem]]

    @property
    def as_of(self) -> datetime | None:
        """When the oldest page of `data` was asked for, in UTC; None without pages."""
        return _moment(self.fetched_at)

    @property
    def has_next_page(self) -> bool:
        """Whether to go on: another page exists, the last fetch did not fail, and there are fewer than 50 pages.

        So a loop of :meth:`fetch_next_page` ends. Whether the server has a further page is `data.has_next`; behind
        the 50th one, it begins anew with `cursor=result.data.next_cursor`.
        """
        return self.data.has_next and self.error is None and self.pages < MAX_PAGES

    @property
    def is_loading(self) -> bool:
        """Always False: a hook returns when the first page is there."""
        return False

    @property
    def is_loading_more(self) -> bool:
        """Always False: a hook returns when the next page is there."""
        return False

    @property
    def is_success(self) -> bool:
        """Whether nothing went wrong."""
        return self.error is None

    def fetch_next_page(self) -> PaginatedResult[TItem]:
        """The list with one more page: a new result; this one where there is no further page, or 50 are loaded.

        It names the cursor, so asking twice loads the page once. A failure keeps the pages, with an error and without
        `has_next_page`: `while result.has_next_page: result = result.fetch_next_page()` ends, and what follows looks
        at `result.error`. Called on such a result, it tries once more.
        """
        return self._fetch_next() if self.data.has_next and self.pages < MAX_PAGES else self

    def refetch(self) -> PaginatedResult[TItem]:
        """Ask the backend for the same pages, one after another; gives a new result."""
        return self._refetch()

    def unwrap(self) -> PaginatedRes[TItem]:
        """The pages, for a view that can't do without; older ones through an outage only.

        :raises ApiError: there are none, or the backend refused them.
        """
        if self.error is not None and (not self.pages or not isinstance(self.error, ApiUnavailableError)):
            raise self.error
        return self.data


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationResult(Generic[TData]):
    """The outcome of one write.

    :param data: the backend's answer; None for an endpoint that gives none, and on failure.
    :param error: what went wrong; None on success.
    """

    data: TData | None
    error: ApiError | None

    @property
    def is_success(self) -> bool:
        """Whether the backend did it."""
        return self.error is None

    def unwrap(self) -> TData:
        """The answer.

        :raises ApiError: the write failed.
        """
        if self.error is not None:
            raise self.error
        return cast("TData", self.data)


def _moment(epoch_s: float | None) -> datetime | None:
    return None if epoch_s is None else datetime.fromtimestamp(epoch_s, tz=UTC)
