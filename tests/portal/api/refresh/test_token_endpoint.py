"""`POST /refresh` on a real socket: one attempt, on a connection of its own, and what came of it."""

from __future__ import annotations

import json
import socket
import threading
import time
from dataclasses import replace

import pytest
from django.conf import settings

from portal.api import Backend, BackendProblem, FormBody
from portal.api.refresh.sealing import idempotency_key
from portal.api.refresh.token_endpoint import (
    BackendTokenEndpoint,
    InvalidGrant,
    NoResponse,
    TokensIssued,
    read_token_response,
)
from portal.api.session import make_session
from portal.api.tokens import TokenPair
from portal.api.transport import RawResponse, Transport
from portal.config.limits import MAX_ANSWER_BYTES
from portal.process.deadline import Deadline
from tests.support.http_server import Received, reply, scripted_server

GRANT = reply(json.dumps({"accessToken": "a2", "refreshToken": "r2"}).encode())


def submit(url: str, *, seconds: float = 10, read_timeout_s: float = 5):
    transport = Transport(base_url=url, connect_timeout_s=1, read_timeout_s=read_timeout_s)
    try:
        return BackendTokenEndpoint(transport).submit(refresh="r1", deadline=Deadline(seconds), request_id="id")
    finally:
        transport.close()


def test_a_grant_gives_the_new_pair_and_the_request_is_the_contracts():
    with scripted_server(lambda _, out: out.sendall(GRANT)) as server:
        assert submit(server.url) == TokensIssued(pair=TokenPair(access="a2", refresh="r2"))
    (request,) = server.received
    assert request.line == "POST /refresh HTTP/1.1"
    assert json.loads(request.body) == {"refreshToken": "r1"}
    assert "authorization" not in request.headers
    assert request.headers["idempotency-key"] == idempotency_key("r1")
    assert request.headers["x-request-id"] == "id"


@pytest.mark.parametrize(("honours", "seconds"), [(True, 120.0), (False, 0)])
def test_it_may_be_repeated_only_where_the_backend_is_said_to_honour_the_key(honours, seconds):
    session = make_session(replace(settings.PORTAL, honours_idempotency_key=honours))
    assert session.honours_idempotency_key is honours
    assert session.refresher._token_endpoint.repeatable_s == seconds


def test_without_a_header_for_the_key_nothing_may_be_repeated():
    class NoKeys(Backend):
        idempotency_header = ""

    session = make_session(replace(settings.PORTAL, backend=NoKeys(), honours_idempotency_key=True))
    assert session.honours_idempotency_key is False
    assert session.refresher._token_endpoint.repeatable_s == 0


class OAuth(Backend):
    """A token endpoint as of RFC 6749, with names of its own around it."""

    refresh_path = "/oauth/token"
    sign_out_path = ""
    idempotency_header = "X-Once"
    request_id_header = "X-Trace"
    idempotency_window_s = 60.0
    rotates_refresh_tokens = False

    def build_refresh(self, *, refresh_token: str) -> FormBody:
        return FormBody(grant_type="refresh_token", refresh_token=refresh_token)

    def read_tokens(self, body):
        return {"accessToken": body["access_token"], "refreshToken": body.get("refresh_token")}

    def read_error(self, status, body):
        return BackendProblem(status=503 if body["error"] == "invalid_client" else status)


@pytest.fixture
def oauth(settings):
    settings.PORTAL = replace(settings.PORTAL, backend=OAuth(), honours_idempotency_key=True)


@pytest.mark.usefixtures("oauth")
class TestAnotherShape:
    def test_a_refresh_is_encoded_and_read_by_the_class(self):
        answer = reply(json.dumps({"access_token": "a2", "refresh_token": "r2"}).encode())
        with scripted_server(lambda _, out: out.sendall(answer)) as server:
            assert submit(server.url) == TokensIssued(pair=TokenPair(access="a2", refresh="r2"))
        (request,) = server.received
        assert request.line == "POST /oauth/token HTTP/1.1"
        assert request.body == b"grant_type=refresh_token&refresh_token=r1"
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert request.headers["x-once"] == idempotency_key("r1")
        assert request.headers["x-trace"] == "id"
        assert "idempotency-key" not in request.headers

    def test_a_refresh_token_that_is_not_rotated_stays(self):
        answer = reply(json.dumps({"access_token": "a2"}).encode())
        with scripted_server(lambda _, out: out.sendall(answer)) as server:
            assert submit(server.url) == TokensIssued(pair=TokenPair(access="a2", refresh="r1"))

    def test_the_class_says_which_refusal_is_about_the_token(self):
        def refused(error: str):
            answer = reply(json.dumps({"error": error}).encode(), status="400 Bad Request")
            with scripted_server(lambda _, out: out.sendall(answer)) as server:
                return submit(server.url)

        assert refused("invalid_grant") == InvalidGrant(reason="status 400")
        assert refused("invalid_client") == NoResponse(reason="status 503", lost=False)

    def test_an_answer_that_it_can_t_read_is_no_verdict_and_told(self, caplog):
        with scripted_server(lambda _, out: out.sendall(GRANT)) as server:
            assert submit(server.url) == NoResponse(reason="JSON without tokens", lost=False)
        assert "OAuth.read_tokens raised KeyError (test_token_endpoint.py, line " in caplog.text

    def test_the_window_of_its_keys_is_its_own(self):
        assert make_session(settings.PORTAL).refresher._token_endpoint.repeatable_s == 60.0

    def test_without_a_path_no_sign_out_is_sent(self):
        with scripted_server(lambda _, out: out.sendall(reply())) as server:
            transport = Transport(base_url=server.url, connect_timeout_s=1, read_timeout_s=5)
            BackendTokenEndpoint(transport).revoke(refresh="r1", bearer="a1", deadline=Deadline(10))
            transport.close()
        assert server.received == []


@pytest.mark.parametrize(("bearer", "header"), [("a1", "Bearer a1"), (None, None)])
def test_a_sign_out_is_a_call_like_any_other(bearer: str | None, header: str | None):
    with scripted_server(lambda _, out: out.sendall(reply(status="204 No Content"))) as server:
        transport = Transport(base_url=server.url, connect_timeout_s=1, read_timeout_s=5)
        BackendTokenEndpoint(transport).revoke(refresh="r1", bearer=bearer, deadline=Deadline(10))
        transport.close()
    (request,) = server.received
    assert request.line == "POST /auth/logout HTTP/1.1"
    assert json.loads(request.body) == {"refreshToken": "r1"}
    assert request.headers.get("authorization") == header
    assert request.headers["idempotency-key"] not in {"", idempotency_key("r1")}


def test_a_backend_that_refuses_a_sign_out_is_a_line_in_the_log(caplog):
    with scripted_server(lambda _, out: out.sendall(reply(status="401 Unauthorized"))) as server:
        transport = Transport(base_url=server.url, connect_timeout_s=1, read_timeout_s=5)
        BackendTokenEndpoint(transport).revoke(refresh="r1", bearer="a1", deadline=Deadline(10))
        transport.close()
    assert "refused to be told (status 401)" in caplog.text


@pytest.mark.parametrize(
    ("status", "calls"),
    [("404 Not Found", 1), ("405 Method Not Allowed", 1), ("501 Not Implemented", 1), ("401 Unauthorized", 2)],
)
def test_a_sign_out_that_the_backend_does_not_have_is_sent_once(status: str, calls: int):
    with scripted_server(lambda _, out: out.sendall(reply(status=status))) as server:
        transport = Transport(base_url=server.url, connect_timeout_s=1, read_timeout_s=5)
        endpoint = BackendTokenEndpoint(transport)
        for refresh in ("r1", "r2"):
            endpoint.revoke(refresh=refresh, bearer="a1", deadline=Deadline(10))
        transport.close()
    assert len(server.received) == calls


def test_a_sign_out_that_the_backend_did_not_have_is_tried_again_ten_minutes_later(monkeypatch):
    with scripted_server(lambda _, out: out.sendall(reply(status="404 Not Found"))) as server:
        transport = Transport(base_url=server.url, connect_timeout_s=1, read_timeout_s=5)
        endpoint = BackendTokenEndpoint(transport)
        endpoint.revoke(refresh="r1", bearer="a1", deadline=Deadline(10))
        now = time.monotonic()
        monkeypatch.setattr("portal.api.refresh.token_endpoint.time.monotonic", lambda: now + 10 * 60 + 1)
        endpoint.revoke(refresh="r2", bearer="a1", deadline=Deadline(3600))
        transport.close()
    assert len(server.received) == 2


def test_it_uses_no_kept_connection_which_might_break_at_this_very_moment():
    with scripted_server(lambda _, out: out.sendall(GRANT)) as server:
        transport = Transport(base_url=server.url, connect_timeout_s=1, read_timeout_s=5)
        for _ in range(2):
            transport.exchange(method="GET", target="/me", headers={}, body=None, bearer="a", deadline=Deadline(10))
            BackendTokenEndpoint(transport).submit(refresh="r1", deadline=Deadline(10), request_id=None)
        transport.close()
    assert [request.connection for request in server.received] == [1, 2, 2, 3]


def test_a_refusal_is_an_answer():
    with scripted_server(lambda _, out: out.sendall(reply(status="401 Unauthorized"))) as server:
        assert submit(server.url) == InvalidGrant(reason="status 401")


def test_a_503_is_no_answer_and_nothing_is_lost():
    with scripted_server(lambda _, out: out.sendall(reply(status="503 Unavailable"))) as server:
        assert submit(server.url) == NoResponse(reason="status 503", lost=False)
    assert len(server.received) == 1


def test_a_backend_that_was_not_reached_has_not_taken_the_token():
    outcome = submit("http://127.0.0.1:1")
    assert isinstance(outcome, NoResponse)
    assert not outcome.lost


def _break_before_the_answer(_: Received, out: socket.socket) -> None:
    out.shutdown(socket.SHUT_RDWR)


def _break_within_the_answer(_: Received, out: socket.socket) -> None:
    out.sendall(GRANT[:-10])
    out.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize("answer", [_break_before_the_answer, _break_within_the_answer])
def test_an_answer_that_breaks_off_is_lost_and_nothing_is_repeated(answer):
    with scripted_server(answer) as server:
        outcome = submit(server.url)
    assert isinstance(outcome, NoResponse)
    assert outcome.lost
    assert len(server.received) == 1


@pytest.mark.parametrize("limits", [{"read_timeout_s": 0.05}, {"seconds": 0.05}], ids=["silence", "deadline"])
def test_an_answer_that_does_not_come_in_time_is_lost(limits):
    over = threading.Event()
    with scripted_server(lambda *_: over.wait(30)) as server:
        outcome = submit(server.url, **limits)
        over.set()
    assert isinstance(outcome, NoResponse)
    assert outcome.lost
    assert len(server.received) == 1


# --- an answer that can't be read ---

TOO_DEEP = b'{"accessToken": ' + b"[" * 200_000
UNREADABLE = {
    "cut short": b'{"accessToken": "a2", "refr',
    "broken encoding": b'{"accessToken": "\xff\xfe", "refreshToken": "r2"}',
    "too deep": TOO_DEEP,
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
@pytest.mark.parametrize("kind", ["application/json", "application/vnd.tokens+json; charset=utf-8", "", "text/plain"])
def test_the_backends_own_json_that_cannot_be_read_is_a_lost_answer(content, kind):
    """The token is spent in all likelihood: submitted again it would pass for theft."""
    outcome = read_token_response(RawResponse(status=200, headers={"Content-Type": kind}, content=content))
    assert outcome == NoResponse(reason="JSON that can't be read", lost=True)


@pytest.mark.parametrize("content", [b"", b"  ", b"tokens"])
def test_what_calls_itself_json_and_is_none_is_a_lost_answer_as_well(content):
    outcome = read_token_response(
        RawResponse(status=200, headers={"Content-Type": "Application/JSON"}, content=content)
    )
    assert outcome == NoResponse(reason="JSON that can't be read", lost=True)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("text/html", b"<!doctype html><title>Back soon</title>"),
        ("application/json", b"\r\n <html>a proxy that sets the type of everything</html>"),
        ("text/plain", b"We are back soon."),
        ("", b""),
    ],
)
def test_a_page_is_not_the_backend_and_the_token_may_be_submitted_again(kind, content):
    outcome = read_token_response(RawResponse(status=200, headers={"Content-Type": kind}, content=content))
    assert outcome == NoResponse(reason="no JSON", lost=False)


def test_an_answer_that_is_larger_than_is_read_is_lost():
    with scripted_server(lambda _, out: out.sendall(reply(b" " * MAX_ANSWER_BYTES + b"{}"))) as server:
        outcome = submit(server.url)
    assert isinstance(outcome, NoResponse)
    assert outcome.lost


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("503 Unavailable", NoResponse(reason="status 503", lost=False)),
        ("429 Too Many", NoResponse(reason="status 429", lost=False)),
        ("401 Unauthorized", InvalidGrant(reason="status 401")),
    ],
)
def test_where_the_status_alone_decides_the_rest_may_be_missing(status, expected):
    def cut(_: Received, out: socket.socket) -> None:
        out.sendall(reply(b"x" * 100, status=status)[:-10])
        out.shutdown(socket.SHUT_RDWR)

    too_large = reply(b"x" * (MAX_ANSWER_BYTES + 1), status=status)
    for answer in (cut, lambda _, out: out.sendall(too_large)):
        with scripted_server(answer) as server:
            assert submit(server.url) == expected


# --- tokens that can't be kept ---


@pytest.mark.parametrize("tokens", [("a\r\nb", "r2"), ("a2", "r;2"), ("a b", "r2"), ("x" * 5000, "r2"), ("ä", "r2")])
def test_tokens_that_nothing_can_carry_are_none_and_the_operator_is_told(tokens, caplog):
    access, refresh = tokens
    content = json.dumps({"accessToken": access, "refreshToken": refresh}).encode()
    outcome = read_token_response(RawResponse(status=200, headers={}, content=content))
    assert outcome == InvalidGrant(reason="JSON without usable tokens")
    (record,) = caplog.records
    assert (record.levelname, "VAR_" in record.message) == ("ERROR", True)
    assert access not in record.message
    assert refresh not in record.message
