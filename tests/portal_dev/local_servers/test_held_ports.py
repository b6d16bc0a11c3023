"""What stands in for a server that has ended answers any request, and then takes no more."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from portal.server.ports import listen, new_socket
from portal_dev.local_servers.held_ports import StandIn
from tests.support.ports import HOST, free_port


@pytest.fixture
def port() -> Iterator[int]:
    """A port at which one stands in."""
    listener, number = new_socket(HOST), free_port()
    assert listen(listener, HOST, number) == ""
    listener.setblocking(False)
    stand_in = StandIn(listener, name="energy", words="NameError: <it>\r\nat once")
    yield number
    stand_in.stop()
    listener.close()


def answer(port: int, head: str) -> str:
    with socket.create_connection((HOST, port), timeout=30) as connection:
        connection.sendall(f"{head}\r\n\r\n".encode())
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


@pytest.mark.parametrize("length", ["", "Content-Length: many\r\n", "Content-Length: -1\r\n", "Content-Length: ²\r\n"])
def test_a_request_of_any_length_is_answered_with_the_mistake(port: int, length: str) -> None:
    told = answer(port, f"POST /en HTTP/1.0\r\n{length}Host: localhost:{port}")
    assert told.startswith("HTTP/1.0 503 ")
    assert "NameError: &lt;it&gt;" in told


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", ""])
@pytest.mark.parametrize("path", ["/en", "/healthz"])
def test_a_site_whose_name_leads_to_this_machine_reads_nothing(port: int, host: str, path: str) -> None:
    told = answer(port, f"GET {path} HTTP/1.0\r\nHost: {host}")
    assert told.startswith("HTTP/1.0 503 ")
    assert "NameError" not in told


def test_the_mistake_has_the_line_ends_of_a_browser_which_compares_it(port: int) -> None:
    for path in ("/en", "/healthz"):
        body = answer(port, f"GET {path} HTTP/1.0\r\nHost: localhost").partition("\r\n\r\n")[2]
        assert "\nat once" in body
        assert "\r" not in body
