"""Revalidations: a stale response that was shown is fetched again behind the request (stale-while-revalidate).

Nobody waits for it, and the next page shows the newer data. Meanwhile the request may end, its user may sign out,
another process may fetch the query, the backend may be down. So no token is refreshed there, no call is tried twice,
and nothing is stored for a cache that was purged.
"""

import logging
from dataclasses import replace
from functools import partial
from typing import Final

from portal.api import expires_at
from portal.config.limits import REQUEST_BUDGET_S, REVALIDATION_LEASE_S, REVALIDATION_TOKEN_S
from portal.errors import StoreUnavailableError
from portal.process import Deadline
from portal.query.cache import fresh_prefix, is_enough, merge_pages
from portal.query.reads.page_fetches import PageFetcher, Read, is_definite_no
from portal.query.sign_in_caches import SignInCache
from portal.telemetry import tracing
from portal.telemetry.metrics import Counters, Label

logger = logging.getLogger("portal.query")

_counters: Final = Counters(
    "portal_revalidations_total",
    "Stale queries that were fetched again in the background, by endpoint and outcome.",
    labels=[
        Label(name="endpoint", says="the query's endpoint"),
        Label(
            name="outcome",
            says="`fetched`: the cache has the newer data · `skipped`: another thread fetches it, or the token ends"
            " too soon · `failed`: no usable response · `refused`: the backend refused · `dropped`: too many were"
            " waiting",
            values=("fetched", "skipped", "failed", "refused", "dropped"),
        ),
    ],
)


def revalidate(read: Read, cache: SignInCache, *, bearer: str, fetcher: PageFetcher) -> None:
    """Have another thread fetch, unless the bearer ends too soon; never waits.

    :param bearer: the access token that opens the cache.
    """
    endpoint, end = read.call.query.key.endpoint, expires_at(bearer)
    if end is not None and end - fetcher.clock() < REVALIDATION_TOKEN_S:
        _counters.count(endpoint, "skipped")
    elif fetcher.runtime.pool.submit(partial(_run, replace(read, bearer=bearer), cache, fetcher=fetcher)) is None:
        _counters.count(endpoint, "dropped")


def _run(read: Read, cache: SignInCache, *, fetcher: PageFetcher) -> None:
    outcome, endpoint = "failed", read.call.query.key.endpoint
    try:
        with tracing.span("query", endpoint) as span:
            span.set(tracing.OUTCOME, "background")
            outcome = _revalidated(read, cache, fetcher=fetcher)
            span.set("portal.revalidation", outcome)
    except StoreUnavailableError as error:
        logger.warning("%s: nothing is revalidated without the store: %s", endpoint, error)
    except Exception:
        logger.exception("a revalidation failed unexpectedly")
    finally:
        _counters.count(endpoint, outcome)


def _revalidated(read: Read, cache: SignInCache, *, fetcher: PageFetcher) -> str:
    """Fetch what is stale, unless another thread does, in whatever process; return the outcome."""
    call, store = read.call, fetcher.runtime.cache.store
    lease = fetcher.runtime.cache.lease_key(cache, call.query.key, start=call.cursor, index=read.kept)
    if not store.add(lease, 1, lifetime_s=REVALIDATION_LEASE_S):
        return "skipped"
    entry = fetcher.runtime.cache.get(cache, call.query.key, start=call.cursor, count=call.pages)
    pages, patches = merge_pages(entry, call.query, registry=fetcher.registry)
    kept = fresh_prefix(pages, now=fetcher.clock(), stale_time_s=call.query.hook.stale_time_s)
    # Without a stamp the token no longer opens the cache, or nothing can be stored.
    if entry.stamp is None or is_enough(pages[:kept], call.pages):
        return "skipped"
    budget = Deadline(REQUEST_BUDGET_S)
    result = fetcher.fetch(
        replace(read, stamp=entry.stamp, pages=pages, kept=kept, patches=patches, budget=budget, tries=1)
    )
    if result.error is None:
        store.delete(lease)
        return "fetched"
    # Until the lease ends, nobody tries again.
    return "refused" if is_definite_no(result.error) else "failed"
