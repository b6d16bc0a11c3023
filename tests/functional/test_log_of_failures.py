"""A page that fails says why in one line of the log: each cause made for real, before a running server.

The table of docs/reference/log.md has the same rows.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_PERMITTED_PLATFORMS, VAR_REFRESH_TOKEN
from portal.testing import access_token, page_of, profile_of
from portal.testing.sign_ins import new_account
from tests.functional.test_log_of_a_server import ask, logged_server
from tests.functional.test_serve import until
from tests.support.authority import Authority
from tests.support.harness import ROOT
from tests.support.http_server import Received, reply, scripted_server
from tests.support.redis_server import running_redis

PAGE = "/en/energy/clients"
DOCUMENT = ROOT / "docs" / "reference" / "log.md"


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One row of the table.

    :param says: the message of the page's line.
    :param says_when_open: the same if the circuit had opened before, which a line of its own tells.
    :param variables: of the environment, once what they need runs.
    :param ends_after_start: whether that ends as soon as the server serves, which needs it to start.
    """

    says: str
    variables: Callable[[ExitStack, Path], dict[str, str]]
    status: int = 503
    expired: bool = False
    ends_after_start: bool = False
    says_when_open: str = ""


def backend(stack: ExitStack, clients: Callable[[socket.socket], None], **options: ssl.SSLContext) -> dict[str, str]:
    """One that knows the user, and answers its clients as told."""
    me = reply(json.dumps(profile_of("acc", "ENERGY_APP")).encode())

    def answer(request: Received, out: socket.socket) -> None:
        if request.line.startswith("GET /me "):
            out.sendall(me)
        else:
            clients(out)

    server = stack.enter_context(scripted_server(answer, **options))
    return {"APP_PUBLIC_API_BASE_URL": server.url}


def untrusted(stack: ExitStack, folder: Path) -> dict[str, str]:
    context = Authority(folder / "authority").server_context()
    return backend(stack, lambda out: None, tls=context)


def silent(stack: ExitStack, _folder: Path) -> dict[str, str]:
    return backend(stack, lambda out: None) | {"APP_API_READ_TIMEOUT_S": "0.2"}


FAILURES = {
    "name": Failure(
        says=r"no answer of the backend: (NameResolutionError|gaierror: .+)",
        variables=lambda *_: {"APP_PUBLIC_API_BASE_URL": "http://no-such-host.invalid"},
    ),
    "refused": Failure(
        says=r"no answer of the backend: ConnectionRefusedError: Connection refused",
        variables=lambda *_: {"APP_PUBLIC_API_BASE_URL": "http://127.0.0.1:9"},
    ),
    "timeout": Failure(says=r"no answer of the backend: TimeoutError: .+", variables=silent),
    "tls": Failure(says=r"no answer of the backend: SSLCertVerificationError: .*certificate.*", variables=untrusted),
    "json": Failure(
        says=r"the backend's answer can't be used: JSONDecodeError: .+: line 1 column \d+",
        variables=lambda stack, _: backend(stack, lambda out: out.sendall(reply(b'{"items": ['))),
    ),
    "shape": Failure(
        says=r"the backend's answer can't be used: ApiMalformedError: .+",
        variables=lambda stack, _: backend(stack, lambda out: out.sendall(reply(b'{"rows": []}'))),
    ),
    "500": Failure(
        says=r"the backend answered 500",
        variables=lambda stack, _: backend(stack, lambda out: out.sendall(reply(status="500 Oh No"))),
    ),
    "store": Failure(
        says=r"no answer of the store: ConnectionRefusedError: Connection refused",
        variables=lambda stack, folder: {"CACHE_URL": stack.enter_context(running_redis(folder)).url()},
        expired=True,
        ends_after_start=True,
        says_when_open=r"no answer of the store: StoreUnavailableError: store 'refresh': it does not answer at the moment",
    ),
}


def lines_of(log: Path, request_id: str) -> list[dict[str, object]]:
    found = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    return [line for line in found if line.get("request_id") == request_id]


@pytest.fixture
def resources() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize("name", FAILURES)
def test_one_line_names_the_page_and_the_cause(tmp_path: Path, resources: ExitStack, name: str) -> None:
    failure = FAILURES[name]
    variables = failure.variables(resources, tmp_path)
    token = access_token(new_account(), "ENERGY_APP", lifetime_s=-60 if failure.expired else 300)
    cookies = f"{VAR_ACCESS_TOKEN}={token}; {VAR_REFRESH_TOKEN}=r; {VAR_PERMITTED_PLATFORMS}=%5B%22ENERGY%22%5D"
    with logged_server(tmp_path, APP_LOG_FORMAT="json", **variables) as (_, port, log):
        if failure.ends_after_start:
            resources.close()
        status = ask(port, f"{PAGE}?q=private", Cookie=cookies, **{"X-Request-Id": "the-page"})
        lines = lines_of(log, "the-page")
        circuits = [line for line in lines if line["logger"] == "portal.process.circuit_breaker"]
    assert status == failure.status
    (line,) = [line for line in lines if line["level"] == "ERROR"]
    # A machine that is slow at this moment opens the circuit with the first refusal; a line of its own says why.
    says = f"({failure.says}|{failure.says_when_open})" if circuits and failure.says_when_open else failure.says
    assert re.fullmatch(f"GET {PAGE}: {failure.status}: {says}", str(line["message"])), lines
    assert (line["logger"], line["method"], line["path"], line["status"]) == (
        "portal.web.errors.failure_log",
        "GET",
        PAGE,
        failure.status,
    )
    # Of a token that has expired too: the log does not decide that.
    assert re.fullmatch("[0-9a-f]{16}", str(line["user"]))
    assert not [line for line in lines if line["logger"] == "django.request"], "Django's own line says less"


def test_a_wrong_parameter_is_one_traceback(tmp_path: Path, resources: ExitStack) -> None:
    served = "tests.functional.mistaken_project:application"
    token = access_token(new_account(), "ENERGY_APP")
    variables = backend(resources, lambda out: out.sendall(reply(json.dumps(page_of([])).encode())))
    with logged_server(tmp_path, target=served, APP_LOG_FORMAT="json", **variables) as (_, port, log):
        cookie = f"{VAR_ACCESS_TOKEN}={token}"
        assert ask(port, "/en/energy/in-view", Cookie=cookie, **{"X-Request-Id": "the-page"}) == 500
        until(lambda: lines_of(log, "the-page"), seconds=10, what="the line is written")
        (line,) = [line for line in lines_of(log, "the-page") if line["level"] in {"WARNING", "ERROR"}]
    assert (line["logger"], line["message"]) == ("django.request", "Internal Server Error: /en/energy/in-view")
    cause = str(line["exception"]).rstrip().splitlines()[-1]
    assert cause.startswith("portal.errors.UsageError: energy.get_clients: colour is no parameter of this endpoint")


def test_the_document_has_a_row_for_each() -> None:
    table = DOCUMENT.read_text().partition("## What a failing page writes")[2]
    rows = re.findall(r"^\| `([a-z0-9]+)` \|", table, re.MULTILINE)
    assert rows == [*FAILURES, "parameter"]
