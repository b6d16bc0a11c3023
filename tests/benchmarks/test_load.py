"""The load generator knows when an answer is complete, however it comes."""

import contextlib
import itertools
import socket
import time
from collections.abc import Iterator

import pytest

from benchmarks.harness.load import answer_to, drive
from tests.support.http_server import Received, scripted_server

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
EMPTY = [b"HTTP/1.1 302 Found\r\nLocation: /en\r\n\r\n"]
WITH_LENGTH = [b"HTTP/1.1 200 OK\r\nContent-Le", b"ngth: 10\r\n\r\nfirst", b"-last"]
IN_CHUNKS = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n", b"5\r\n-last\r\n", b"0\r\n\r\n"]


@contextlib.contextmanager
def server_that_sends(parts: list[bytes]) -> Iterator[int]:
    """Answers each request with these parts, one after another; gives its port."""

    def send(_: Received, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in parts:
            connection.sendall(part)
            time.sleep(0.002)

    with scripted_server(send) as server:
        yield server.port


@pytest.mark.parametrize("parts", [EMPTY, WITH_LENGTH, IN_CHUNKS], ids=["without a body", "with a length", "in chunks"])
def test_answer_is_read_to_its_end(parts: list[bytes]) -> None:
    sent = itertools.count()
    with server_that_sends(parts) as port:
        assert answer_to(port, REQUEST) == b"".join(parts)
        requests = (REQUEST for _ in sent)
        answers = drive(port, requests, seconds=0.1, status=int(parts[0][9:12]), connections=3)
    assert answers.number == next(sent) >= 3
    assert min(answers.latencies_s) > 0


def test_another_status_is_an_error() -> None:
    with server_that_sends(EMPTY) as port, pytest.raises(RuntimeError, match="in place of status 200"):
        drive(port, itertools.repeat(REQUEST), seconds=0.1, status=200)
