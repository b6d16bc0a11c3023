"""Every call is one line in the log, which names what went wrong and nothing that is anybody's."""

from __future__ import annotations

import gzip
import logging
import re
import socket

import pytest

from portal.api.call_log import Attempt, LoggedCall, log_response
from portal.api.refresh.token_endpoint import BackendTokenEndpoint
from portal.api.responses import RawResponse
from portal.api.session import ApiSession
from portal.api.tokens import TokenPair, TokenStore
from portal.config.limits import MAX_ANSWER_BYTES
from portal.errors import ApiError, ApiUnavailableError
from portal.process.deadline import Deadline
from portal.query.calls import BackendCaller, Retries
from portal.query.endpoints.urls import Address
from tests.support.authority import Authority
from tests.support.counts import counted, is_listed
from tests.support.http_server import reply, scripted_server

SECRETS = ("of-the-bearer", "of-the-refresh", "of-the-query", "of-the-body", "of-the-answer", "of-the-key")


@pytest.fixture
def lines(caplog):
    caplog.set_level("DEBUG", logger="portal.api.calls")

    def found() -> list[logging.LogRecord]:
        return [record for record in caplog.records if record.name == "portal.api.calls"]

    return found


@pytest.fixture
def connect():
    made = []

    def make(url: str, **options) -> ApiSession:
        made.append(ApiSession(base_url=url, **{"connect_timeout_s": 1, "read_timeout_s": 5, **options}))
        return made[-1]

    yield make
    for session in made:
        session.close()


def call(session: ApiSession, **options):
    # What is called carries its bearer itself, so no refresh takes part.
    tokens = TokenStore(TokenPair())
    request = {"method": "GET", "path": "/energy/clients/cli_1", "params": {"q": "of-the-query"}}
    return session.call(tokens=tokens, bearer="of-the-bearer", **{**request, **options})


def answering(content: bytes, **options):
    return scripted_server(lambda _, out: out.sendall(content), **options)


def test_an_answer_is_one_line_with_method_path_status_and_duration(connect, lines):
    with answering(reply(b'{"a": "of-the-answer"}')) as server:
        call(connect(server.url), request_id="r-1")
    (line,) = lines()
    assert line.levelname == "INFO"
    assert re.fullmatch(r"backend GET /energy/clients/cli_1: 200 in \d+ ms", line.getMessage())
    assert (line.method, line.path, line.status, line.outcome) == ("GET", "/energy/clients/cli_1", 200, "2xx")
    assert (line.request_id, line.attempt, line.attempts) == ("r-1", 1, 1)
    assert line.duration_ms > 0


@pytest.mark.parametrize(
    ("status", "level"),
    [("302 Found", "INFO"), ("401 No", "INFO"), ("404 None", "INFO"), ("429 Slow", "WARNING"), ("500 Oh", "WARNING")],
)
def test_what_the_backend_can_t_do_is_a_warning_and_what_it_will_not_do_is_none(connect, lines, status, level):
    with answering(reply(b'{"detail": "of-the-answer"}', status=status)) as server, pytest.raises(ApiError):
        call(connect(server.url))
    (line,) = lines()
    assert (line.levelname, line.status) == (level, int(status[:3]))
    assert not hasattr(line, "cause")
    assert [secret for secret in SECRETS if secret in f"{line.getMessage()} {vars(line)}"] == []


def refusing() -> str:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        return f"http://127.0.0.1:{unused.getsockname()[1]}"


#: How the call is counted, whether it may have been sent, and the cause.
FAILURES = {
    "dns": ("unreachable", False, "gaierror: Name or service not known"),
    "refused": ("unreachable", False, "ConnectionRefusedError: Connection refused"),
    "timeout": ("timeout", True, "TimeoutError: timed out"),
    "deadline": ("timeout", True, "TimeoutError: timed out"),
    "no time left": ("timeout", False, "ApiTimeoutError: The time for this request is used up."),
    "tls": ("unreachable", False, "SSLCertVerificationError: unable to get local issuer certificate"),
    "broken json": ("malformed", True, "JSONDecodeError: Unterminated string starting at: line 1 column 7"),
    "not text": ("malformed", True, "UnicodeDecodeError"),
    "no json at all": ("malformed", True, "JSONDecodeError: Expecting value: line 1 column 1"),
    "a number that is none": ("malformed", True, "ValueError"),
    "no http": ("unreachable", True, "BadStatusLine"),
    "broken off": ("unreachable", True, "IncompleteRead"),
    "closed": ("unreachable", True, "RemoteDisconnected: Remote end closed connection without response"),
    "too large": ("malformed", True, "ApiMalformedError: The backend's answer is larger than 8388608 bytes."),
    "unpacks to too much": ("malformed", True, "ApiMalformedError: The backend's answer is larger than 8388608 bytes."),
    "wrong packing": ("unreachable", True, "zlib.error"),
}
BYTES = {
    "deadline": b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nof-the-answer and no more",
    "broken json": reply(b'{"a": "of-the-answer'),
    "not text": reply(b'{"a": "\xff\xfe of-the-answer"}'),
    "no json at all": reply(b"<html>of-the-answer"),
    "a number that is none": reply(b'["of-the-answer", 1e999]'),
    "no http": b"of-the-answer\r\n\r\n",
    "broken off": reply(b"of-the-answer" * 10)[:-50],
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
        if kind not in {"timeout", "deadline"}:
            out.shutdown(socket.SHUT_RDWR)

    deadlines = {
        # Its clock stands still: the silence is what ends it, however long the connection took.
        "deadline": {"deadline": Deadline(0.2, clock=lambda: 0.0)},
        "no time left": {"deadline": Deadline(0)},
    }
    with scripted_server(answer, tls=Authority(tmp_path).server_context() if kind == "tls" else None) as server:
        url = {"dns": "http://no-such-host.invalid", "refused": refusing()}.get(kind, server.url)
        session = connect(url, read_timeout_s=0.05 if kind == "timeout" else 5)
        with pytest.raises(ApiError) as caught:
            call(
                session,
                method="POST",
                json={"a": "of-the-body"},
                idempotency_key="of-the-key",
                **deadlines.get(kind, {}),
            )
        assert len(server.received) == was_sent
    assert caught.value.was_sent is was_sent
    (line,) = lines()
    assert line.levelname == "WARNING"
    assert (line.outcome, line.cause) == (outcome, cause)
    assert line.getMessage().endswith(f" ms: {cause}")
    assert [secret for secret in SECRETS if secret in f"{line.getMessage()} {vars(line)}"] == []


def test_a_refresh_and_a_sign_out_are_lines_like_any_other(connect, lines):
    with answering(reply(b'{"accessToken": "of-the-answer", "refreshToken"')) as server:
        endpoint = BackendTokenEndpoint(connect(server.url))
        endpoint.submit(refresh="of-the-refresh", deadline=Deadline(5), request_id="r-2")
        endpoint.revoke(refresh="of-the-refresh", bearer="of-the-bearer", deadline=Deadline(5))
    refresh, sign_out = lines()
    assert (refresh.method, refresh.path, refresh.status, refresh.request_id) == ("POST", "/refresh", 200, "r-2")
    assert refresh.cause.startswith("JSONDecodeError: ")
    assert (sign_out.method, sign_out.path) == ("POST", "/auth/logout")
    assert [secret for secret in SECRETS if secret in f"{vars(refresh)} {vars(sign_out)}"] == []


def test_a_line_says_which_try_it_was(connect, lines):
    with answering(reply(status="503 Later")) as server, pytest.raises(ApiError):
        call(connect(server.url), attempt=Attempt(2, 3))
    assert ", try 2 of 3" in lines()[0].getMessage()
    assert (lines()[0].attempt, lines()[0].attempts) == (2, 3)


def test_calls_are_counted_by_what_they_came_to(connect):
    with answering(reply()) as server:
        session = connect(server.url, to="counted")
        call(session)
        call(session)
        call(session, endpoint="energy.get_clients")
    assert counted("portal_calls_total", to="counted", endpoint="counted", outcome="2xx") == 2
    assert counted("portal_calls_total", to="counted", endpoint="energy.get_clients", outcome="2xx") == 1
    assert counted("portal_call_duration_seconds_count", to="counted", endpoint="counted") == 2
    assert is_listed("portal_calls_total", to="counted", endpoint="counted", outcome="timeout")


def test_a_line_that_nobody_wants_is_not_made_and_still_counted(caplog):
    caplog.set_level("WARNING", logger="portal.api.calls")
    before = counted("portal_calls_total", to="backend", endpoint="backend", outcome="2xx")
    log_response(
        LoggedCall("backend", "GET", "/me", Attempt(), None),
        RawResponse(status=200, headers={}, content=b""),
        duration_ms=1.0,
    )
    assert caplog.records == []
    assert counted("portal_calls_total", to="backend", endpoint="backend", outcome="2xx") == before + 1


def test_each_try_of_a_query_is_a_line_of_its_own(connect, lines):
    with answering(reply(status="503 Later")) as server:
        session = connect(server.url)
        session.refresher = NoRefresher()
        caller = BackendCaller(
            api=session,
            tokens=TokenStore(TokenPair(access="of-the-bearer")),
            request_id="r-3",
            retries=Retries(sleep=lambda _: None),
        )
        with pytest.raises(ApiUnavailableError):
            caller.read(Address(path="/energy/clients", query={"q": "of-the-query"}))
    assert [(line.attempt, line.attempts, line.request_id) for line in lines()] == [
        (1, 3, "r-3"),
        (2, 3, "r-3"),
        (3, 3, "r-3"),
    ]


class NoRefresher:
    """Tokens that last."""

    def ensure_fresh(self, *_, **__) -> None:
        return None
