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

from portal.config.contract_names import CREATED_AT_FIELD, SORT_NEWEST_FIRST
from portal.errors import ApiAbsentError, ApiError
from portal.query.endpoints import ListRequest, path_params, query_key, shape
from portal.query.gaps import checked_rows, have_words, param_name, sure_value, word_of
from portal.query.reads import ReadCall, WalkedPage, walk_list
from portal.query.result_data import filters_of, list_data

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from portal.query.cache import JsonRow, Page, ReadResult
    from portal.query.calls import BackendCaller
    from portal.query.endpoints import ReadRequest
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

    call: ReadCall
    result: ReadResult
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListReads:
    """The lists of one request.

    :param read: reads one query through the cache.
    :param warned: what this process has warned of.
    :param clock: seconds since the epoch.
    """

    read: Callable[[ReadCall], ReadResult]
    gaps: KnownGaps
    warned: set[str]
    clock: Callable[[], float]

    def begin(self, call: ReadCall, request: ReadRequest) -> tuple[ReadCall, tuple[str, ...]]:
        """The call without the parameters that are known to be refused, and these; what is no list, as it is."""
        if not isinstance(request, ListRequest):
            return call, ()
        left_out = tuple(param for param in _optional(request) if self._is_left_out(request, param))
        return replace(call, request=without(request, left_out)) if left_out else call, left_out

    def settle(self, call: ReadCall, request: ListRequest, result: ReadResult, left_out: tuple[str, ...]) -> Settled:
        """Read again without what the backend refuses, or does not search for; else the result as it is.

        :param request: as it was asked for, with all its parameters.
        """
        params = [param for param in _optional(request) if param not in left_out]
        if not params:
            return Settled(call, result, left_out)
        if result.error is not None:
            more = self._refused(request, params, result.error)
            if isinstance(more, ApiAbsentError):
                return Settled(call, replace(result, error=more), left_out)
        else:
            more = self._unsearched(call, request, result, left_out)
        if not more and isinstance(call.request, ListRequest):
            self._learn_followed(call, call.request, result)
        if not more:
            return Settled(call, result, left_out)
        left_out = tuple(param for param in _optional(request) if param in {*left_out, *more})
        call = replace(call, request=without(request, left_out))
        return Settled(call, self.read(call), left_out)

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
                request.unique_by,
            )
        is_part = settled.call.start is not None or found.list.has_next
        if is_part and not all(self._is_followed(request, param) for param in _filters(request)):
            # It may count all rows of the list.
            return replace(found.list, total=None)
        return found.list

    def walk(self, request: ListRequest, *, caller: BackendCaller, page_rows: int) -> Iterator[WalkedPage[Any]]:
        """As :func:`~portal.query.reads.walks.walk_list`, decoded and checked, without what the backend refuses."""
        call, left_out = self.begin(ReadCall(request=request), request)
        if _SEARCH in request.key.params and _SEARCH not in left_out:
            left_out = self.settle(call, request, self.read(call), left_out).left_out
        pages = self._walk(request, left_out, caller=caller, page_rows=page_rows)
        try:
            first = next(pages)
        except ApiError as error:
            more = self._refused(request, [each for each in _optional(request) if each not in left_out], error)
            if not more or isinstance(more, ApiAbsentError):
                raise
            pages = self._walk(request, (*left_out, *more), caller=caller, page_rows=page_rows)
            first = next(pages)
        yield first
        yield from pages

    def _walk(
        self, request: ListRequest, left_out: tuple[str, ...], *, caller: BackendCaller, page_rows: int
    ) -> Iterator[WalkedPage[Any]]:
        if _SEARCH in left_out:
            yield WalkedPage(rows=(), total=None, ignored=left_out)
            return
        is_counted = all(self._is_followed(request, param) for param in _filters(request))
        for rows, total in walk_list(without(request, left_out), caller=caller, page_rows=page_rows):
            kept, wrong, proofs = checked_rows(rows, request, raw=[rows])
            self._note_ignored(request, wrong, proofs=proofs)
            ignored = tuple(dict.fromkeys((*left_out, *wrong)))
            yield WalkedPage(
                rows=kept if request.decode is None else request.decode(kept),
                total=total if is_counted and not filters_of(ignored) else None,
                ignored=ignored,
            )

    def _is_left_out(self, request: ListRequest, param: str) -> bool:
        gap = self.gaps.remembered([param_name(request.key.endpoint, param)], now=self.clock())
        return gap is not None and (gap.status != _IGNORED or param == _SEARCH)

    def _refused(self, request: ListRequest, params: Collection[str], error: ApiError) -> list[str] | ApiAbsentError:
        """Which of the parameters the backend refuses whatever their value; or that it does not have the list."""
        if error.status not in _REFUSED and not (error.status in _NO_LIST and request.without):
            return []
        bare = self.read(ReadCall(request=without(request, _optional(request))))
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
        error = self.read(ReadCall(request=without(request, _optional(request), given={param: value}))).error
        if error is None or error.status not in _REFUSED:
            return False
        if self.gaps.learn(name, status=error.status or 0, now=now):
            logger.info("%s: the backend refuses the parameter %s (%d)", request.key.endpoint, param, error.status)
        return True

    def _unsearched(
        self, call: ReadCall, request: ListRequest, result: ReadResult, left_out: Collection[str]
    ) -> list[str]:
        """`q`, if the backend answers it with the list as it is without."""
        words = request.key.params.get(_SEARCH)
        if words is None or _SEARCH in left_out or call.start is not None or not result.pages:
            return []
        page, name = result.pages[0].page, param_name(request.key.endpoint, _SEARCH)
        if self.gaps.was_answered(name) or have_words(str(words), page.rows):
            return []
        bare = self._first_page(without(request, [*left_out, _SEARCH]))
        if bare is None:
            return []
        if _differ(page, bare, request):
            self.gaps.followed(name)
            return []
        self._note_ignored(request, [_SEARCH], proofs=[_SEARCH])
        return [_SEARCH]

    def _learn_followed(self, call: ReadCall, request: ListRequest, result: ReadResult) -> None:
        """Which parameters the backend follows: without one that it follows, the first page is another one.

        Asked for once by each process, where a total depends on it: rows that happen to fit are no proof.

        :param request: as it was read.
        """
        if (
            call.start is not None
            or not result.pages
            or not result.pages[0].page.has_next
            or result.pages[0].total is None
        ):
            return
        page, filters = result.pages[0].page, _filters(request)
        _, wrong, _ = checked_rows(page.rows, request, raw=[page.rows])
        unknown = [param for param in filters if not self._is_followed(request, param) and param not in wrong]
        bare = self._first_page(without(request, filters)) if unknown else None
        for param in unknown if bare is not None else ():
            others = [each for each in filters if each != param]
            alone = self._first_page(without(request, others)) if others else page
            if alone is not None and bare is not None and _differ(alone, bare, request):
                self.gaps.followed(param_name(request.key.endpoint, param))

    def _is_followed(self, request: ListRequest, param: str) -> bool:
        return self.gaps.was_answered(param_name(request.key.endpoint, param))

    def _first_page(self, request: ListRequest) -> Page | None:
        found = self.read(ReadCall(request=request))
        return found.pages[0].page if found.error is None and found.pages else None


def without(request: ListRequest, params: Collection[str], *, given: dict[str, Any] | None = None) -> ListRequest:
    """The same list without some parameters, and with those that are given."""
    kept = {name: value for name, value in request.key.params.items() if name not in params}
    key = query_key(endpoint=request.key.endpoint, params={**kept, **(given or {})}, paginated=True)
    return replace(request, key=key)


def _optional(request: ListRequest) -> list[str]:
    """The parameters of the read that its path does not take."""
    if not request.key.params:
        return []
    in_path = path_params(shape(request.url))
    return [param for param in request.key.params if param not in in_path]


def _filters(request: ListRequest) -> list[str]:
    """Those of them that decide which rows the list has."""
    return [param for param in _optional(request) if filters_of([param])]


def _differ(page: Page, bare: Page, request: ListRequest) -> bool:
    """Whether two first pages are of different lists."""
    ids, of_bare = ([row.get(request.id_field) for row in each.rows] for each in (page, bare))
    return page.total != bare.total or ids != of_bare


def _sure_value(request: ListRequest, param: str, rows: list[JsonRow]) -> Any:
    """A value that a backend which knows the parameter accepts; None where none is certain."""
    if param == _SEARCH:
        return word_of(rows)
    if param == _SORT:
        return SORT_NEWEST_FIRST if any(row.get(CREATED_AT_FIELD) is not None for row in rows) else None
    row_filter = request.filters.get(param)
    return None if row_filter is None else sure_value(row_filter, rows)
