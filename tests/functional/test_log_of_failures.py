"""A page that fails says why in one line of the log: each cause made for real, before a running server.

The table of docs/reference/log.md has the same rows.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.testing import access_token, page_of, profile_of
from portal.testing.sign_ins import new_account
from tests.functional.test_serve import answer_of, log_of, serving, until
from tests.support.authority import Authority
from tests.support.harness import ROOT
from tests.support.http_server import Received, reply, scripted_server
from tests.support.redis_server import running_redis

PAGE = "/en/energy/clients"
DOCUMENT = ROOT / "docs" / "reference" / "log.md"
#: Of a backend that answers, by the search that it is asked for: what it sends, and what the page's line says.
ANSWERS: dict[str, tuple[bytes, str]] = {
    "json": (
        reply(b'{"items": ['),
        r"the backend's answer can't be used: JSONDecodeError: .+: line 1 column \d+",
    ),
    "shape": (reply(b'{"rows": []}'), r"the backend's answer can't be used: ApiMalformedError: .+"),
    "500": (reply(status="500 Oh No"), r"the backend answered 500"),
    "timeout": (b"", r"no answer of the backend: TimeoutError: .+"),
}
#: Of one that gives no answer at all.
NO_ANSWERS = {
    "name": r"no answer of the backend: (NameResolutionError|gaierror: .+)",
    "refused": r"no answer of the backend: ConnectionRefusedError: Connection refused",
    "tls": r"no answer of the backend: SSLCertVerificationError: .*certificate.*",
}
#: A machine that is slow at this moment opens the circuit with the first refusal; a line of its own says why.
STORE = (
    r"no answer of the store: "
    r"(ConnectionRefusedError: Connection refused|StoreUnavailableError: store 'refresh': it does not answer at the moment)"
)


@dataclass(frozen=True)
class Server:
    port: int
    log: Path

    def lines_of(self, request_id: str) -> list[dict[str, object]]:
        found = [json.loads(line) for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [line for line in found if line.get("request_id") == request_id]

    def fails(self, says: str, *, search: str = "private", expired: bool = False) -> None:
        """Open a page that fails, and look at its line."""
        token = access_token(new_account(), "ENERGY_APP", lifetime_s=-60 if expired else 300)
        cookies = f"{VAR_ACCESS_TOKEN}={token}; {VAR_REFRESH_TOKEN}=r; {VAR_PERMITTED_PLATFORMS}=%5B%22ENERGY%22%5D"
        request_id = f"page-{search}"
        assert answer_of(self.port, f"{PAGE}?q={search}", Cookie=cookies, **{"X-Request-Id": request_id})[0] == 503
        lines = self.lines_of(request_id)
        (line,) = [line for line in lines if line["level"] == "ERROR"]
        assert re.fullmatch(f"GET {PAGE}: 503: {says}", str(line["message"])), lines
        assert (line["logger"], line["method"], line["path"], line["status"]) == (
            "portal.web.errors.failure_log",
            "GET",
            PAGE,
            503,
        )
        # Of a token that has expired too: the log does not decide that.
        assert re.fullmatch("[0-9a-f]{16}", str(line["user"]))
        assert not [line for line in lines if line["logger"] == "django.request"], "Django's own line says less"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    with ExitStack() as running:

        def do(**variables: Any) -> Server:
            made = serving(tmp_path / "state", APP_LOG_FORMAT="json", **variables)
            return Server(running.enter_context(made)[1], log_of(tmp_path / "state"))

        yield do


def answering(request: Received, out: socket.socket) -> None:
    """It knows the user, and answers a search as its name says."""
    if request.line.startswith("GET /me "):
        out.sendall(reply(json.dumps(profile_of("acc", "ENERGY_APP")).encode()))
    elif asked := re.search(r"[?&]q=(\w+)", request.line):
        out.sendall(ANSWERS[asked[1]][0])


def test_one_line_names_the_page_and_what_was_wrong_with_the_answer(start: Callable[..., Server]) -> None:
    with scripted_server(answering) as backend:
        server = start(APP_PUBLIC_API_BASE_URL=backend.url, APP_API_READ_TIMEOUT_S="0.5", production=True)
        for search, (_, says) in ANSWERS.items():
            server.fails(says, search=search)


@pytest.mark.parametrize("name", NO_ANSWERS)
def test_or_why_there_was_none(tmp_path: Path, start: Callable[..., Server], name: str) -> None:
    context = Authority(tmp_path / "authority").server_context() if name == "tls" else None
    with scripted_server(answering, tls=context) as backend:
        urls = {"name": "http://no-such-host.invalid", "refused": "http://127.0.0.1:9", "tls": backend.url}
        start(APP_PUBLIC_API_BASE_URL=urls[name]).fails(NO_ANSWERS[name])


def test_or_that_the_store_is_away(tmp_path: Path, start: Callable[..., Server]) -> None:
    with running_redis(tmp_path) as redis:
        server = start(CACHE_URL=redis.url())
    server.fails(STORE, expired=True)


def test_a_wrong_parameter_is_one_traceback(start: Callable[..., Server]) -> None:
    def answer(request: Received, out: socket.socket) -> None:
        body = profile_of("acc", "ENERGY_APP") if request.line.startswith("GET /me ") else page_of([])
        out.sendall(reply(json.dumps(body).encode()))

    with scripted_server(answer) as backend:
        server = start(target="tests.functional.mistaken_project:application", APP_PUBLIC_API_BASE_URL=backend.url)
        cookie = f"{VAR_ACCESS_TOKEN}={access_token(new_account(), 'ENERGY_APP')}"
        path, asked = "/en/energy/in-view", {"Cookie": cookie, "X-Request-Id": "the-page"}
        assert answer_of(server.port, path, **asked)[0] == 500
        until(lambda: server.lines_of("the-page"), seconds=10, what="the line is written")
        (line,) = [line for line in server.lines_of("the-page") if line["level"] in {"WARNING", "ERROR"}]
    assert (line["logger"], line["message"]) == ("django.request", f"Internal Server Error: {path}")
    cause = str(line["exception"]).rstrip().splitlines()[-1]
    assert cause.startswith("portal.errors.UsageError: energy.get_clients: colour is no parameter of this endpoint")


def test_the_document_has_a_row_for_each() -> None:
    table = DOCUMENT.read_text().partition("## What a failing page writes")[2]
    rows = re.findall(r"^\| `([a-z0-9]+)` \|", table, re.MULTILINE)
    assert set(rows) == {*ANSWERS, *NO_ANSWERS, "store", "parameter"}
