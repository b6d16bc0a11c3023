"""The edge behind the production server, spoken to over raw sockets: what no client library would send.

Each request is refused or ignored, none is a 500, and none leads away.
"""

import contextlib
import re
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from http.client import HTTPResponse
from pathlib import Path

import jwt
import pytest

from portal.config.cookies import VAR_ACCESS_TOKEN
from tests.functional.test_serve import log_of, serving
from tests.support.ports import free_port_base

KEY = "a key for verifying access tokens, long enough"
GATEWAY = "http://localhost:8000"
ENERGY = jwt.encode({"sub": "u-1", "permissions": ["ENERGY_APP"], "exp": time.time() + 3600}, KEY)
FORGED = jwt.encode({"sub": "u-1", "permissions": ["ENERGY_APP"]}, "another key, which nobody has told the server")


@dataclass(frozen=True)
class Answer:
    """What came back; `status` is None where the server hung up."""

    status: int | None
    headers: Message = field(default_factory=Message)
    body: str = ""

    def header(self, name: str) -> str | None:
        return self.headers.get_all(name, [None])[-1]


@dataclass(frozen=True)
class Server:
    """The energy app on its port, with a backend that does not answer."""

    port: int
    log: Path

    def send(self, target: str | bytes, *headers: str | bytes, method: str = "GET") -> Answer:
        """One request, octet by octet as given."""
        lines = [octets(f"{method} ") + octets(target) + b" HTTP/1.1", f"Host: localhost:{self.port}".encode()]
        lines += [octets(header) for header in headers]
        return self.send_raw(b"\r\n".join([*lines, b"Connection: close", b"", b""]))

    def send_raw(self, request: bytes) -> Answer:
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(request)
            response = HTTPResponse(connection)
            try:
                response.begin()
                return Answer(response.status, response.headers, response.read().decode("utf-8", "replace"))
            except ConnectionError:
                return Answer(None)


def octets(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("latin-1")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("edge")
    port = free_port_base()
    variables = {"APP_PUBLIC_ENERGY_APP_URL": f"http://localhost:{port}", "APP_PUBLIC_GATEWAY_APP_URL": GATEWAY}
    variables |= {"ALLOWED_HOSTS": "localhost", "APP_JWT_KEY": KEY}
    with serving(folder, production=True, port=port, **variables):
        yield Server(port=port, log=log_of(folder))


@pytest.fixture(autouse=True)
def nothing_was_logged_as_an_error(server: Server) -> Iterator[None]:
    before = server.log.stat().st_size
    yield
    with server.log.open() as log:
        log.seek(before)
        written = log.read()
    assert "Traceback" not in written
    assert " ERROR " not in written


def cookie(**values: str) -> str:
    return "Cookie: " + "; ".join(f"{name}={value}" for name, value in values.items())


SIGNED_IN = cookie(**{VAR_ACCESS_TOKEN: ENERGY})


def next_of(answer: Answer) -> str | None:
    location = answer.header("location") or ""
    assert location.startswith(f"{GATEWAY}/en/login"), location
    return location.partition("?next=")[2] or None


@pytest.mark.parametrize("target", ["/en%2Fenergy", "/%65n/%65nergy"])
def test_an_encoded_slash_is_gated_like_the_slash_that_is_resolved(server: Server, target: str) -> None:
    answer = server.send(target)
    if answer.status != 400:
        assert answer.status == 302
        assert next_of(answer).endswith("%2Fen%2Fenergy")


@pytest.mark.parametrize(
    "target",
    [
        "/en/../energy",
        "/static/../en/energy",
        "/static/..%2f..%2fmanage.py",
        "/\\evil.test",
        "/en/energy%0d%0aSet-Cookie:%20x=y",
        b"/en/energy\x00",
    ],
)
def test_what_no_address_has_is_refused(server: Server, target: str | bytes) -> None:
    answer = server.send(target, SIGNED_IN)
    assert answer.status in {400, None}
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("//evil.test", "/en/evil.test"),
        ("//en//energy//", "/en/energy"),
        ("/energy/%252e%252e/x", "/en/energy/%252e%252e/x"),
    ],
)
def test_repeated_slashes_lead_to_the_normal_form_on_this_app(server: Server, target: str, location: str) -> None:
    answer = server.send(target)
    assert (answer.status, answer.header("location")) == (307, location)


@pytest.mark.parametrize("target", ["http://evil.test/en/energy", "https://evil.test//x", "*", "evil.test:443", ""])
def test_a_strange_request_target_stays_here_or_is_refused(server: Server, target: str) -> None:
    answer = server.send(target)
    assert answer.status in {302, 307, 400, 404, 405, None}
    location = answer.header("location") or ""
    assert "evil.test" not in location.partition("?")[0].partition("/en")[0]


@pytest.mark.parametrize("target", [b"/en/energy/\xff", b"/en/energy/\xed\xa0\x80"])
def test_octets_that_are_no_utf8_are_no_error(server: Server, target: bytes) -> None:
    assert server.send(target, SIGNED_IN).status in {400, 404, 503, None}


@pytest.mark.parametrize("header", ["X-Pathname: /en/finance", "x_pathname: /en/finance"])
def test_a_header_that_imitates_x_pathname_never_arrives(server: Server, header: str) -> None:
    page = server.send("/en/logout", header, header)
    assert page.status == 200
    assert re.findall(r'data-pathname="([^"]*)"', page.body) == ["/en/logout"]
    assert "finance" not in server.send("/healthz", header).body


@pytest.mark.parametrize(
    "header",
    [
        "X-Forwarded-Host: evil.test",
        "X-Forwarded-Proto: https",
        "X-Original-URL: /healthz",
        "X-HTTP-Method-Override: OPTIONS",
        "Script_Name: /healthz",
        # CVE-2025-29927: what made Next.js skip its edge.
        "X-Middleware-Subrequest: middleware:middleware:middleware:middleware:middleware",
    ],
)
def test_no_header_changes_what_is_gated(server: Server, header: str) -> None:
    answer = server.send("/en/energy", header)
    assert answer.status == 302
    assert next_of(answer) == f"http%3A%2F%2Flocalhost%3A{server.port}%2Fen%2Fenergy"


def test_lost_cookies_are_logged_and_counted(server: Server) -> None:
    """One cookie with octets outside ASCII takes the others with it."""
    for _ in range(3):
        assert next_of(server.send("/en/energy", f"{SIGNED_IN}; other=\xe9"))
    assert server.log.read_text().count("cookies were lost") == 1
    assert re.search(r"^portal_lost_cookies_total\S* 3", server.send("/metrics").body, re.MULTILINE)
    assert server.send("/en/finance", SIGNED_IN).header("location") == "/en/energy"


@pytest.mark.parametrize("size", [4_097, 65_536])
def test_a_huge_token_is_refused_or_counts_as_none(server: Server, size: int) -> None:
    answer = server.send("/en/energy", cookie(**{VAR_ACCESS_TOKEN: "x" * size}))
    assert answer.status in {302, 400, 431, None}
    if answer.status == 302:
        assert next_of(answer)
        assert f"{VAR_ACCESS_TOKEN}=" in " ".join(answer.headers.get_all("set-cookie"))


def test_of_a_cookie_that_comes_twice_the_last_counts(server: Server) -> None:
    last_good = f"Cookie: {VAR_ACCESS_TOKEN}={FORGED}; {VAR_ACCESS_TOKEN}={ENERGY}"
    last_bad = f"Cookie: {VAR_ACCESS_TOKEN}={ENERGY}; {VAR_ACCESS_TOKEN}={FORGED}"
    assert server.send("/en/finance", last_good).header("location") == "/en/energy"
    assert next_of(server.send("/en/finance", last_bad))


def test_slow_bodies_leave_pages_and_forms(server: Server) -> None:
    """More senders than threads; a form in chunks is read beside them."""
    token = "a" * 32
    form = f"csrfmiddlewaretoken={token}&locale=de&next=/en/logout"
    chunks = f"{len(form):x}\r\n{form}\r\n0\r\n\r\n"
    head = f"POST /locale HTTP/1.1\r\nHost: localhost:{server.port}\r\nConnection: close\r\n"
    kind = f"Content-Type: application/x-www-form-urlencoded\r\nCookie: csrf_energy={token}\r\n"
    with contextlib.ExitStack() as senders:
        for _ in range(12):
            sender = senders.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=10))
            sender.sendall(f"{head}Content-Length: 40\r\n\r\nfour".encode())
        assert {server.send(path).status for path in ("/en/logout", "/healthz") * 10} == {200}
        sent = server.send_raw(f"{head}{kind}Transfer-Encoding: chunked\r\n\r\n{chunks}".encode())
        assert (sent.status, sent.header("location")) == (303, "/de/logout")
