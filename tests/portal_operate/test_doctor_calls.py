"""`doctor --token-file` holds the declaration against the running backend; `check_services --live` makes it."""

from __future__ import annotations

import dataclasses
import json
import socket
import sys
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jwt
import pytest
from django.conf import settings
from django.core.checks import ERROR, INFO, WARNING, CheckMessage
from django.core.management import CommandError, call_command
from django.test import override_settings

from portal.config.environment.offers import read_offers_file
from portal.config.projects import PROJECTS
from portal_operate.doctor.backend_calls import look_at_calls
from portal_operate.doctor.findings import Patient
from tests.support.command_line import run_command
from tests.support.harness import clean_environment, run_program, running_stack, with_own
from tests.support.http_server import Received, ScriptedServer, reply, scripted_server
from tests.support.offers import offered

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

CLIENTS = [
    {"id": "cli_1", "name": "Ada", "createdAt": "2026-01-01T00:00:00Z"},
    {"id": "cli_2", "name": "Bo", "createdAt": "2026-01-02T00:00:00Z"},
]
SESSIONS = [
    {"id": "ses_1", "clientId": "cli_1", "read": "NOW", "createdAt": "2026-01-01T00:00:00Z"},
    {"id": "ses_2", "clientId": "cli_2", "createdAt": "2026-01-02T00:00:00Z"},
]
KEY = "a key that this backend alone knows, for HS256"


def token(**claims: str) -> str:
    return jwt.encode({"permissions": ["ENERGY_APP"], **claims}, KEY, algorithm="HS256")


def page(rows: list[dict[str, str]]) -> dict[str, Any]:
    return {"items": rows, "hasNext": False, "nextCursor": None}


#: A backend that has what is required, and a list that takes no parameters.
SMALL: Mapping[str, Any] = {
    "/me": {"permissions": ["ENERGY_APP"]},
    "/energy/clients": page(CLIENTS),
    "/energy/clients/cli_1": CLIENTS[0],
    "/energy/clients/cli_2": CLIENTS[1],
    "/energy/sessions": page(SESSIONS),
}


def backend_with(calls: Mapping[str, Any], *, accepts: bool = True) -> AbstractContextManager[ScriptedServer]:
    """A server that answers these paths, and 404 to all others; without a token 401."""

    def answer(request: Received, connection: socket.socket) -> None:
        path = urlsplit(request.line.split()[1]).path
        if not accepts or not request.headers.get("authorization"):
            connection.sendall(reply(status="401 Unauthorized"))
        elif path in calls:
            text = json.dumps(calls[path]).replace("NOW", str(time.monotonic_ns()))
            connection.sendall(reply(text.encode()))
        else:
            connection.sendall(reply(status="404 Not Found"))

    return scripted_server(answer)


def test_differences_from_the_declaration_are_named(tmp_path: Path) -> None:
    access = token(sub="ada")
    variables = {"DEBUG": "on", "APP_STATE_DIR": str(tmp_path / "state"), "APP_API_HONOURS_IDEMPOTENCY_KEY": "on"}
    with backend_with(SMALL) as backend:
        variables |= {"APP_PUBLIC_API_BASE_URL": backend.url, "APP_BACKEND_OFFERS": "all"}
        done = run_command("doctor", "--json", "--token-file", "-", given=access, **variables)
    assert (done.status, done.data["result"]) == (0, "warning"), done
    told, well = (
        {each["subject"]: each["seen"] for each in done.data["findings"] if each["level"] == level}
        for level in ("warning", "ok")
    )
    assert told["energy.get_state"] == told["energy.get_stations?q"] == "declared to be offered: answered 404"
    # A filter that changes nothing is not there.
    assert told["energy.get_charging_sessions?clientId"] == "declared to be offered: changes nothing"
    assert "energy.get_charging_sessions?stationId" in well["not told"], "no row has a station"
    assert "energy.update_client" in well["not told"]
    assert "POST /energy/clients" in well["calls that write"]
    assert well["lost answers"].startswith("APP_API_HONOURS_IDEMPOTENCY_KEY is on: ")
    assert {request.line.split()[0] for request in backend.received} == {"GET"}
    assert access not in done.out + done.err


def test_undeclared_calls_are_one_warning() -> None:
    with offered("energy.get_sttions", "auth.logout", "auth.reset_password"):
        found, _ = examined(SMALL, token(sub="ada"))
    told = seen_as(found, WARNING)
    assert told["not declared"] == "not shown to users, and the backend has it: energy.get_charging_sessions"
    assert {"energy.get_sttions"} == {subject for subject in told if subject.startswith(("energy.", "auth."))}
    assert "did you mean 'energy.get_stations'?" in {each.hint for each in found}


def examined(calls: Mapping[str, Any], access: str, *, accepts: bool = True) -> tuple[list[CheckMessage], set[str]]:
    """What is found with a backend of these calls, and the paths that were asked for."""
    with backend_with(calls, accepts=accepts) as backend:
        found = found_at(backend.url, access)
    return found, {request.line.split()[1] for request in backend.received}


def found_at(url: str, access: str) -> list[CheckMessage]:
    config = dataclasses.replace(settings.PORTAL, api_base_url=url)
    with override_settings(PORTAL=config):
        return list(look_at_calls(Patient(config=config, access=access)))


def seen_as(found: list[CheckMessage], level: int) -> dict[str, str]:
    return {each.obj: each.msg for each in found if each.level == level}


def test_absent_required_call_is_an_error() -> None:
    found, _ = examined({path: body for path, body in SMALL.items() if path != "/energy/clients"}, token(sub="ada"))
    assert seen_as(found, ERROR) == {"GET /energy/clients": "answered 404, and it is required"}


def test_rejected_token_is_one_error_and_ends_the_calls() -> None:
    found, asked = examined(SMALL, token(sub="ada"), accepts=False)
    assert seen_as(found, ERROR) == {"GET /me": "the backend does not accept this token"}
    assert asked == {"/me"}


def test_full_sandbox_lacks_nothing(tmp_path: Path) -> None:
    apps = tuple(project.app for project in PROJECTS)
    with running_stack(tmp_path, without=apps, SANDBOX_PROFILE="full") as stack:
        access = stack.tokens("all@example.com")["accessToken"]
        found = found_at(stack.backend, access)
        names, file = live_offers(stack.backend, access, tmp_path)
    assert [each for each in found if each.level != INFO] == []
    assert {"energy.get_state", "energy.get_clients?city", "energy.get_clients?q", "energy.get_clients:total"} <= names
    assert "# energy.update_client  # a write, not tried" in file


def test_failed_live_look_writes_nothing(tmp_path: Path) -> None:
    (tmp_path / "offers").write_text("energy.get_stations")
    for calls, accepts, file in (({}, True, "offers"), (SMALL, False, "offers"), (SMALL, True, "none/offers")):
        with backend_with(calls, accepts=accepts) as backend, pytest.raises(CommandError, match="written") as caught:
            live_offers(backend.url, token(sub="ada"), tmp_path, file)
        assert (caught.value.returncode, (tmp_path / "offers").read_text()) == (2, "energy.get_stations")


def test_live_look_says_what_rows_do_not_tell(tmp_path: Path) -> None:
    with backend_with(SMALL) as backend:
        _, file = live_offers(backend.url, token(sub="ada"), tmp_path)
    assert "# energy.get_charging_sessions:total  # the rows do not tell" in file


def test_live_look_without_an_app_says_so() -> None:
    command = (sys.executable, "manage.py", "check_services", "--live")
    done = run_program(*command, status=2, env=with_own(clean_environment()))
    assert "--live asks the backend of an app" in done.stderr


def live_offers(url: str, access: str, folder: Path, file: str = "offers") -> tuple[frozenset[str], list[str]]:
    """Return the names that `check_services --live` writes, and the lines of its file."""
    (folder / "token").write_text(access)
    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, api_base_url=url)):
        call_command("check_services", "--live", token_file=folder / "token", write=folder / file)
    return read_offers_file(folder / "offers"), (folder / "offers").read_text().splitlines()
