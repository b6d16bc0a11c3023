"""Work behind a request, which nobody waits for: what was shown past its stale time is fetched anew.

The request may be over by then, its user signed out, the query fetched by others, the backend not there. So nothing is
refreshed here, nothing is tried twice, and nothing is kept for a scope that does not stand any more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from portal.api.expiry import expires_at
from portal.config.limits import REQUEST_BUDGET_S, REVALIDATION_TOKEN_S
from portal.process import Deadline
from portal.query.cache.merged_pages import fresh_prefix, is_enough
from portal.query.cache.page_cache import lease_key
from portal.query.reads.fetches import is_definite_no

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.query.cache.merged_pages import MergedPage
    from portal.query.cache.page_cache import Found
    from portal.query.endpoints import ReadRequest
    from portal.query.partition.token_bindings import Scope
    from portal.query.reads.fetches import Fetch, Fetches
    from portal.query.reads.revalidations import Revalidated, Revalidations


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """The work behind one request.

    :param shown_of: what the store knows of a query, as a read shows it, and how many operations of writes that took.
    """

    revalidations: Revalidations
    fetches: Fetches
    shown_of: Callable[[Found, ReadRequest], tuple[tuple[MergedPage, ...], int]]

    def revalidate(self, fetch: Fetch, scope: Scope) -> None:
        """Have a query that was shown as it is known fetched anew, once for all processes that show it so.

        :param fetch: with the bearer that proved the scope.
        """
        end = expires_at(fetch.bearer or "")
        if end is not None and end - self.fetches.clock() < REVALIDATION_TOKEN_S:
            self.revalidations.skip()
            return
        lease = lease_key(scope, fetch.ask.query.key, start=fetch.ask.start, index=fetch.kept)
        self.revalidations.begin(lease, lambda: self._revalidated(fetch, scope, lease))

    def _revalidated(self, fetch: Fetch, scope: Scope, lease: str) -> Revalidated:
        ask, key, cache = fetch.ask, fetch.ask.query.key, self.fetches.cache
        if not cache.lease(lease):
            return "skipped"
        found = cache.look_up(scope, key, start=ask.start, count=ask.count)
        shown, patches = self.shown_of(found, ask.query)
        kept = fresh_prefix(shown, now=self.fetches.clock(), stale_time_s=ask.query.stale_time_s)
        # Without a stamp the scope does not stand any more, or nothing could be kept.
        if found.stamp is None or is_enough(shown[:kept], ask.count):
            return "skipped"
        budget = Deadline(REQUEST_BUDGET_S)
        outcome = self.fetches.run(
            replace(fetch, stamp=found.stamp, shown=shown, kept=kept, patches=patches, budget=budget, tries=1)
        )
        if outcome.error is None:
            cache.release(lease)
            return "fetched"
        # While the lease lasts, nobody tries again.
        return "refused" if is_definite_no(outcome.error) else "failed"
