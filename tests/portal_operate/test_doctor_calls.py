"""`doctor --token-file`: what a backend does not have is told, with what pages then do without."""

from __future__ import annotations

import json
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jwt
import pytest
import requests

from portal.config.projects import PROJECTS
from tests.support.command_line import Ended, run_command
from tests.support.harness import running_stack
from tests.support.http_server import Received, ScriptedServer, reply, scripted_server

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

CLIENTS = [
    {"id": "cli_1", "name": "Ada", "createdAt": "2026-01-01T00:00:00Z"},
    {"id": "cli_2", "name": "Bo", "createdAt": "2026-01-02T00:00:00Z"},
]
SESSIONS = [
    {"id": "ses_1", "clientId": "cli_1", "createdAt": "2026-01-01T00:00:00Z"},
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
            connection.sendall(reply(json.dumps(calls[path]).encode()))
        else:
            connection.sendall(reply(status="404 Not Found"))

    return scripted_server(answer)


def run_doctor(url: str, access: str, folder: Path, **variables: str) -> Ended:
    return run_command(
        "doctor",
        "--json",
        "--token-file",
        "-",
        given=access,
        DEBUG="on",
        APP_STATE_DIR=str(folder / "state"),
        APP_PUBLIC_API_BASE_URL=url,
        **variables,
    )


def findings(done: Ended, level: str) -> dict[str, str]:
    """Subject to what was seen, of one level."""
    return {each["subject"]: each["seen"] for each in done.data["findings"] if each["level"] == level}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ended, str, list[str]]:
    """One run with the small backend: what it found, its token, and the methods that it sent."""
    access = token(sub="ada")
    with backend_with(SMALL) as backend:
        done = run_doctor(backend.url, access, tmp_path_factory.mktemp("small"), APP_API_HONOURS_IDEMPOTENCY_KEY="on")
    return done, access, [request.line.split()[0] for request in backend.received]


def test_what_the_backend_does_not_have_is_a_warning_that_says_what_pages_do_without(
    small: tuple[Ended, str, list[str]],
) -> None:
    done, access, methods = small
    assert (done.status, done.data["result"]) == (0, "warning"), done
    told, well = findings(done, "warning"), findings(done, "ok")
    assert told["GET /energy/state"].startswith("absent: answered 404. The overview ")
    assert told["GET /energy/stations"].startswith("absent: answered 404. ")
    assert "GET /energy/stations/counts" not in told, "the list is absent, and so is what belongs to it"
    assert well["GET /energy/clients"] == well["GET /energy/clients/{id}"] == "is there"
    assert "POST /energy/clients" in well["calls that write"]
    # A filter that changes nothing is a warning.
    assert told["GET /energy/sessions parameters"].startswith("not honoured: clientId, q, sort.")
    assert "stationId" in well["GET /energy/sessions parameters"], "no row has a station"
    assert well["lost answers"].startswith("APP_API_HONOURS_IDEMPOTENCY_KEY is on: ")
    assert set(methods) == {"GET"}
    assert access not in done.out + done.err


@pytest.mark.parametrize(
    ("profile", "claims", "seen"),
    [
        ({"permissions": ["ENERGY_APP"]}, {"sub": "ada"}, "/me names no id: it follows from the token's sub"),
        ({"permissions": ["ENERGY_APP"]}, {}, "/me names no id, and the token no sub: each sign-in has a cache"),
        ({"permissions": ["ENERGY_APP"], "id": "usr_1"}, {}, "the id that /me names"),
    ],
    ids=["sub", "sign-in", "id"],
)
def test_whose_data_a_cache_holds_is_told(
    profile: dict[str, Any], claims: dict[str, str], seen: str, tmp_path: Path
) -> None:
    with backend_with({**SMALL, "/me": profile}) as backend:
        done = run_doctor(backend.url, token(**claims), tmp_path)
    level = "ok" if "id" in profile else "warning"
    assert findings(done, level)["owner of cached data"].startswith(seen)


def test_a_required_call_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    calls = {path: body for path, body in SMALL.items() if path != "/energy/clients"}
    with backend_with(calls) as backend:
        done = run_doctor(backend.url, token(sub="ada"), tmp_path)
    assert done.status == 1
    assert findings(done, "error") == {"GET /energy/clients": "answered 404, and it is required"}


def test_a_token_that_the_backend_refuses_is_one_error_and_nothing_more_is_tried(tmp_path: Path) -> None:
    with backend_with(SMALL, accepts=False) as backend:
        done = run_doctor(backend.url, token(sub="ada"), tmp_path)
    assert findings(done, "error") == {"GET /me": "the backend does not accept this token"}
    assert findings(done, "warning")["lost answers"].startswith("APP_API_HONOURS_IDEMPOTENCY_KEY is off: ")
    assert {request.line.split()[1] for request in backend.received} == {"/me"}


def test_a_token_that_is_not_signed_with_our_key_is_an_error(tmp_path: Path) -> None:
    with backend_with(SMALL) as backend:
        done = run_doctor(backend.url, token(sub="ada"), tmp_path, APP_JWT_KEY="another key, of more than 32 bytes")
        same = run_doctor(backend.url, token(sub="ada"), tmp_path, APP_JWT_KEY=KEY)
    assert (done.status, same.status) == (1, 0)
    assert findings(done, "error") == {"token": "the edge does not accept it: it is not signed with APP_JWT_KEY"}
    assert findings(same, "ok")["token"] == "it is signed with APP_JWT_KEY"


BEYOND_THE_DOCUMENT = {"GET /energy/stations"}
BEYOND_THE_CONTRACT = {"GET /energy/summary", "GET /energy/state", "GET /energy/clients/counts"}


@pytest.mark.parametrize(
    ("profile", "absent"),
    [("document", BEYOND_THE_DOCUMENT | BEYOND_THE_CONTRACT), ("contract", BEYOND_THE_CONTRACT), ("full", set())],
)
def test_the_sandbox_as_each_backend_is_told_apart(profile: str, absent: set[str], tmp_path: Path) -> None:
    apps = tuple(project.app for project in PROJECTS)
    with running_stack(tmp_path, without=apps, SANDBOX_PROFILE=profile) as stack:
        sent = {"email": "all@example.com", "password": "demo"}
        access = requests.post(f"{stack.backend}/auth/login", json=sent, timeout=10).json()["accessToken"]
        done = run_doctor(stack.backend, access, tmp_path)
    assert done.status == 0, done
    told = findings(done, "warning").keys()
    assert told & (BEYOND_THE_DOCUMENT | BEYOND_THE_CONTRACT) == absent
    assert ("GET /energy/sessions parameters" in told) == (profile == "contract")
    assert ("owner of cached data" in told) == (profile == "document")
