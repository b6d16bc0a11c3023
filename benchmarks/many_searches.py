"""One user searches thousands of different words on a small Redis, while others need fresh tokens.

Each search is a request of its own that caches a page of 20 rows (about 8.5 KB); after every 50th another user signs in
and has an expired pair refreshed. Run on one Redis for both aliases, and with a second one, which may evict,
for what is cached.

`./manage.py bench many_searches [--searches 5000] [--megabytes 16]`
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import django
from django.conf import settings
from django.test import override_settings

from benchmarks._options import need, options_of, parser_of
from benchmarks._stores import on_redis
from benchmarks._targets import Targets
from benchmarks.query import Backend
from portal.api import TokenPair, TokenStore
from portal.api.metrics import RefreshOutcome
from portal.errors import ApiUnavailableError
from portal.query import create_query_client
from portal.query.gaps import param_name
from portal.query.process_state import runtime_for
from portal.services.energy.clients import ClientQueries
from portal.store import SharedStore
from tests.support.redis_server import RedisServer, running_redis
from tests.support.refresh_world import RefreshWorld

if TYPE_CHECKING:
    from collections.abc import Mapping

REFRESH_EVERY = 50
ROW_CHARS = 425


class Searched(Backend):
    """Answers every search with a full page of rows as a real one has them."""

    def _page(self, number: int) -> dict[str, Any]:
        page = super()._page(number)
        for row in page["items"]:
            row["notes"] = "x" * (ROW_CHARS - len(str(row)))
        return page


def run(searches: int) -> tuple[Counter[str], float]:
    """Search that often on the configured stores; gives what the refreshes of others came to, and the seconds."""
    backend: Any = Searched(20)
    runtime = runtime_for(SharedStore(alias="default"))
    # Known from an earlier answer; else the rows that each search brings would count as those of no search.
    runtime.gaps.followed(param_name(ClientQueries.use_get_clients_query.key, "q"))
    tokens = TokenPair(access="the token of who searches")
    others = RefreshWorld()
    outcomes: Counter[str] = Counter()
    began = time.perf_counter()
    for number in range(searches):
        client = create_query_client(tokens=TokenStore(tokens), api=backend, runtime=runtime)
        ClientQueries.use_get_clients_query(client, {"q": f"word {number}"})
        if number % REFRESH_EVERY == 0:
            # As in a process that has just started: nothing is known but what lies in the store.
            pair = others.backend.sign_in(f"other {number}")
            others.expire()
            process = others.process()
            try:
                outcome = process.refresh(process.request(pair)).value
            except ApiUnavailableError:
                outcome = "failed"
            outcomes[outcome] += 1
    return outcomes, time.perf_counter() - began


def _used(server: RedisServer) -> str:
    with server.client() as client:
        memory: Mapping[str, Any] = client.info("memory")
        return f"{memory['used_memory'] / 2**20:.1f} MB"


def main() -> None:
    """Print a table; end with 1 where somebody else could not be refreshed."""
    parser = parser_of(__doc__)
    parser.add_argument("--searches", type=int, default=5000)
    parser.add_argument("--megabytes", type=int, default=16)
    chosen = options_of(parser, searches=200)
    need("redis-server")
    logging.disable(logging.ERROR)  # a store that is full says so with each search
    settings.configure(USE_TZ=True)
    django.setup()
    size = ("--maxmemory", f"{chosen.megabytes}mb", "--maxmemory-policy")
    print(f"\n## {chosen.searches:,} searches of one user on a Redis of {chosen.megabytes} MB\n")
    print("| stores | refreshes of others | seconds | memory at the end |")
    print("|---|---|---|---|")
    failed = False
    with (
        tempfile.TemporaryDirectory() as one,
        tempfile.TemporaryDirectory() as two,
        running_redis(Path(one), *size, "noeviction") as keeps,
        running_redis(Path(two), *size, "allkeys-lru") as evicts,
    ):
        for name, queries in (("one Redis for both", keeps), ("REFRESH_CACHE_URL beside CACHE_URL", evicts)):
            with override_settings(CACHES={"default": on_redis(queries), "refresh": on_redis(keeps)}):
                outcomes, seconds = run(chosen.searches)
            said = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.items())
            failed = failed or set(outcomes) != {RefreshOutcome.REFRESHED.value}
            print(f"| {name} | {said} | {seconds:.0f} | {_used(queries)} |", flush=True)
            with keeps.client() as client:
                client.flushall()
    targets = Targets(smoke=chosen.smoke)
    targets.hold("refreshes of others", "none fails", met=not failed)
    targets.end()


if __name__ == "__main__":
    main()
