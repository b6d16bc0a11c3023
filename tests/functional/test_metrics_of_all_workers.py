"""`/metrics` of a server with several workers: one sum, whichever of them is asked."""

from __future__ import annotations

import http.client
import os
import re
import signal
from contextlib import closing
from pathlib import Path

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.testing import access_token
from tests.functional.test_serve import children, get, serving, until

REFRESHES = 5


def refreshes(port: int) -> int:
    """How many refreshes a worker says that there were; each connection may meet another worker."""
    status, page = get(port, "/metrics")
    assert status == 200
    return sum(map(int, re.findall(rb"^portal_refresh_total\{.*\} (\d+)$", page, re.MULTILINE)))


def refresh(port: int, number: int) -> None:
    """Open a page with an expired access token; the backend is dead, so the refresh ends without an answer."""
    cookies = (
        f"{VAR_ACCESS_TOKEN}={access_token('ada', 'ENERGY_APP', lifetime_s=-60)}; {VAR_REFRESH_TOKEN}=refresh-{number}"
    )
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", "/en/energy/clients", headers={"Accept": "text/html", "Cookie": cookies})
        assert connection.getresponse().status == 503


def test_each_scrape_counts_what_every_worker_has_done(tmp_path: Path) -> None:
    with serving(tmp_path, "--workers", "2") as (pid, port):
        until(lambda: len(children(pid)) == 2, seconds=30, what="two workers")
        for number in range(REFRESHES):
            refresh(port, number)
        scrapes: set[int] = set()

        def all_agree() -> bool:
            scrapes.clear()
            scrapes.update(refreshes(port) for _ in range(16))
            return len(scrapes) == 1

        until(all_agree, seconds=10, what="16 scrapes in a row count every refresh")
        (counted,) = scrapes
        assert counted >= REFRESHES
        killed, _ = children(pid)
        os.kill(killed, signal.SIGKILL)
        until(lambda: len(children(pid) - {killed}) == 2, seconds=10, what="the worker is replaced")
        until(lambda: all_agree() and scrapes == {counted}, seconds=10, what="what a dead worker has counted stays")
