"""`/metrics` of a server with several workers: one sum, whichever of them is asked."""

import contextlib
import http.client
import os
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.testing import access_token
from tests.functional.test_serve import answer_of, serving
from tests.portal_server.processes import get
from tests.support.processes import until, workers_of

REFRESHES = 5
#: Scrapes in a row, so that each worker answers some of them.
SCRAPES = 10


@dataclass(frozen=True, kw_only=True)
class Server:
    pid: int
    port: int
    temporary: Path

    @property
    def workers(self) -> set[int]:
        return set(workers_of(self.pid))

    @property
    def files(self) -> list[str]:
        """In the folder that the workers share."""
        (folder,) = self.temporary.glob("portal-server-energy-*/metrics")
        return sorted(file.name for file in folder.iterdir())

    def numbers(self, name: str) -> dict[str, float]:
        """Labels and value of each line of one metric; each connection may meet another worker."""
        status, page = get(self.port, "/metrics")
        assert status == 200
        lines = re.findall(rf"^{name}{{(.*)}} (\S+)$", page.decode(), re.MULTILINE)
        return {labels: float(value) for labels, value in lines}

    def totals(self, name: str) -> set[float]:
        """What the scrapes say, one for each that says something else."""
        return {sum(self.numbers(name).values()) for _ in range(SCRAPES)}

    def kill_a_worker(self) -> None:
        killed, starts = max(self.workers), sum(self.numbers("portal_worker_starts_total").values())
        os.kill(killed, signal.SIGKILL)

        def is_replaced() -> bool:
            # The kernel resets connections that waited for the worker that died.
            with contextlib.suppress(OSError, http.client.HTTPException):
                return sum(self.numbers("portal_worker_starts_total").values()) == starts + 1
            return False

        until(is_replaced, seconds=60, what="the worker is replaced")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    temporary = tmp_path_factory.mktemp("temporary")
    state = tmp_path_factory.mktemp("state")
    with serving(state, "--workers", "2", TMPDIR=str(temporary)) as (pid, port):
        running = Server(pid=pid, port=port, temporary=temporary)
        until(lambda: len(running.numbers("process_start_time_seconds")) == 2, seconds=60, what="two workers serve")
        yield running


def refresh(server: Server, number: int) -> None:
    """Open a page with an expired access token; the backend is dead, so the refresh ends without an answer."""
    cookies = (
        f"{VAR_ACCESS_TOKEN}={access_token('ada', 'ENERGY_APP', lifetime_s=-60)}; {VAR_REFRESH_TOKEN}=refresh-{number}"
    )
    assert answer_of(server.port, "/en/energy/clients", Cookie=cookies)[0] == 503


def test_scrape_counts_every_worker(server: Server) -> None:
    for number in range(REFRESHES):
        refresh(server, number)
    (counted,) = server.totals("portal_refresh_total")
    assert counted >= REFRESHES
    page = 'app="energy",method="GET",route="clients",status="503"'
    assert server.numbers("portal_http_requests_total")[page] == REFRESHES
    assert server.totals("portal_refresh_duration_seconds_count") == {counted}
    before = server.files
    assert len([file for file in before if file.startswith("counter_")]) == 3, "the parent, and two workers"
    server.kill_a_worker()
    assert server.totals("portal_refresh_total") == {counted}
    assert server.files == before, "as many as the processes, however many workers were replaced"
    # The scrape itself is in progress, and nothing of the workers that died.
    assert server.totals("portal_http_requests_in_progress") == {1}
    for name in ("process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds"):
        measured = server.numbers(name)
        assert len(measured) == 2
        assert all(value > 1 for value in measured.values())
