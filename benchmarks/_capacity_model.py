"""The capacity model: what users ask for, and what that costs. Pure; docs/explanation/capacity.md has the formulas.

A user opens pages at random moments, at a mean rate. Each page shows one of the user's views (a list, a row, an
overview), or a search that nobody repeats. All means are those of a long time in which the rates do not change.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, exp
from typing import Any, Final

#: Of a page (`STALE_TIME_S`, `PAGE_LIFETIME_S`), seconds.
STALE_TIME_S: Final = 300.0
PAGE_LIFETIME_S: Final = 900.0
#: How long the binding of a refreshed token outlives it, seconds.
USED_TOKEN_KEPT_S: Final = 1230.0
HOUR_S: Final = 3600.0


def _cost(what: str) -> Any:
    """A cost, and what it is, as the documentation has it."""
    return field(metadata={"what": what})


@dataclass(frozen=True, kw_only=True)
class Costs:
    """What one thing costs, as measured: docs/reference/measured.md, "What a page costs the whole system"."""

    page_ms: float = _cost("a page whose three queries are cached, CPU ms")
    fetch_ms: float = _cost("a call of the backend for which it waits, ms more")
    behind_ms: float = _cost("a call behind the page, ms more")
    profile_ms: float = _cost("GET `/me`, ms more")
    refresh_ms: float = _cost("a token refresh, ms more")
    page_commands: float = _cost("commands to Redis of such a page")
    fetch_commands: float = _cost("a call for which it waits")
    behind_commands: float = _cost("a call behind the page")
    profile_commands: float = _cost("GET `/me`")
    refresh_commands: float = _cost("a token refresh")
    command_us: float = _cost("Redis for one command, CPU µs")
    user_bytes: float = _cost("in Redis for an active user, bytes")
    page_bytes: float = _cost("for a cached response, beside itself, bytes")
    growth: float = _cost("for each byte of a response, bytes")
    binding_bytes: float = _cost("for the binding of an access token, bytes")
    sign_in_bytes: float = _cost("[what a sign-in leaves](#what-a-sign-in-leaves), tokens of 1.5 KB, bytes")
    worker_mib: float = _cost("a worker, MiB PSS")


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What users do in the busiest hour.

    :param users: who open pages in that hour.
    :param pages_per_hour: of each of them.
    :param views: among which a user goes to and fro.
    :param queries: calls of the backend that one view takes, beside GET `/me`.
    :param searches: share of pages that show a search which nobody repeats.
    :param token_life_s: of an access token.
    :param sign_ins: that last, for each active user: those of other devices, and of people who are not active now.
    :param view_bytes: of the responses of one view together.
    :param html_bytes: of a page as it is sent, compressed or not.
    """

    users: float
    pages_per_hour: float = 60.0
    views: float = 5.0
    queries: float = 2.0
    searches: float = 0.1
    token_life_s: float = 300.0
    sign_ins: float = 2.0
    view_bytes: float = 8_500.0
    html_bytes: float = 12_000.0
    stale_time_s: float = STALE_TIME_S


@dataclass(frozen=True, kw_only=True)
class Demand:
    """What the users cost, each second or at a time.

    :param page_rate: pages a second.
    :param hot: share of pages that need no call for their view.
    :param stale: share of pages that are shown at once and fetched behind the request.
    :param missed: share of pages that wait for the backend.
    :param list_calls: calls of the backend for views and searches, a second.
    :param profile_calls: calls of GET `/me`, a second.
    :param refreshes: token refreshes a second.
    :param app_cores: CPU seconds a second, of all apps.
    :param commands: to the store, a second.
    :param store_cores: CPU seconds a second, of the store.
    :param query_bytes: in the store, for cached data.
    :param refresh_bytes: in the store, for the records of sign-ins.
    :param sent_bytes: to browsers, a second.
    """

    page_rate: float
    hot: float
    stale: float
    missed: float
    list_calls: float
    profile_calls: float
    refreshes: float
    app_cores: float
    commands: float
    store_cores: float
    query_bytes: float
    refresh_bytes: float
    sent_bytes: float

    @property
    def backend_calls(self) -> float:
        """All calls to the backend, a second."""
        return self.list_calls + self.profile_calls + self.refreshes


def renewal_rate(rate: float, life_s: float) -> float:
    """How often a second something is made anew that lasts `life_s` and is made when it is next asked for.

    :param rate: how often a second it is asked for, at random moments.
    """
    return rate / (1.0 + rate * life_s)


def view_bytes(usage: Usage, costs: Costs) -> float:
    """What one view takes of the store."""
    return usage.queries * costs.page_bytes + costs.growth * usage.view_bytes


def demand(usage: Usage, costs: Costs) -> Demand:
    """What these users cost."""
    each = usage.pages_per_hour / HOUR_S
    pages = usage.users * each
    view_rate = each * (1.0 - usage.searches) / usage.views
    fetched = 1.0 / (1.0 + view_rate * usage.stale_time_s)
    # Of a view that is past its stale time, the page is still there with this probability.
    kept = 1.0 - exp(-view_rate * (PAGE_LIFETIME_S - usage.stale_time_s))
    stale = (1.0 - usage.searches) * fetched * kept
    missed = usage.searches + (1.0 - usage.searches) * fetched * (1.0 - kept)
    behind, waited = pages * stale * usage.queries, pages * missed * usage.queries
    profiles = usage.users * renewal_rate(each, usage.stale_time_s)
    refreshes = usage.users * renewal_rate(each, usage.token_life_s)
    cpu_ms = (
        pages * costs.page_ms
        + waited * costs.fetch_ms
        + behind * costs.behind_ms
        + profiles * costs.profile_ms
        + refreshes * costs.refresh_ms
    )
    commands = (
        pages * costs.page_commands
        + waited * costs.fetch_commands
        + behind * costs.behind_commands
        + profiles * costs.profile_commands
        + refreshes * costs.refresh_commands
    )
    # A page lies in the store for its lifetime; a view that is fetched again before replaces its page.
    lasting = min(1.0, fetched * view_rate * (usage.stale_time_s + kept / view_rate))
    views = usage.views * lasting + each * usage.searches * PAGE_LIFETIME_S
    stored = views * view_bytes(usage, costs) + costs.page_bytes
    bindings = 1.0 + renewal_rate(each, usage.token_life_s) * (usage.token_life_s + USED_TOKEN_KEPT_S)
    return Demand(
        page_rate=pages,
        hot=(1.0 - usage.searches) * (1.0 - fetched),
        stale=stale,
        missed=missed,
        list_calls=waited + behind,
        profile_calls=profiles,
        refreshes=refreshes,
        app_cores=cpu_ms / 1e3,
        commands=commands,
        store_cores=commands * costs.command_us / 1e6,
        query_bytes=usage.users * (costs.user_bytes + stored + bindings * costs.binding_bytes),
        refresh_bytes=usage.users * usage.sign_ins * costs.sign_in_bytes,
        sent_bytes=pages * usage.html_bytes,
    )


@dataclass(frozen=True, kw_only=True)
class Machines:
    """How many of each there are.

    :param load: share of a core that may be busy in the busiest hour.
    :param cores: of one machine of the apps.
    :param redis_gib: memory of one Redis.
    """

    load: float = 0.5
    cores: int = 8
    redis_gib: float = 25.0

    def workers(self, needed: Demand) -> int:
        """Workers of all apps: each keeps one core busy; at least two, so that one may fail."""
        return max(2, ceil(needed.app_cores / self.load))

    def machines(self, needed: Demand) -> int:
        """Machines of the apps; at least two."""
        return max(2, ceil(self.workers(needed) / self.cores))

    def redis(self, needed: Demand) -> int:
        """Redis primaries, by CPU time or by memory, whichever needs more. A Redis uses one core."""
        by_memory = (needed.query_bytes + needed.refresh_bytes) / (self.redis_gib * 2**30)
        return max(1, ceil(max(needed.store_cores / self.load, by_memory)))
