"""One side of `hot_reads`, with the code of its checkout: reads the names of reads, and writes what each costs."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import django
from django.conf import settings

from benchmarks._stores import embedded
from benchmarks.query import PAGE, Backend, Operations
from portal.api import ApiResponse
from portal.services.energy.clients import ClientQueries
from portal.services.energy.summary import EnergySummaryQueries
from portal.store import SharedStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WARM_READS: Final = 50
FIGURES: Final[Mapping[str, Any]] = {
    "counts": {"clients": 5, "meters": 7},
    "chargersByStatus": {"available": 1, "faulted": 2},
    "energyByMonth": [{"month": f"2026-{month:02d}", "energyKwh": 12.5, "sessions": 3} for month in range(1, 13)],
    "sessionsByHour": [{"hour": hour, "sessions": 4} for hour in range(24)],
}


class OneRowToo(Backend):
    """Answers for one row and for the figures too."""

    def call(self, *, method: str, path: str, **rest: Any) -> ApiResponse:
        """One call; that of a row gives the sixth of the list."""
        if path == "/energy/summary":
            return ApiResponse(status=200, data=FIGURES, headers={})
        if (method, path) != ("GET", "/energy/clients/c5"):
            return super().call(method=method, path=path, **rest)
        found = super().call(method=method, path="/energy/clients", **rest)
        return ApiResponse(status=200, data=found.data["items"][5], headers={})


def main(reads_of_a_round: int) -> None:
    """Answer each line of standard input with the CPU time of one such read, µs."""
    with tempfile.TemporaryDirectory() as folder:
        settings.configure(CACHES={"default": embedded(Path(folder))}, USE_TZ=True)
        django.setup()
        reads = hot_reads()
        for read in reads.values():
            for _ in range(WARM_READS):
                read()
        for line in sys.stdin:
            read = reads[line.strip()]
            began = time.process_time()
            for _ in range(reads_of_a_round):
                read()
            print((time.process_time() - began) / reads_of_a_round * 1e6, flush=True)


def hot_reads() -> Mapping[str, Callable[[], object]]:
    """The reads by name. Parameters are a mapping, as every version of a hook takes them."""
    operations = Operations(SharedStore(alias="default"), PAGE)
    operations.backend = OneRowToo(PAGE, user="hot")
    return {
        "list": lambda: ClientQueries.use_get_clients_query(operations.request()).unwrap().items,
        "row": lambda: ClientQueries.use_get_client_query(operations.request(), {"id": "c5"}).unwrap(),
        "figures": lambda: EnergySummaryQueries.use_get_summary_query(operations.request()).unwrap(),
    }


if __name__ == "__main__":
    main(int(sys.argv[1]))
