"""`query_cache_stats`: how often each endpoint's queries were fresh, fetched, stale or failed, in all processes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from portal.errors import StoreUnavailableError
from portal.query.endpoints.registry import REGISTRY
from portal.query.events import VERDICTS
from portal.query.process_state import process_runtime
from portal.services.endpoint_list import import_services


class Command(BaseCommand):
    """Print one line for each endpoint that was read in about the last week."""

    help = "Prints how often each endpoint's queries came from the cache, in all processes."

    def handle(self, *args: Any, **options: Any) -> None:
        import_services()
        try:
            sums = process_runtime().counters.sums(REGISTRY.queries)
        except StoreUnavailableError as error:
            raise CommandError(f"the store can't be read: {error}") from error
        if not sums:
            self.stdout.write("no query was counted yet: processes add up every few seconds")
            return
        width = max(map(len, sums))
        self.stdout.write(
            "  ".join(["endpoint".ljust(width), *(f"{verdict:>10}" for verdict in VERDICTS), "from cache"])
        )
        for endpoint in sorted(sums):
            counts = [sums[endpoint].get(verdict, 0) for verdict in VERDICTS]
            cached = sums[endpoint].get("fresh", 0) + sums[endpoint].get("remembered", 0)
            cells = [endpoint.ljust(width), *(f"{count:>10}" for count in counts)]
            self.stdout.write("  ".join([*cells, f"{cached / max(1, sum(counts)):>10.0%}"]))
