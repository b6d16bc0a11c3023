"""A worker's connections: one whose other side takes nothing ends, and gives its thread back."""

import contextlib
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.portal_server import processes
from tests.portal_server.long_application import PART, PARTS
from tests.portal_server.processes import PATIENCE_S, get


@contextlib.contextmanager
def serving(*, stalled_s: int, workers: int = 1) -> Iterator[int]:
    """A server whose workers have one thread each; gives its port."""
    stalled = f"from portal_server import ports\nports.STALLED_CONNECTION_S = {stalled_s}"
    with processes.serving("long_application", before=stalled, workers=workers, threads=1) as (_, port):
        yield port


@contextlib.contextmanager
def stalled_browser(port: int) -> Iterator[None]:
    """One that asks for the long response, and takes none of it."""
    with contextlib.closing(socket.socket()) as browser:
        browser.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        browser.connect(("127.0.0.1", port))
        browser.sendall(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        yield


def post(port: int, size: int) -> int:
    """How many octets of a body the application has read."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)) as connection:
        connection.request("POST", "/", body=b"x" * size)
        return int(connection.getresponse().read())


@pytest.fixture(scope="module")
def patient() -> Iterator[int]:
    """A server that lets a browser pause for long."""
    with serving(stalled_s=PATIENCE_S) as port:
        yield port


def test_forms_that_wait_for_a_thread_arrive_whole(patient: int) -> None:
    sizes = [100, 200_000, 1_000_000, 0]
    with ThreadPoolExecutor(len(sizes)) as pool:
        assert list(pool.map(partial(post, patient), sizes)) == sizes


def test_a_file_that_a_browser_takes_slowly_holds_no_place(patient: int) -> None:
    with stalled_browser(patient), stalled_browser(patient):
        assert get(patient)[0] == 200


def test_a_view_that_ends_its_thread_loses_no_place(patient: int) -> None:
    for _ in range(3):
        assert get(patient, "/ends")[0] == 500
    assert get(patient)[0] == 200


def test_a_browser_that_takes_nothing_gives_its_thread_back() -> None:
    with serving(stalled_s=2, workers=2) as port, contextlib.ExitStack() as stalled:
        # More than there are threads: each worker has one, whichever the kernel gives a connection to.
        for _ in range(4):
            stalled.enter_context(stalled_browser(port))
        closed: list[int] = []
        while not closed:
            status, body = get(port)
            # Too many wait, as long as the thread does not come back.
            closed = json.loads(body) if status == 200 else []
        assert all(0 < given < PARTS for given in closed), "it was ended in the middle, and closed"


def test_a_browser_that_pauses_for_less_gets_all(patient: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", patient, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request("GET", "/long")
        response = connection.getresponse()
        first = response.read(len(PART))
        threading.Event().wait(1)
        assert len(first) + len(response.read()) == len(PART) * PARTS
    assert json.loads(get(patient)[1])[-1] == PARTS


def test_who_sends_a_large_body_hears_the_answer_that_was_given_without_it(patient: int) -> None:
    body = b"x" * 1_000_000
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", patient), timeout=PATIENCE_S) as sender:
            sender.sendall(b"PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n")
            sender.sendall(b"Content-Length: %d\r\n\r\n" % len(body))
            sender.sendall(body)
            assert sender.recv(12) == b"HTTP/1.1 200"
