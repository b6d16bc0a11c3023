"""Revalidation: a stale response that was shown is fetched again behind the request (stale-while-revalidate).
So is what the backend was last seen not to have, ten minutes later.

Nobody waits for it, and the next page shows the newer data. Meanwhile the request may end, its user may sign out,
another process may fetch the query, the backend may be down. So no token is refreshed here, no call is tried twice, and
nothing is kept for a partition that is no longer current.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from portal.api import expires_at
from portal.config.limits import REQUEST_BUDGET_S, REVALIDATION_TOKEN_S
from portal.process import Deadline
from portal.query.cache import fresh_prefix, is_enough, lease_key, merge_pages
from portal.query.partition import binding_key
from portal.query.reads.page_fetches import FetchPlan, is_definite_no
from portal.telemetry import tracing
from portal.telemetry.metrics import Counters, Label

if TYPE_CHECKING:
    from portal.process import Pool
    from portal.query.partition import Partition
    from portal.query.reads.page_fetches import PageFetcher, ReadCall

logger = logging.getLogger("portal.query")

Revalidated: TypeAlias = Literal["fetched", "skipped", "failed", "refused", "dropped"]
#: fetched: the cache has the newer data · skipped: another process fetches it, or the token ends too soon · failed: no
#: usable response, and the cached one stays · refused: the backend refused, and the cached one was deleted · dropped:
#: too many were waiting.
REVALIDATED: Final[tuple[Revalidated, ...]] = ("fetched", "skipped", "failed", "refused", "dropped")
_counters: Final = Counters(
    "portal_revalidations_total",
    "Stale queries that were fetched again in the background, by endpoint and outcome.",
    labels=[
        Label(name="endpoint", says="the query's endpoint"),
        Label(
            name="outcome",
            says="`fetched`: the cache has the newer data · `skipped`: another process fetches it, or the token ends"
            " too soon · `failed`: no usable response · `refused`: the backend refused · `dropped`: too many were"
            " waiting",
            values=REVALIDATED,
        ),
    ],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revalidation:
    """One revalidation.

    :param plan: with the bearer that is bound to the partition.
    """

    plan: FetchPlan
    partition: Partition
    fetcher: PageFetcher

    @property
    def lease(self) -> str:
        """Key of its lease: the same for all who would fetch the same page."""
        call = self.plan.call
        return lease_key(self.partition, call.request.key, start=call.start, index=self.plan.kept)

    @property
    def endpoint(self) -> str:
        """Of the query."""
        return self.plan.call.request.key.endpoint

    @property
    def has_time(self) -> bool:
        """Whether the token is valid for long enough."""
        end = expires_at(self.plan.bearer or "")
        return end is None or end - self.fetcher.clock() >= REVALIDATION_TOKEN_S

    def run(self) -> Revalidated:
        """Fetch what is stale, unless another process does."""
        call, cache, lease = self.plan.call, self.fetcher.cache, self.lease
        if not cache.acquire_lease(lease):
            return "skipped"
        entry = cache.get(self.partition, call.request.key, start=call.start, count=call.count)
        pages, patches = merge_pages(entry, call.request, registry=self.fetcher.registry)
        kept = fresh_prefix(pages, now=self.fetcher.clock(), stale_time_s=call.request.stale_time_s)
        # Without a stamp the partition is no longer current, or nothing can be stored.
        if entry.stamp is None or is_enough(pages[:kept], call.count):
            return "skipped"
        budget = Deadline(REQUEST_BUDGET_S)
        result = self.fetcher.fetch(
            replace(self.plan, stamp=entry.stamp, pages=pages, kept=kept, patches=patches, budget=budget, tries=1)
        )
        if result.error is None:
            cache.release_lease(lease)
            return "fetched"
        # Until the lease ends, nobody tries again.
        return "refused" if is_definite_no(result.error) else "failed"


class Revalidations:
    """The revalidations of one process, each query once at a time. Safe for threads."""

    def __init__(self, *, pool: Pool) -> None:
        self._pool = pool
        self._under_way: set[str] = set()
        self._counts: Counter[Revalidated] = Counter()
        self._lock = threading.Lock()

    def begin(self, revalidation: Revalidation) -> None:
        """Have another thread do it, unless the same one is waiting or under way; never waits."""
        if not revalidation.has_time:
            self.count("skipped", endpoint=revalidation.endpoint)
            return
        lease = revalidation.lease
        with self._lock:
            if lease in self._under_way:
                return
            self._under_way.add(lease)
        if self._pool.submit(partial(self._run, revalidation)) is None:
            self._end(revalidation, "dropped")

    def ask_again(self, call: ReadCall, *, fetcher: PageFetcher) -> None:
        """Fetch a query that nothing of is shown, if the request's access token is bound; never waits."""
        partition, bearer = fetcher.partition.known, fetcher.partition.token
        if partition is None or bearer is None or partition.binding != binding_key(bearer):
            return
        plan = FetchPlan(call=call, partition=partition, stamp=None, bearer=bearer)
        self.begin(Revalidation(plan=plan, partition=partition, fetcher=fetcher))

    def count(self, outcome: Revalidated, *, endpoint: str) -> None:
        """Count one that ended."""
        _counters.count(endpoint, outcome)
        with self._lock:
            self._counts[outcome] += 1

    def counts(self) -> dict[Revalidated, int]:
        """How many ended how, since this process began."""
        with self._lock:
            return {outcome: self._counts[outcome] for outcome in REVALIDATED}

    def _run(self, revalidation: Revalidation) -> None:
        outcome: Revalidated = "failed"
        endpoint = revalidation.plan.call.request.key.endpoint
        try:
            with tracing.span("query", endpoint) as span:
                span.set(tracing.OUTCOME, "background")
                outcome = revalidation.run()
                span.set("portal.revalidation", outcome)
        except Exception:
            logger.exception("a revalidation failed unexpectedly")
        finally:
            self._end(revalidation, outcome)

    def _end(self, revalidation: Revalidation, outcome: Revalidated) -> None:
        with self._lock:
            self._under_way.discard(revalidation.lease)
        self.count(outcome, endpoint=revalidation.endpoint)
