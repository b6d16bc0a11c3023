"""Fetches of one request: pages from the backend into the page cache, for a read that needs them."""

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final

from portal.config.contract_names import PROFILE_PERMISSIONS_FIELD
from portal.config.limits import QUERY_RETRIES
from portal.errors import ApiError, ApiTimeoutError, ApiUnauthorizedError, ApiUnavailableError, without_traceback
from portal.identity import permission_strings
from portal.process import Deadline, SharedCall, waits_for
from portal.query.cache import (
    MAX_RECORDS,
    MergedPage,
    Page,
    ReadResult,
    VersionStamp,
    WriteRecord,
    check_list_body,
    is_enough,
    merge_fetched,
)
from portal.query.calls import BackendCaller
from portal.query.endpoints import ListRequest, QuerySpec, Registry
from portal.query.offered_calls import absence, check_offered
from portal.query.process_state import QueryRuntime
from portal.query.request_sign_in import PROFILE_QUERY, RequestSignIn
from portal.query.sign_in_caches import SignInCache

logger = logging.getLogger("portal.query")

#: For `joins_from`: any fetch of another thread may be joined, or none.
ANY_FETCH: Final = float("-inf")
NO_FETCH: Final = float("inf")


@dataclass(slots=True, kw_only=True)
class Read:
    """One read of a request: what it asks for, what is cached of it, and what it needs from the backend.

    :param token: the access token when it began.
    :param version: of the request cache when it began.
    :param memoized_at: when the oldest part of the result was memoized; None for now.
    :param cache: None where nothing is cached.
    :param stamp: the version stamp of before the first request leaves.
    :param pages: the cached pages, fresh or not.
    :param kept: how many of them stay as they are.
    :param is_stale: whether a page that stays is stale.
    :param patches: how many patches were applied to the cached pages.
    :param joins_from: fetches of other threads that began at this moment or later may be joined, in monotonic seconds:
        `ANY_FETCH`, or `NO_FETCH` for a read whose request must leave now.
    :param budget: time for the fetch; None for all that the request has left.
    :param bearer: for a fetch that may outlive the request: the access token that opens the cache. It is not
        refreshed. None: the request's own tokens.
    :param tries: how often each call is sent at most.
    :ivar future: the result, if another thread fetches it.
    :ivar is_abandoned: whether nobody waits for the result any more: then a failed call is not tried again.
    """

    call: QuerySpec[Any]
    token: str | None = None
    version: tuple[int, int] = (0, 0)
    memoized_at: float | None = None
    cache: SignInCache | None = None
    stamp: VersionStamp | None = None
    pages: tuple[MergedPage, ...] = ()
    kept: int = 0
    is_stale: bool = False
    patches: int = 0
    joins_from: float = ANY_FETCH
    budget: Deadline | None = None
    bearer: str | None = None
    tries: int = 1 + QUERY_RETRIES
    future: Future[ReadResult] | None = field(default=None, init=False)
    is_abandoned: bool = field(default=False, init=False)

    @property
    def has_older_data(self) -> bool:
        """Return whether older data can be shown, so that the request waits for a moment only."""
        return self.bearer is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFetcher:
    """Fetches for one request. Safe for threads.

    :param clock: seconds since the epoch.
    """

    runtime: QueryRuntime
    caller: BackendCaller
    sign_in: RequestSignIn
    registry: Registry
    clock: Callable[[], float]

    def fetch(self, read: Read) -> ReadResult:
        """Fetch the pages that are needed, one after another. After a failure the cached pages are shown.

        :raises SignInEndedError: the sign-in is over.
        """
        request, count = read.call.query, read.call.pages
        pages = list(read.pages[: read.kept])
        stamp = read.stamp
        error: ApiError | None = None
        try:
            check_offered(request)
            while not is_enough(pages, count):
                if len(pages) > read.kept and read.cache is not None and request.hook.cache:
                    stamp = self.runtime.cache.get(read.cache, request.key, count=0).stamp
                cursor = pages[-1].page.next_cursor if pages else read.call.cursor
                pages.append(self._page(read, stamp, index=len(pages), cursor=cursor))
        except ApiError as failure:
            error = without_traceback(absence(failure, request.hook, warned=self.runtime.warned))
            is_shown = not all(merged.is_invalidated for merged in read.pages[len(pages) :])
            if read.cache is not None and is_shown and is_definite_no(error):
                # The next read has to meet the error too, and show nothing older, also of a fetch that began before.
                # A record is made only where a page was cached: else each made-up id would leave one.
                self.runtime.cache.invalidate(read.cache, request.key)
        is_profile = request.key == PROFILE_QUERY.key
        if is_profile and read.pages and pages and _permissions(read.pages) != _permissions(pages):
            self.sign_in.purge(by_profile=True)
        shows_cached = error is not None and len(pages) < len(read.pages) and not is_definite_no(error)
        return ReadResult(
            pages=read.pages if shows_cached else tuple(pages),
            error=error,
            is_stale=shows_cached or read.is_stale,
            fetched=len(pages) - read.kept,
            patches=read.patches,
        )

    def _page(self, read: Read, stamp: VersionStamp | None, *, index: int, cursor: str | None) -> MergedPage:
        """Fetch one page into the cache, or take it from another thread that fetches the same page now.

        :param stamp: the version stamp of before its request leaves.
        """
        shared_call, request = self._join(read, stamp, cursor=cursor), read.call.query
        if isinstance(shared_call, MergedPage):
            return shared_call
        with nullcontext() if shared_call is None else self.runtime.single_flight.lead(shared_call):
            sent = read.bearer or self.sign_in.token
            own_stamp: VersionStamp | None = stamp
            missing: list[tuple[int, WriteRecord]] = []
            if read.cache is not None and stamp is not None:
                own_stamp, missing = self.runtime.cache.missing_writes(read.cache, request.key, stamp, at=self.clock())
            address = request.page_address(cursor=cursor) if isinstance(request, ListRequest) else request.address()
            at = self.clock()
            body = self.caller.read(
                address,
                budget=read.budget,
                bearer=read.bearer,
                tries=read.tries,
                may_repeat=lambda: not read.is_abandoned,
            )
            page = Page(stamp=own_stamp, at=at, cursor=cursor, body=body)
            page = self._checked(read, page, index=index, sent=sent)
            merged = merge_fetched(page, request, missing, registry=self.registry)
            if shared_call is not None and page.stamp is not None:
                shared_call.set_result(merged)
        return merged

    def _join(
        self, read: Read, stamp: VersionStamp | None, *, cursor: str | None
    ) -> SharedCall[MergedPage] | MergedPage | None:
        """Return what another thread fetches, or the call that this thread leads; None: this thread fetches for itself.

        :raises ApiError: the other thread's, which is that of all who wait for it: each of them asking for itself would
            only add to what the backend has to bear.
        """
        if read.cache is None or stamp is None:
            return None
        newest = max((merged.page.at for merged in read.pages), default=float("-inf"))
        began = (read, stamp, self.clock())

        def may_join(shared_call: SharedCall[MergedPage]) -> bool:
            """Return whether it began with all the writes that this read knows, and not before what the cache has. No
            thread waits for itself, and none whose request waits in full for one that may be given up.
            """
            leader, its_stamp, at = shared_call.version
            return (
                shared_call.leader != threading.get_ident()
                and shared_call.started_at >= read.joins_from
                and (read.has_older_data or not leader.has_older_data)
                and at >= newest
                and its_stamp.generation == stamp.generation
                and 0 <= its_stamp.position - stamp.position <= MAX_RECORDS
            )

        name = f"{read.cache.space}:{read.call.query.key.digest}:{cursor}"
        shared_call, leads = self.runtime.single_flight.join(name, version=began, may_join=may_join)
        if leads:
            return shared_call
        try:
            with waits_for(read.call.query.key.endpoint):
                return shared_call.result(timeout_s=(read.budget or self.caller.deadline).remaining())
        except Exception as error:
            # Its sign-in ended, its page is not for others, or it takes too long. A 401 refuses its token, and not the
            # query. It may have had less time.
            if isinstance(error, ApiError) and not isinstance(error, ApiUnauthorizedError | ApiTimeoutError):
                raise
            return None

    def _checked(self, read: Read, page: Page, *, index: int, sent: str | None) -> Page:
        """Check a response and store it. A page that is for this request alone loses its stamp.

        :param sent: the access token before the call.
        """
        key = read.call.query.key
        if key.paginated:
            check_list_body(page.body, endpoint=key.endpoint)
            if page.lacks_cursor:
                logger.warning(
                    "%s: a page says that there is a next one, and gives no cursor for it, or its own: the list ends"
                    " here. The API should answer with `nextCursor`, a text that no page before has had",
                    key.endpoint,
                )
        if read.cache is None or (key == PROFILE_QUERY.key and not isinstance(page.body, dict)):
            # A body that is no profile is not shown again.
            return replace(page, stamp=None)
        if not self.sign_in.has(read.cache, sent=sent):
            return replace(page, stamp=None)
        # Nobody can see a page of a cache that was purged. A response for which nobody waits is not even written then.
        if read.bearer is not None and not self.runtime.cache.get(read.cache, key, count=0).is_current:
            return replace(page, stamp=None)
        if key == PROFILE_QUERY.key:
            self.sign_in.accept(sent)
        self.runtime.cache.put(read.cache, key, page, start=read.call.cursor, index=index, clock=self.clock)
        return page


def _permissions(pages: Sequence[MergedPage]) -> frozenset[str] | None:
    body = pages[0].page.body
    return frozenset(permission_strings(body.get(PROFILE_PERMISSIONS_FIELD))) if isinstance(body, dict) else None


def is_definite_no(error: ApiError) -> bool:
    """Return whether the backend refused this query, such as by 403 or 404. A 401 refuses the token, not the query."""
    return not isinstance(error, ApiUnavailableError | ApiUnauthorizedError)
