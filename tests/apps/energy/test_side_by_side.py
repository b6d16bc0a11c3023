"""What one page asks for at the same time, with a real backend behind it that waits until all of it has arrived."""

from __future__ import annotations

import dataclasses
import json
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from django.test import Client, override_settings

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.query.process_state import process_runtime
from portal.testing import page_of
from portal.testing.fixtures import NAVIGATION
from portal.testing.sign_ins import new_account, new_sign_in
from tests.support.http_server import Received, ScriptedServer, reply, scripted_server
from tests.support.offers import offered

if TYPE_CHECKING:
    import socket

    from portal.config.portal_config import PortalConfig

WAIT_S = 20
LISTS = ("clients", "stations", "chargers", "sessions", "meters")


class WaitingBackend:
    """Answers; while it has a barrier, when as many calls have arrived as that is for.

    :ivar permissions: what `/me` says.
    :ivar answers: path to status and what is said; every other path is a list.
    """

    def __init__(self) -> None:
        self.permissions = ["ENERGY_APP"]
        self.answers: dict[str, tuple[str, Any]] = dict.fromkeys(
            ("/energy/summary", "/energy/state"), ("404 Not Found", {"title": "none"})
        )
        self.barrier: threading.Barrier | None = None
        self.waits_for: Callable[[str], bool] = lambda _path: True
        self.asked: list[str] = []

    def __call__(self, request: Received, connection: socket.socket) -> None:
        path = request.line.split()[1].partition("?")[0]
        self.asked.append(path)
        if self.barrier is not None and self.waits_for(path):
            self.barrier.wait()
        status, answer = self._answer(path)
        connection.sendall(reply(json.dumps(answer).encode(), status=status))

    def _answer(self, path: str) -> tuple[str, Any]:
        if path == "/me":
            return "200 OK", {"id": "ada", "name": "Ada", "permissions": self.permissions}
        rows = page_of([{"id": "a1", "name": "a row of the list"}], total=41)
        return self.answers.get(path, ("200 OK", rows))

    def wait_for(self, calls: int, *, path: Callable[[str], bool] = lambda _path: True) -> None:
        """From now on, answer nothing before so many calls (of these paths) are here at the same time."""
        self.asked.clear()
        self.waits_for = path
        self.barrier = threading.Barrier(calls, timeout=WAIT_S)


@pytest.fixture
def waiting() -> WaitingBackend:
    return WaitingBackend()


@pytest.fixture
def server(project: PortalConfig, waiting: WaitingBackend) -> Iterator[ScriptedServer]:
    with (
        scripted_server(waiting) as server,
        override_settings(PORTAL=dataclasses.replace(project, api_base_url=server.url)),
    ):
        yield server


@pytest.fixture
def browser(server: ScriptedServer) -> Client:
    """A browser that has just signed in: nothing is cached for it."""
    made = new_sign_in(new_account(), "ENERGY_APP")
    client = Client(headers=NAVIGATION)
    client.cookies[VAR_ACCESS_TOKEN], client.cookies[VAR_REFRESH_TOKEN] = made.access, made.refresh
    return client


CHARGER_LIST = ["/energy/chargers", "/energy/chargers/counts", "/me"]


@pytest.mark.parametrize("permission", ["ENERGY_APP", "FINANCE_APP"], ids=["allowed", "denied by the profile"])
def test_profile_query_and_numbers_run_together(waiting: WaitingBackend, browser: Client, permission: str) -> None:
    """Right after a sign-in, and when nothing is cached any more."""
    waiting.permissions = [permission]
    is_allowed = permission == "ENERGY_APP"
    for _ in range(2):
        waiting.wait_for(3)
        page = browser.get("/en/energy/chargers")
        assert page.status_code == (200 if is_allowed else 403)
        assert sorted(waiting.asked) == CHARGER_LIST
        assert ("a row of the list" in page.content.decode()) is is_allowed
        assert "Ada" in page.content.decode() or not is_allowed
        process_runtime().caches.clear()


def test_denying_profile_beats_failure_and_write(waiting: WaitingBackend, browser: Client) -> None:
    waiting.permissions = ["FINANCE_APP"]
    waiting.answers["/energy/clients/gone"] = ("404 Not Found", {})
    waiting.wait_for(2, path=lambda path: path in {"/me", "/energy/clients/gone"})
    assert browser.get("/en/energy/clients/gone").status_code == 403
    process_runtime().caches.clear()
    waiting.barrier = None
    waiting.asked.clear()
    assert browser.post("/en/energy/clients/a1/delete").status_code == 403
    assert waiting.asked == ["/me"]


def test_overview_without_summary_asks_at_once(waiting: WaitingBackend, browser: Client) -> None:
    waiting.wait_for(6)
    with offered("contract"):
        page = browser.get("/en/energy")
    assert page.status_code == 200
    assert page.content.decode().count(">41<") >= 5
    assert sorted(path.rpartition("/")[2] for path in waiting.asked) == sorted([*LISTS, "me"])
