"""A server without a service manager tells nothing. What one with it tells: test_supervisor.py."""

import socket
import threading

import pytest

from portal_server.readiness import ServiceManager


def test_without_a_service_manager_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOTIFY_SOCKET", raising=False)
    before = threading.active_count()
    manager = ServiceManager()
    with socket.socket() as listener:
        manager.tell_when_ready(listener)
    manager.tell_alive()
    assert threading.active_count() == before
