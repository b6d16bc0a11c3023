"""Fetches of one request: pages from the backend into the page cache, for a read that needs them."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.errors import ApiError, ApiUnauthorizedError, ApiUnavailableError, without_traceback
from portal.process import waits_for
from portal.query.cache import (
    MAX_RECORDS,
    MergedPage,
    Page,
    ReadResult,
    check_list_body,
    is_enough,
    merge_pages,
)
from portal.query.endpoints import ListRequest
from portal.query.offered_calls import absence, check_offered
from portal.query.reads.fetch_plans import Flight
from portal.query.request_partition import PROFILE_QUERY

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.process import SharedCall, SingleFlight
    from portal.query.cache import PageCache, VersionStamp
    from portal.query.calls import BackendCaller
    from portal.query.endpoints import Registry
    from portal.query.partition import Partition
    from portal.query.reads.fetch_plans import FetchPlan
    from portal.query.request_partition import RequestPartition

logger = logging.getLogger("portal.query")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFetcher:
    """Fetches for one request. Safe for threads.

    :param warned: keys of calls of which the log says that they are absent.
    :param clock: seconds since the epoch.
    """

    caller: BackendCaller
    partition: RequestPartition
    cache: PageCache
    warned: set[str]
    single_flight: SingleFlight[Page]
    registry: Registry
    clock: Callable[[], float]

    def fetch(self, plan: FetchPlan) -> ReadResult:
        """Fetch the pages that are needed, one after another. After a failure the cached pages are shown.

        :raises SignInEndedError: the sign-in is over.
        """
        request, count = plan.call.query, plan.call.pages
        pages = list(plan.pages[: plan.kept])
        stamp = plan.stamp
        error: ApiError | None = None
        try:
            check_offered(request)
            while not is_enough(pages, count):
                if len(pages) > plan.kept and plan.partition is not None and request.hook.cache:
                    stamp = self.cache.get(plan.partition, request.key, count=0).stamp
                cursor = pages[-1].page.next_cursor if pages else plan.call.cursor
                page = self._page(plan, stamp, index=len(pages), cursor=cursor)
                is_list = isinstance(request, ListRequest)
                pages.append(
                    MergedPage(page=page, rows=page.rows, total=page.total) if is_list else MergedPage(page=page)
                )
        except ApiError as failure:
            error = without_traceback(absence(failure, request.hook, warned=self.warned))
            is_shown = not all(merged.is_invalidated for merged in plan.pages[len(pages) :])
            if plan.partition is not None and is_shown and is_definite_no(error):
                # The next read has to meet the error too, and show nothing older, also of a fetch that began before.
                self.cache.invalidate(plan.partition, request.key)
        fetched = len(pages) - plan.kept
        if plan.partition is not None:
            # The backend's reads may be behind its writes.
            entry = self.cache.with_recent_writes(
                plan.partition, request.key, [merged.page for merged in pages[plan.kept :]]
            )
            pages[plan.kept :] = merge_pages(entry, request, registry=self.registry)[0]
        shows_cached = error is not None and len(pages) < len(plan.pages) and not is_definite_no(error)
        return ReadResult(
            pages=plan.pages if shows_cached else tuple(pages),
            error=error,
            is_stale=shows_cached or plan.is_stale,
            fetched=fetched,
            patches=plan.patches,
        )

    def _page(self, plan: FetchPlan, stamp: VersionStamp | None, *, index: int, cursor: str | None) -> Page:
        """One page from the backend into the cache, or from another thread that fetches the same page now.

        :param stamp: the version stamp of before its request leaves.
        """
        shared_call, request = self._join(plan, stamp, cursor=cursor), plan.call.query
        if isinstance(shared_call, Page):
            return shared_call
        with nullcontext() if shared_call is None else self.single_flight.lead(shared_call):
            sent = plan.bearer or self.partition.token
            certain_until = (
                self.cache.certain_until(plan.partition, request.key, stamp, at=self.clock())
                if plan.partition is not None
                else None
            )
            address = request.page_address(cursor=cursor) if isinstance(request, ListRequest) else request.address()
            at = self.clock()
            body = self.caller.read(
                address,
                budget=plan.budget,
                bearer=plan.bearer,
                tries=plan.tries,
                may_repeat=lambda: not plan.is_abandoned,
            )
            page = Page(
                stamp=stamp,
                at=at,
                cursor=cursor,
                body=body,
                came_at=self.clock(),
                certain_until=certain_until,
            )
            page = self._kept(plan, page, index=index, sent=sent)
            if shared_call is not None and page.stamp is not None:
                shared_call.set_result(page)
        return page

    def _join(
        self, plan: FetchPlan, stamp: VersionStamp | None, *, cursor: str | None
    ) -> SharedCall[Page] | Page | None:
        """What another thread fetches, or the call that this thread leads; None: this thread fetches for itself.

        :raises ApiError: the other thread's, which is that of all who wait for it: each of them asking for itself would
            only add to what the backend has to bear.
        """
        if plan.partition is None or stamp is None:
            return None

        def may_join(shared_call: SharedCall[Page]) -> bool:
            """Whether it began with all the writes that this read knows, and not before what the cache has. No thread
            waits for itself.
            """
            return (
                shared_call.leader != threading.get_ident()
                and shared_call.started_at >= plan.joins_from
                and shared_call.version.at >= newest
                and shared_call.version.stamp.generation == stamp.generation
                and 0 <= shared_call.version.stamp.position - stamp.position <= MAX_RECORDS
            )

        newest = max((merged.page.at for merged in plan.pages), default=float("-inf"))
        deadline = plan.budget or self.caller.deadline
        name = f"{plan.partition.pages}:{plan.call.query.key.digest}:{cursor}"
        shared_call, leads = self.single_flight.join(
            name, version=Flight(plan, stamp, deadline, self.clock()), may_join=may_join
        )
        if leads:
            return shared_call
        seconds = deadline.remaining()
        try:
            with waits_for(plan.call.query.key.endpoint):
                return shared_call.result(timeout_s=seconds)
        except ApiError as error:
            ago = time.monotonic() - shared_call.started_at
            tried_as_hard = shared_call.version.tried_as_hard(plan, seconds=seconds, ago=ago)
            # A 401 refuses the other thread's token, and not the query.
            if isinstance(error, ApiUnauthorizedError) or not tried_as_hard:
                return None
            raise
        except Exception:  # noqa: BLE001  its sign-in ended, its page is not for others, or it takes too long
            return None

    def _kept(self, plan: FetchPlan, page: Page, *, index: int, sent: str | None) -> Page:
        """Check a response and keep it in the cache. A page that is for this request alone loses its stamp.

        :param sent: the access token before the call.
        """
        key = plan.call.query.key
        if key.paginated:
            check_list_body(page.body, endpoint=key.endpoint)
            if page.lacks_cursor:
                logger.warning(
                    "%s: a page says that there is a next one, and gives no cursor for it, or its own: the list ends"
                    " here. The API should answer with `nextCursor`, a text that no page before has had",
                    key.endpoint,
                )
        is_ours = plan.partition is None or self._still_has(plan, plan.partition, sent=sent)
        if index and plan.partition is not None and not is_ours:
            # The pages before may be those of another sign-in: this raises then.
            self.partition.still_has(plan.partition, sent=plan.token)
        if key == PROFILE_QUERY.key:
            bound = self.partition.bind_from_profile(page.body, sent=sent)
            if plan.partition is None and bound is not None:
                return self._keep_bound(plan, page, bound)
        if not is_ours:
            return replace(page, stamp=None)
        if plan.partition is not None:
            self.cache.put(plan.partition, key, page, start=plan.call.cursor, index=index, clock=self.clock)
        return page

    def _keep_bound(self, plan: FetchPlan, page: Page, partition: Partition) -> Page:
        """Keep the first `/me` of a sign-in, if its token was bound to a namespace whose stamp was taken before."""
        key, stamp = plan.call.query.key, plan.expected.get(partition.namespace)
        if stamp is None:
            return page
        certain_until = self.cache.certain_until(partition, key, stamp, at=page.at)
        page = replace(page, stamp=stamp, certain_until=certain_until)
        self.cache.put(partition, key, page, start=plan.call.cursor, index=0, clock=self.clock)
        return page

    def _still_has(self, plan: FetchPlan, partition: Partition, *, sent: str | None) -> bool:
        """Whether a response that just came is certainly of this partition, and the namespace is still there.

        Nobody can see a page of a namespace that is gone. A response for which nobody waits is not even written then.
        """
        if not self.partition.still_has(partition, sent=sent):
            return False
        return plan.bearer is None or self.cache.get(partition, plan.call.query.key, count=0).is_current


def is_definite_no(error: ApiError) -> bool:
    """Whether the backend refused this query, such as by 403 or 404. A 401 refuses the token, not the query."""
    return not isinstance(error, ApiUnavailableError | ApiUnauthorizedError)
