"""Results of hooks (requirements, "Client-side hook generators"; contract, section 1), made of cached responses.

Each call returns new objects, which callers may change.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Generic, Self, TypeVar, cast

from portal.config.contract_names import HAS_NEXT_FIELD, SORT_PARAM
from portal.config.limits import MAX_PAGES
from portal.errors import (
    ApiError,
    ApiForbiddenError,
    ApiMalformedError,
    ApiNotFoundError,
    ApiUnavailableError,
    without_traceback,
)
from portal.query.cache import JsonRow, MergedPage, has_next, unique_rows
from portal.query.endpoints import ListRequest
from portal.query.offered_calls import offers_totals
from portal.query.reads import WalkedPage
from portal.query.row_checks import checked_rows
from portal.rows import Decoder, copied, copied_rows

logger = logging.getLogger("portal.query")

TData = TypeVar("TData")
TItem = TypeVar("TItem")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """The common part of all results.

    :param error: why the last try failed; None on success.
    """

    error: ApiError | None

    @property
    def is_success(self) -> bool:
        """Return whether nothing failed. JSON's null, and an empty response, are data too."""
        return self.error is None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read(_Result):
    """The common part of the results of reads.

    :param fetched_at: when the data was requested, seconds since the epoch; of a list, its oldest page.
    :param is_stale: the data is older than the endpoint's stale time, or a write invalidated it.
    :param version: names the data: what has the same version is one user's, and the same. None where nothing names it:
        beside an error, with the user's own writes in it, and without the store.
    """

    fetched_at: float | None
    is_stale: bool
    version: tuple[object, ...] | None = None
    _refetch: Callable[[], Any]

    @property
    def as_of(self) -> datetime | None:
        """When the data was requested, in UTC; of a list, its oldest page. None without data."""
        return None if self.fetched_at is None else datetime.fromtimestamp(self.fetched_at, tz=UTC)

    @property
    def is_loading(self) -> bool:
        """Always False: a hook returns when the first fetch has ended (requirements, "Client-side hook generators")."""
        return False

    def refetch(self) -> Self:
        """Ask the backend, even if the data is fresh; of a list, for the same pages. Returns a new result."""
        return cast("Self", self._refetch())


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult(_Read, Generic[TData]):
    """A one-shot read.

    :param data: the response; with an `error` beside it, the last known one. None where there is none.
    """

    data: TData | None

    def unwrap(self) -> TData:
        """The data, for a view that cannot do without.

        Older data is returned during an outage, but not after a definite no (401, 403, 404).

        :raises ApiError: there is no data, or the backend refused it.
        """
        if self.error is not None and (self.data is None or not isinstance(self.error, ApiUnavailableError)):
            raise self.error
        # A query without an error has its data, and JSON's null is data too.
        return cast("TData", self.data)


@dataclass(frozen=True, slots=True, kw_only=True)
class PaginatedRes(Generic[TItem]):
    """A list, flattened: `TPaginatedRes` (requirements, "Paginated result").

    :param items: rows of all its pages, without duplicates.
    :param has_next: whether the server has a further page, as its last response says.
    :param next_cursor: where that page begins; None at the end.
    :param raw_res: the server's own page bodies, one for each page, with all fields as they came.
    :param total: how many rows the list has in all, after this user's own writes. None where the backend gives no
        number, or none of the filtered list, where a written row may or may not match the list's filter, and where
        `ignored` has a filter.
    :param ignored: names on the wire of the parameters that the backend did not follow in this read. Rows that
        contradict a filter are not among `items`.
    """

    items: tuple[TItem, ...] = ()
    has_next: bool = False
    next_cursor: str | None = None
    raw_res: tuple[dict[str, Any], ...] = ()
    total: int | None = None
    ignored: tuple[str, ...] = ()

    @property
    def is_cut_off(self) -> bool:
        """Return whether the server says that it has a further page, and not where that begins."""
        return bool(self.raw_res) and self.raw_res[-1].get(HAS_NEXT_FIELD) is True and not self.has_next


@dataclass(frozen=True, kw_only=True)
class PaginatedResult(_Read, Generic[TItem]):
    """A read of a list. With an `error`, the pages that were known before stay in `data`.

    :param pages: how many pages `data` holds.
    """

    pages: int
    _data: Callable[[], PaginatedRes[TItem]]
    _fetch_next: Callable[[], PaginatedResult[TItem]]

    @cached_property
    def data(self) -> PaginatedRes[TItem]:
        """The pages so far; empty where no page could be fetched, and then there is an `error`.

        Made when it is asked for: a list that was rendered before needs none of its rows.
        """
        return self._data()

    @property
    def has_next_page(self) -> bool:
        """Return whether to go on: another page exists, the last fetch did not fail, and there are fewer than 50 pages.

        So a loop of :meth:`fetch_next_page` ends. `data.has_next` tells whether the server has a further page. After
        50 pages, begin again with `cursor=result.data.next_cursor`.
        """
        return self.data.has_next and self.error is None and self.pages < MAX_PAGES

    @property
    def is_loading_more(self) -> bool:
        """Always False: :meth:`fetch_next_page` returns when its fetch has ended."""
        return False

    def fetch_next_page(self) -> PaginatedResult[TItem]:
        """The list with one more page, as a new result; this result where there is no further page, or 50 are loaded.

        The next page is named by its cursor, so two calls load it once. After a failure the result has the pages, an
        error, and no `has_next_page`: `while result.has_next_page: result = result.fetch_next_page()` ends, and
        `result.error` tells why. Called on a result with an error, it tries again.
        """
        return self._fetch_next() if self.data.has_next and self.pages < MAX_PAGES else self

    def unwrap(self) -> PaginatedRes[TItem]:
        """The pages, for a view that cannot do without; older pages during an outage only.

        :raises ApiError: there are no pages, or the backend refused them.
        """
        if self.error is not None and (not self.pages or not isinstance(self.error, ApiUnavailableError)):
            raise self.error
        return self.data


def versions_of(*results: QueryResult[Any] | PaginatedResult[Any]) -> tuple[object, ...] | None:
    """Return the name of the data of all these reads together; None where one has none.

    A part that the backend does not have, or not for this user, is named by that.
    """
    versions = [type(each.error) if _is_gone(each) else each.version for each in results]
    return None if None in versions else tuple(versions)


def _is_gone(result: QueryResult[Any] | PaginatedResult[Any]) -> bool:
    return isinstance(result.error, ApiNotFoundError | ApiForbiddenError) and result.fetched_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationResult(_Result, Generic[TData]):
    """The outcome of one write.

    :param data: the backend's response; None for an endpoint without one, and on failure.
    """

    data: TData | None

    def unwrap(self) -> TData:
        """The response.

        :raises ApiError: the write failed.
        """
        if self.error is not None:
            raise self.error
        return cast("TData", self.data)


def response_data(body: Any, decode: Decoder | None) -> tuple[Any, ApiError | None]:
    """Return the data of a response, and the error where it can't be read."""
    if decode is None:
        return copied(body), None
    try:
        return decode(body), None
    except ApiMalformedError as error:
        return None, without_traceback(error)


def _counted_total(request: ListRequest, ignored: Sequence[str], total: int | None, *, whole: int | None) -> int | None:
    """Return the total of a list, where it is certainly one of the filtered list.

    :param ignored: the parameters that were not followed.
    :param whole: the number of rows of a list that is here from its beginning to its end; else None.
    """
    # The order decides nothing about which rows a list has.
    if {*ignored} - {SORT_PARAM}:
        return None
    is_certain = not {*request.filtered_by} - {SORT_PARAM} or offers_totals(request.hook) or total == whole
    return total if is_certain else None


def list_data(
    pages: Sequence[MergedPage], request: ListRequest, *, is_from_start: bool, warned: set[str]
) -> PaginatedRes[Any]:
    """The pages of a list as one, without rows that contradict a parameter.

    :param is_from_start: whether the first page is the first one of the list.
    :param warned: the names for which this process has logged a warning.
    """
    # Rows that are not decoded are handed out, and callers may change them.
    own = [merged.rows if request.decode is not None else copied_rows(merged.rows) for merged in pages]
    rows, has_unnamed = unique_rows(own, unique_by=request.hook.unique_by)
    if has_unnamed and request.endpoint not in warned:
        warned.add(request.endpoint)
        logger.warning(
            "%s: rows without %r can't be told apart and may come twice; give the endpoint unique_by=… with a field"
            " that every row has, or unique_by=False",
            request.endpoint,
            request.hook.unique_by,
        )
    rows, contradicted = _checked(rows, request, raw=(merged.page.rows for merged in pages), warned=warned)
    has_more = has_next(pages)
    whole = None if has_more or not is_from_start else sum(len(merged.page.rows) for merged in pages)
    return PaginatedRes(
        items=rows if request.decode is None else request.decode(rows),
        has_next=has_more,
        next_cursor=pages[-1].page.next_cursor if has_more else None,
        raw_res=tuple(copied(merged.page.body) for merged in pages),
        total=_counted_total(request, contradicted, pages[0].total, whole=whole) if pages else None,
        ignored=contradicted,
    )


def walked_pages(
    pages: Iterable[tuple[list[JsonRow], int | None]], request: ListRequest, *, warned: set[str]
) -> Iterator[WalkedPage[Any]]:
    """The pages of a walk, decoded, without rows that contradict a parameter.

    :param pages: the rows of each as they came, and its total.
    """
    for sent, total in pages:
        rows, contradicted = _checked(sent, request, raw=[sent], warned=warned)
        yield WalkedPage(
            rows=rows if request.decode is None else request.decode(rows),
            total=_counted_total(request, contradicted, total, whole=None),
            ignored=contradicted,
        )


def _checked(
    rows: Sequence[JsonRow], request: ListRequest, *, raw: Iterable[Sequence[JsonRow]], warned: set[str]
) -> tuple[tuple[JsonRow, ...], tuple[str, ...]]:
    kept, contradicted = checked_rows(rows, request, raw=raw)
    for param in contradicted:
        name = f"{request.endpoint}?{param}"
        if name not in warned:
            warned.add(name)
            logger.warning("%s: the rows of the backend contradict this parameter, so it does not follow it", name)
    return kept, contradicted
