"""A server that is told to stop takes no new request, finishes the open ones, and then ends at once."""

import contextlib
import http.client
import os
import signal
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from portal.config.limits import REFRESH_DEADLINE_S, REQUEST_BUDGET_S
from portal_dev.local_servers.local_stack import LOCAL_STOP_TIMEOUT_S
from portal_dev.local_servers.server_group import STOP_TIMEOUT_S
from portal_server.ports import port_is_free
from portal_server.workers import WORKER_STOP_TIMEOUT_S
from tests.portal_server import processes
from tests.portal_server.held_application import ANSWER, FINISH, FINISHED, OPEN
from tests.portal_server.processes import PATIENCE_S, ended, get, until

#: Seconds; a server that ends before has not waited for this.
NEVER = 3600


@dataclass
class Held:
    """A server, and the folder with the files by which it is held."""

    process: subprocess.Popen[str]
    port: int
    folder: Path

    def wait_for(self, name: str) -> None:
        until((self.folder / name).exists, what=f"the server says {name}")

    def wait_until_it_listens_no_more(self) -> None:
        until(lambda: port_is_free("127.0.0.1", self.port), what="it listens no more")


@contextlib.contextmanager
def serving(folder: Path, *, workers: int = 1, stop_timeout_s: int = NEVER, **variables: str) -> Iterator[Held]:
    options = {"workers": workers, "threads": 2, "stop_timeout_s": stop_timeout_s}
    given = {"HELD_FOLDER": str(folder), **variables}
    with processes.serving("held_application", answering=not variables, variables=given, **options) as (process, port):
        yield Held(process, port, folder)


@pytest.fixture(params=[1, 2], ids=["one worker", "two"])
def held(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Held]:
    with serving(tmp_path, workers=request.param) as server:
        yield server


def test_an_open_request_is_answered_and_a_new_one_refused(held: Held) -> None:
    """Also by Ctrl-C in a terminal, which sends the signal to all processes."""
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(get, held.port, "/held")
        held.wait_for(OPEN)
        os.killpg(held.process.pid, signal.SIGINT)
        held.wait_until_it_listens_no_more()
        assert not answer.done()
        (held.folder / ANSWER).touch()
        assert answer.result(PATIENCE_S)[0] == 200
    assert ended(held.process) == (0, "")


def test_connections_without_a_request_keep_no_server(held: Held) -> None:
    used, unused = (http.client.HTTPConnection("127.0.0.1", held.port, timeout=PATIENCE_S) for _ in range(2))
    with contextlib.closing(used), contextlib.closing(unused):
        used.request("GET", "/")
        used.getresponse().read()
        unused.connect()
        held.process.terminate()
        assert ended(held.process) == (0, "")


def test_a_call_that_outlives_its_request_is_finished(held: Held) -> None:
    """A token refresh is one: its answer has the only token with which the user goes on."""
    assert get(held.port, "/call")[0] == 200
    held.process.terminate()
    held.wait_until_it_listens_no_more()
    (held.folder / FINISH).touch()
    assert ended(held.process) == (0, "")
    assert (held.folder / FINISHED).exists()


def test_a_request_that_takes_too_long_is_cut_and_named(tmp_path: Path) -> None:
    with serving(tmp_path, stop_timeout_s=1) as held, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(get, held.port, "/held")
        held.wait_for(OPEN)
        held.process.terminate()
        assert isinstance(answer.exception(PATIENCE_S), http.client.RemoteDisconnected)
        status, said = ended(held.process)
    assert status == 0
    assert "take too long and are cut" in said


def test_a_server_that_is_not_up_yet_ends_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, HELD_LOADING="yes") as held:
        held.wait_for(OPEN)
        held.process.terminate()
        assert ended(held.process) == (0, "")


def test_a_page_and_then_a_refresh_may_end_before_anything_is_cut_and_a_group_waits_for_its_servers() -> None:
    assert WORKER_STOP_TIMEOUT_S > REQUEST_BUDGET_S + REFRESH_DEADLINE_S
    assert LOCAL_STOP_TIMEOUT_S < STOP_TIMEOUT_S
