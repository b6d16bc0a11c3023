"""The service manager hears of a server when it answers, and not before."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from portal.server.readiness import ServiceManager

PATIENCE_S = 60


class Healthy(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/healthz" else 404)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  its parent's name
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    """It has its port, and answers once `serve_forever` runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Healthy) as made:
        yield made
        made.shutdown()


@pytest.mark.parametrize("form", ["a file", "abstract"])
def test_it_is_told_once_the_server_answers(
    form: str, server: ThreadingHTTPServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = str(tmp_path / "notify") if form == "a file" else f"@portal-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address if form == "a file" else f"\0{address[1:]}")
        monkeypatch.setenv("NOTIFY_SOCKET", address)
        ServiceManager().tell_when_ready(server.server_port)
        manager.setblocking(False)
        with pytest.raises(BlockingIOError):
            manager.recv(100)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        manager.settimeout(PATIENCE_S)
        assert manager.recv(100) == b"READY=1"
    assert "NOTIFY_SOCKET" not in os.environ, "no child process speaks for the server"


def test_without_a_service_manager_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    before = threading.active_count()
    manager = ServiceManager()
    manager.tell_when_ready(1)
    manager.tell_alive()
    assert threading.active_count() == before
