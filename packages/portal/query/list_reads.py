"""Reads of lists whose backend may not know a parameter: what it ignores, what it refuses, and what is left of a list.

A parameter that is ignored shows in the rows (:mod:`portal.query.gaps`). One that is refused shows in an error:
then the list is read without parameters, and each parameter by itself with a value that is surely good. Only what is
refused even then is learned, for all users: what somebody typed must not take a filter from everybody.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from portal.config.contract_names import CREATED_AT_FIELD, NOBODYS_WORD, SORT_NEWEST_FIRST
from portal.errors import ApiAbsentError, ApiError
from portal.query.endpoints import ListRequest, QuerySpec, query_key
from portal.query.gaps import checked_rows, nobodys_value, param_name, sure_value
from portal.query.reads import WalkedPage, walk_list
from portal.query.results import filters_of, list_data

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from portal.query.cache import JsonRow, ReadResult
    from portal.query.calls import BackendCaller
    from portal.query.gaps import KnownGaps
    from portal.query.results import PaginatedRes

logger = logging.getLogger("portal.query")

_SEARCH: Final = "q"
_SORT: Final = "sort"
#: A backend that does not know a parameter may answer so.
_REFUSED: Final = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
#: One that does not have the whole list may answer so, with parameters or without.
_NO_LIST: Final = frozenset({HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.GONE})
#: Status of the gap of a parameter that is taken and not followed.
_IGNORED: Final = int(HTTPStatus.OK)


class Settled(NamedTuple):
    """A read of a list, after all that had to be left out was.

    :param call: as it was read.
    :param left_out: the parameters that it lacks, in the order of the read.
    """

    call: QuerySpec[Any]
    result: ReadResult
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReads:
    """The lists of one request.

    :param read: reads one query through the cache.
    :param warned: what this process has warned of.
    :param clock: seconds since the epoch.
    """

    read: Callable[[QuerySpec[Any]], ReadResult]
    gaps: KnownGaps
    warned: set[str]
    clock: Callable[[], float]

    def begin(self, call: QuerySpec[Any]) -> tuple[QuerySpec[Any], tuple[str, ...]]:
        """The call without the parameters that are known to be refused, and these; what is no list, as it is."""
        request = call.query
        if not isinstance(request, ListRequest):
            return call, ()
        left_out = tuple(param for param in _optional(request) if self._is_left_out(request, param))
        return replace(call, query=without(request, left_out)) if left_out else call, left_out

    def settle(
        self, call: QuerySpec[Any], request: ListRequest, result: ReadResult, left_out: tuple[str, ...]
    ) -> Settled:
        """Read again without what the backend refuses, or does not search for; else the result as it is.

        :param request: as it was asked for, with all its parameters.
        """
        params = [param for param in _optional(request) if param not in left_out]
        if not params:
            return Settled(call, result, left_out)
        more = [] if result.error is None else self._refused(request, params, result.error)
        if isinstance(more, ApiAbsentError):
            return Settled(call, replace(result, error=more), left_out)
        if not more and any(merged.page.rows for merged in result.pages):
            more = self._unsearched(request, left_out)
        if not more:
            if isinstance(call.query, ListRequest):
                self._learn_counted(call, call.query, result)
            return Settled(call, result, left_out)
        left_out = tuple(param for param in _optional(request) if param in {*left_out, *more})
        call = replace(call, query=without(request, left_out))
        return self.settle(call, request, self.read(call), left_out)

    def _note_ignored(self, request: ListRequest, params: Collection[str], *, proofs: Collection[str]) -> None:
        """The backend's rows contradict these parameters.

        :param proofs: those of them that the backend certainly ignores.
        """
        for param in params:
            name = param_name(request.key.endpoint, param)
            if param in proofs and self.gaps.remembered([name], now=self.clock()) is None:
                self.gaps.learn(name, status=_IGNORED, now=self.clock())
            if name not in self.warned:
                self.warned.add(name)
                logger.warning(
                    "%s: rows contradict the parameter %s, so the backend does not follow it; they are left out",
                    request.key.endpoint,
                    param,
                )

    def data(self, request: ListRequest, settled: Settled) -> PaginatedRes[Any]:
        """The pages as one list, without rows that contradict a parameter of the read."""
        found = list_data(settled.result.pages, request, left_out=settled.left_out)
        self._note_ignored(request, found.contradicted, proofs=found.proofs)
        endpoint = request.key.endpoint
        if found.has_unnamed and endpoint not in self.warned:
            self.warned.add(endpoint)
            logger.warning(
                "%s: rows without %r can't be told apart and may come twice; give the endpoint unique_by=… with a"
                " field that every row has, or unique_by=False",
                endpoint,
                request.hook.unique_by,
            )
        if _filters(request) and not self._is_total(request, settled, is_part=found.list.has_next):
            # It may count all rows of the list.
            return replace(found.list, total=None)
        return found.list

    def _is_total(self, request: ListRequest, settled: Settled, *, is_part: bool) -> bool:
        """Whether the total is certainly one of the filtered list: a whole one has as many rows as it says."""
        if is_part or settled.call.cursor is not None:
            return self._is_counted(request)
        pages = [merged.page for merged in settled.result.pages]
        return bool(pages) and pages[0].total == sum(len(page.rows) for page in pages)

    def walk(self, request: ListRequest, *, caller: BackendCaller, page_rows: int) -> Iterator[WalkedPage[Any]]:
        """As :func:`~portal.query.reads.walks.walk_list`, decoded and checked, without what the backend refuses."""
        _, left_out = self.begin(QuerySpec(query=request))
        while True:
            pages = self._walk(request, left_out, caller=caller, page_rows=page_rows)
            try:
                first = next(pages)
                break
            except ApiError as error:
                more = self._refused(request, [each for each in _optional(request) if each not in left_out], error)
                if not more or isinstance(more, ApiAbsentError):
                    raise
                left_out = (*left_out, *more)
        yield first
        yield from pages

    def _walk(
        self, request: ListRequest, left_out: tuple[str, ...], *, caller: BackendCaller, page_rows: int
    ) -> Iterator[WalkedPage[Any]]:
        if _SEARCH in left_out:
            yield WalkedPage(rows=(), total=None, ignored=left_out)
            return
        for rows, total in walk_list(without(request, left_out), caller=caller, page_rows=page_rows):
            if rows and self._unsearched(request, left_out):
                yield WalkedPage(rows=(), total=None, ignored=(*left_out, _SEARCH))
                return
            kept, wrong, proofs = checked_rows(rows, request, raw=[rows])
            self._note_ignored(request, wrong, proofs=proofs)
            ignored = tuple(dict.fromkeys((*left_out, *wrong)))
            yield WalkedPage(
                rows=kept if request.decode is None else request.decode(kept),
                total=total if self._is_counted(request) and not filters_of(ignored) else None,
                ignored=ignored,
            )

    def _is_left_out(self, request: ListRequest, param: str) -> bool:
        gap = self.gaps.remembered([param_name(request.key.endpoint, param)], now=self.clock())
        return gap is not None and (gap.status != _IGNORED or param == _SEARCH)

    def _refused(self, request: ListRequest, params: Collection[str], error: ApiError) -> list[str] | ApiAbsentError:
        """Which of the parameters the backend refuses whatever their value; or that it does not have the list."""
        if error.status not in _REFUSED and not (error.status in _NO_LIST and request.hook.without):
            return []
        bare = self.read(QuerySpec(query=without(request, _optional(request))))
        if bare.error is not None or not bare.pages:
            return bare.error if isinstance(bare.error, ApiAbsentError) else []
        if error.status not in _REFUSED:
            return []
        rows = bare.pages[0].page.rows
        return [param for param in params if self._is_refused(request, param, rows)]

    def _is_refused(self, request: ListRequest, param: str, rows: list[JsonRow]) -> bool:
        name, now = param_name(request.key.endpoint, param), self.clock()
        known = self.gaps.current([name], now=now)
        if known is not None:
            return known.status != _IGNORED
        value = _sure_value(request, param, rows)
        if value is None:
            return False
        error = self.read(QuerySpec(query=without(request, _optional(request), given={param: value}))).error
        if error is None or error.status not in _REFUSED:
            return False
        if self.gaps.learn(name, status=error.status or 0, now=now):
            logger.info("%s: the backend refuses the parameter %s (%d)", request.key.endpoint, param, error.status)
        return True

    def _unsearched(self, request: ListRequest, left_out: Collection[str]) -> list[str]:
        """`q`, if the backend has rows for a word that no row has.

        Asked once by each process, of a list that has rows: no rows of a list without any say nothing. Where there is
        no answer, it is asked again after ten minutes.
        """
        name, now = param_name(request.key.endpoint, _SEARCH), self.clock()
        if _SEARCH not in request.key.params or _SEARCH in left_out or self.gaps.was_answered(name):
            return []
        if self.gaps.current([name], now=now) is not None:
            return [_SEARCH]
        if self.gaps.was_tried(name, now=now):
            return []
        word = without(request, _optional(request), given={_SEARCH: NOBODYS_WORD})
        found = self.read(QuerySpec(query=word, force=True))
        if found.error is not None or not found.pages:
            self.gaps.tried(name, now=now)
            more = self._refused(request, [_SEARCH], found.error) if found.error is not None else []
            return [] if isinstance(more, ApiAbsentError) else more
        page = found.pages[0].page
        if page.rows:
            self._note_ignored(request, [_SEARCH], proofs=[_SEARCH])
            return [_SEARCH]
        self.gaps.followed(name)
        if not page.total:
            self.gaps.followed(_counted_name(request, _SEARCH))
        return []

    def _learn_counted(self, call: QuerySpec[Any], request: ListRequest, result: ReadResult) -> None:
        """Which filters the backend counts by: with a value that no row has it counts none, or more without the filter.

        Asked for where a total depends on it: once by each process, and once in ten minutes where nothing is proven.
        Rows that happen to fit are no proof.

        :param request: as it was read.
        """
        if call.cursor is not None or not result.pages or not result.pages[0].page.has_next:
            return
        page, filters, now = result.pages[0].page, _filters(request), self.clock()
        names = {param: _counted_name(request, param) for param in filters}
        unknown = [param for param, name in names.items() if not self._is_known(name, now=now)]
        if page.total is None or not unknown:
            return
        _, wrong, _ = checked_rows(page.rows, request, raw=[page.rows])
        is_alone = result.fetched == len(result.pages) and len(filters) == 1
        for param in unknown:
            if param in wrong:
                continue
            if self._counts_by(request, param, total=page.total if is_alone else None):
                self.gaps.followed(names[param])
            else:
                self.gaps.tried(names[param], now=now)

    def _counts_by(self, request: ListRequest, param: str, *, total: int | None) -> bool:
        """Whether the backend counts by this filter.

        :param total: of the list with this filter alone, if it was just fetched.
        """
        filters, row_filter = _filters(request), request.hook.filters.get(param)
        nobodys = None if row_filter is None else nobodys_value(row_filter)
        if nobodys is not None:
            return self._total(without(request, filters, given={param: nobodys})) == 0
        if total is None:
            total = self._total(without(request, [each for each in filters if each != param]))
        bare = self._total(without(request, filters))
        return total is not None and bare is not None and bare > total

    def _is_counted(self, request: ListRequest) -> bool:
        """Whether the backend was seen to count by each filter of the read."""
        return all(self.gaps.was_answered(_counted_name(request, param)) for param in _filters(request))

    def _is_known(self, name: str, *, now: float) -> bool:
        return self.gaps.was_answered(name) or self.gaps.was_tried(name, now=now)

    def _total(self, request: ListRequest) -> int | None:
        """As the backend counts now."""
        found = self.read(QuerySpec(query=request, force=True))
        return found.pages[0].page.total if found.error is None and found.pages else None


def without(request: ListRequest, params: Collection[str], *, given: dict[str, Any] | None = None) -> ListRequest:
    """The same list without some parameters, and with those that are given."""
    kept = {name: value for name, value in request.key.params.items() if name not in params}
    key = query_key(endpoint=request.key.endpoint, params={**kept, **(given or {})}, paginated=True)
    return replace(request, key=key)


def _optional(request: ListRequest) -> list[str]:
    """The parameters of the read that its path does not take."""
    if not request.key.params:
        return []
    return [param for param in request.key.params if param not in request.hook.in_path]


def _filters(request: ListRequest) -> list[str]:
    """Those of them that decide which rows the list has."""
    return [param for param in _optional(request) if param != _SORT]


def _counted_name(request: ListRequest, param: str) -> str:
    """By what a process knows that the backend counts by this parameter. One that searches may still count all rows."""
    name = param_name(request.key.endpoint, param)
    return f"{name} total" if param == _SEARCH else name


def _sure_value(request: ListRequest, param: str, rows: list[JsonRow]) -> Any:
    """A value that a backend which knows the parameter accepts; None where none is certain."""
    if param == _SEARCH:
        return NOBODYS_WORD
    if param == _SORT:
        return SORT_NEWEST_FIRST if any(row.get(CREATED_AT_FIELD) is not None for row in rows) else None
    row_filter = request.hook.filters.get(param)
    return None if row_filter is None else sure_value(row_filter, rows)
