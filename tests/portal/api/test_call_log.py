"""Every call is one line in the log, which names what went wrong and nothing that is anybody's."""

import contextlib
import gzip
import logging
import re
import socket

import pytest

from portal.api.call_log import Attempt, describe_cause
from portal.api.session import ApiSession
from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import MAX_ANSWER_BYTES
from portal.errors import ApiError, ApiNotFoundError
from portal.process.deadline import Deadline
from tests.portal_server.processes import until
from tests.support.authority import Authority
from tests.support.counts import counted, is_listed
from tests.support.http_server import reply, scripted_server

SECRETS = ("of-the-bearer", "of-the-query", "of-the-body", "of-the-answer", "of-the-key")


@pytest.fixture
def lines(caplog):
    caplog.set_level("DEBUG", logger="portal.api.calls")

    def found() -> list[logging.LogRecord]:
        return [record for record in caplog.records if record.name == "portal.api.calls"]

    return found


@pytest.fixture
def connect():
    with contextlib.ExitStack() as stack:
        yield lambda url, **options: stack.enter_context(
            ApiSession(base_url=url, **{"connect_timeout_s": 1, "read_timeout_s": 5, **options})
        )


def told_secrets(line: logging.LogRecord) -> list[str]:
    return [secret for secret in SECRETS if secret in f"{line.getMessage()} {vars(line)}"]


def call(session: ApiSession, **options):
    # What is called carries its bearer itself, so no refresh takes part.
    tokens = TokenStore(TokenPair())
    request = {"method": "GET", "path": "/energy/clients/cli_1", "params": {"q": "of-the-query"}}
    return session.call(tokens=tokens, bearer="of-the-bearer", **{**request, **options})


def answering(content: bytes, **options):
    return scripted_server(lambda _, out: out.sendall(content), **options)


@pytest.mark.parametrize(
    ("status", "level"),
    [
        *((status, "INFO") for status in ("200 OK", "302 Found", "401 No", "404 None")),
        *((status, "WARNING") for status in ("429 Slow", "500 Oh")),
    ],
)
def test_what_the_backend_can_t_do_is_a_warning_and_what_it_will_not_do_is_none(connect, lines, status, level):
    with answering(reply(b'{"detail": "of-the-answer"}', status=status)) as server, contextlib.suppress(ApiError):
        call(connect(server.url), request_id="r-1", attempt=Attempt(2, 3))
    (line,) = lines()
    assert (line.levelname, line.outcome) == (level, f"{status[0]}xx")
    message = rf"backend GET /energy/clients/cli_1: {status[:3]} in \d+ ms, try 2 of 3"
    assert re.fullmatch(message, line.getMessage())
    assert (line.method, line.path, line.status) == ("GET", "/energy/clients/cli_1", int(status[:3]))
    assert (line.request_id, line.attempt, line.attempts) == ("r-1", 2, 3)
    assert line.duration_ms > 0
    assert not hasattr(line, "cause")
    assert told_secrets(line) == []


def test_redirect_names_its_target_without_the_query(connect, lines):
    location = "Location: https://api.example.com/energy/clients/?q=of-the-query\r\n"
    with answering(reply(status="308 Moved", headers=location)) as server, contextlib.suppress(ApiError):
        call(connect(server.url))
    (line,) = lines()
    assert ": 308 to https://api.example.com/energy/clients/" in line.getMessage()
    assert told_secrets(line) == []


def refusing() -> str:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        return f"http://127.0.0.1:{unused.getsockname()[1]}"


#: How the call is counted, whether it may have been sent, and the cause.
FAILURES = {
    "dns": ("unreachable", False, "gaierror: Name or service not known"),
    "refused": ("unreachable", False, "ConnectionRefusedError: Connection refused"),
    "timeout": ("timeout", True, "TimeoutError: timed out"),
    "no time left": ("timeout", False, "ApiTimeoutError: The time for this request is used up."),
    "tls": ("unreachable", False, "SSLCertVerificationError: unable to get local issuer certificate"),
    "broken json": ("malformed", True, "JSONDecodeError: Unterminated string starting at: line 1 column 7"),
    "no http": ("unreachable", True, "BadStatusLine"),
    "too large": ("malformed", True, "ApiMalformedError: The backend's answer is larger than 8388608 bytes."),
    "unpacks to too much": ("malformed", True, "ApiMalformedError: The backend's answer is larger than 8388608 bytes."),
    "wrong packing": ("unreachable", True, "zlib.error"),
}
BYTES = {
    "broken json": reply(b'{"a": "of-the-answer'),
    "no http": b"of-the-answer\r\n\r\n",
    "too large": reply(b'{"a": "of-the-answer and more"}' + b" " * MAX_ANSWER_BYTES),
    "unpacks to too much": reply(gzip.compress(b"x" * (MAX_ANSWER_BYTES + 1)), headers="Content-Encoding: gzip\r\n"),
    "wrong packing": reply(b"of-the-answer", headers="Content-Encoding: gzip\r\n"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_a_failure_is_one_line_that_names_the_innermost_cause_and_nothing_that_is_anybodys(
    connect, lines, kind, tmp_path
):
    outcome, was_sent, cause = FAILURES[kind]

    def answer(_, out: socket.socket) -> None:
        if kind in BYTES:
            out.sendall(BYTES[kind])
        if kind != "timeout":
            out.shutdown(socket.SHUT_RDWR)

    with scripted_server(answer, tls=Authority(tmp_path).server_context() if kind == "tls" else None) as server:
        url = {"dns": "http://no-such-host.invalid", "refused": refusing()}.get(kind, server.url)
        session = connect(url, read_timeout_s=0.05 if kind == "timeout" else 5)
        late = {"deadline": Deadline(0)} if kind == "no time left" else {}
        with pytest.raises(ApiError) as caught:
            call(session, method="POST", json={"a": "of-the-body"}, idempotency_key="of-the-key", **late)
        until(lambda: len(server.received) == was_sent, what="the server has read what was sent")
    assert caught.value.was_sent is was_sent
    (line,) = lines()
    assert line.levelname == "WARNING"
    assert (line.outcome, line.cause) == (outcome, cause)
    assert line.getMessage().endswith(f" ms: {cause}")
    assert told_secrets(line) == []


def test_calls_are_counted_by_what_they_came_to(connect):
    with answering(reply()) as server:
        session = connect(server.url, to="counted")
        for options in ({}, {}, {"endpoint": "energy.get_clients"}):
            call(session, **options)
    assert counted("portal_calls_total", to="counted", endpoint="counted", outcome="2xx") == 2
    assert counted("portal_calls_total", to="counted", endpoint="energy.get_clients", outcome="2xx") == 1
    assert counted("portal_call_duration_seconds_count", to="counted", endpoint="counted") == 2
    assert is_listed("portal_calls_total", to="counted", endpoint="counted", outcome="timeout")


def test_a_cause_s_own_words_are_one_short_line():
    error = ApiNotFoundError("of-the-answer", status=404)
    assert describe_cause(error) == "ApiNotFoundError"
    error.__cause__ = OSError("first\nsecond\x1b[31m" + "x" * 1000)
    described = describe_cause(error)
    assert described.isprintable()
    assert described.startswith("OSError: first second")
    assert len(described) < 250


def test_a_chain_that_bites_its_tail_ends():
    first, second = ValueError("a"), KeyError("b")
    first.__cause__, second.__cause__ = second, first
    assert describe_cause(first) == "KeyError"
