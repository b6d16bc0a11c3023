"""A listening socket is closed when nobody waits at it any more, and nobody new comes."""

import contextlib
import socket
import sys
import threading

import pytest

from portal_server import ports
from portal_server.ports import drain

PATIENCE_S = 60
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="draining is Linux's")


@pytest.mark.parametrize(("host", "may_filter"), [("127.0.0.1", True), ("::1", True), ("127.0.0.1", False)])
def test_drain_serves_queued_and_refuses_new(host: str, may_filter: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "DRAIN_TIMEOUT_S", PATIENCE_S)
    if not may_filter:
        # An option that no kernel has: refused, as the filter is to a user without rights on some.
        monkeypatch.setattr(ports, "_SO_ATTACH_FILTER", 9999)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket(family))
        try:
            listener.bind((host, 0))
        except OSError:
            pytest.skip("no IPv6 on this machine")
        listener.listen(16)
        waiting = [stack.enter_context(connected(listener)) for _ in range(3)]

        thread = threading.Thread(target=drain, args=(listener,))
        thread.start()
        # Each try before that waits in the queue as well.
        tries = 1
        while may_filter and not refuses(listener):
            tries += 1
        assert thread.is_alive(), "three connections wait"
        for client in waiting:
            server, _ = listener.accept()
            stack.enter_context(server)
            client.sendall(b"a request")
            assert server.recv(100) == b"a request"
        for _ in range(tries - 1):
            listener.accept()[0].close()
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        assert not may_filter or refuses(listener)


def connected(listener: socket.socket) -> socket.socket:
    return socket.create_connection(listener.getsockname()[:2], timeout=PATIENCE_S)


def refuses(listener: socket.socket) -> bool:
    """Whether a new connection gets no answer."""
    try:
        with socket.create_connection(listener.getsockname()[:2], timeout=0.2):
            return False
    except TimeoutError:
        return True
