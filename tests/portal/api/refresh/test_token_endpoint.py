"""`POST /refresh` on a real socket: one attempt, on a connection of its own, and what came of it."""

import contextlib
import json
import socket
import threading
from dataclasses import replace

import pytest
from django.conf import settings

from portal.api import Backend, BackendProblem, FormBody
from portal.api.refresh.sealing import idempotency_key, revocation_key
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
from tests.support.offers import offered

GRANT = reply(json.dumps({"accessToken": "a2", "refreshToken": "r2"}).encode())
NEW = TokensIssued(pair=TokenPair(access="a2", refresh="r2"))


@contextlib.contextmanager
def endpoint(answer, *, read_timeout_s: float = 5):
    """The endpoint of a server that answers so, and the server.

    :param answer: bytes, or what writes some.
    """
    write = answer if callable(answer) else lambda _, out: out.sendall(answer)
    with scripted_server(write) as server:
        transport = Transport(base_url=server.url, connect_timeout_s=1, read_timeout_s=read_timeout_s)
        yield BackendTokenEndpoint(transport), server
        transport.close()


def submit(answer):
    """What one submission comes to, and its only request."""
    with endpoint(answer) as (asked, server):
        outcome = asked.submit(refresh="r1", deadline=Deadline(10), request_id="id")
    (request,) = server.received
    return outcome, request


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


class NoKeys(Backend):
    idempotency_header = ""


@pytest.mark.parametrize(
    ("backend", "honours", "seconds"),
    [(Backend(), True, 120.0), (Backend(), False, 0), (NoKeys(), True, 0), (OAuth(), True, 60.0)],
)
def test_it_may_be_repeated_only_where_the_backend_is_said_to_honour_the_key(backend, honours, seconds):
    session = make_session(replace(settings.PORTAL, backend=backend, honours_idempotency_key=honours))
    assert session.honours_idempotency_key is bool(seconds)
    assert session.refresher._token_endpoint.repeatable_s == seconds


class TestAnotherShape:
    @pytest.fixture(autouse=True)
    def oauth(self, settings):
        settings.PORTAL = replace(settings.PORTAL, backend=OAuth(), honours_idempotency_key=True)

    @pytest.mark.parametrize(("named", "refresh"), [({"refresh_token": "r2"}, "r2"), ({}, "r1")])
    def test_a_refresh_is_encoded_and_read_by_the_class_and_keeps_a_token_that_is_not_rotated(self, named, refresh):
        outcome, request = submit(reply(json.dumps({"access_token": "a2", **named}).encode()))
        assert outcome == TokensIssued(pair=TokenPair(access="a2", refresh=refresh))
        assert request.line == "POST /oauth/token HTTP/1.1"
        assert request.body == b"grant_type=refresh_token&refresh_token=r1"
        assert request.headers["content-type"] == "application/x-www-form-urlencoded"
        assert (request.headers["x-once"], request.headers["x-trace"]) == (idempotency_key("r1"), "id")
        assert "idempotency-key" not in request.headers

    @pytest.mark.parametrize(
        ("error", "outcome"),
        [
            ("invalid_grant", InvalidGrant(reason="status 400")),
            ("invalid_client", NoResponse(reason="status 503", lost=False)),
        ],
    )
    def test_the_class_says_which_refusal_is_about_the_token(self, error, outcome):
        assert submit(reply(json.dumps({"error": error}).encode(), status="400 Bad Request"))[0] == outcome

    def test_an_answer_that_it_can_t_read_is_no_verdict_and_told_and_without_a_path_no_sign_out_is_sent(self, caplog):
        with endpoint(GRANT) as (asked, server):
            outcome = asked.submit(refresh="r1", deadline=Deadline(10), request_id=None)
            asked.revoke(refresh="r1", bearer="a1", deadline=Deadline(10))
        assert len(server.received) == 1
        assert outcome == NoResponse(reason="JSON without tokens", lost=False)
        assert "OAuth.read_tokens raised KeyError (test_token_endpoint.py, line " in caplog.text


# --- a sign-out ---


@pytest.mark.parametrize(("bearer", "header"), [("a1", "Bearer a1"), (None, None)])
def test_a_sign_out_is_a_call_like_any_other(bearer: str | None, header: str | None):
    with endpoint(reply(status="204 No Content")) as (asked, server):
        asked.revoke(refresh="r1", bearer=bearer, deadline=Deadline(10))
    (request,) = server.received
    assert request.line == "POST /auth/logout HTTP/1.1"
    assert json.loads(request.body) == {"refreshToken": "r1"}
    assert request.headers.get("authorization") == header
    assert request.headers["idempotency-key"] == revocation_key("r1")


@pytest.mark.parametrize(("names", "calls"), [("all", 2), ("contract", 2), ("required", 0)])
def test_sign_out_is_sent_where_it_is_offered(names: str, calls: int, caplog):
    with endpoint(reply(status="404 Not Found")) as (asked, server), offered(names):
        for refresh in ("r1", "r2"):
            asked.revoke(refresh=refresh, bearer="a1", deadline=Deadline(10))
        assert len(server.received) == calls
    assert caplog.text.count("refused to be told (status 404)") == calls


# --- the call, and what came of it ---


def test_a_grant_gives_the_new_pair_over_no_kept_connection_which_might_break_at_this_very_moment():
    with endpoint(GRANT) as (asked, server):
        for _ in range(2):
            asked._transport.exchange(method="GET", target="/me", bearer="a", deadline=Deadline(10))
            assert asked.submit(refresh="r1", deadline=Deadline(10), request_id="id") == NEW
    assert [request.connection for request in server.received] == [1, 2, 2, 3]
    request = server.received[1]
    assert request.line == "POST /refresh HTTP/1.1"
    assert json.loads(request.body) == {"refreshToken": "r1"}
    assert "authorization" not in request.headers
    assert (request.headers["idempotency-key"], request.headers["x-request-id"]) == (idempotency_key("r1"), "id")


def test_a_backend_that_was_not_reached_has_not_taken_the_token():
    transport = Transport(base_url="http://127.0.0.1:1", connect_timeout_s=1, read_timeout_s=5)
    outcome = BackendTokenEndpoint(transport).submit(refresh="r1", deadline=Deadline(10), request_id="id")
    assert outcome == NoResponse(reason="ApiUnavailableError", lost=False)


def cut(content: bytes):
    """What breaks off after these bytes."""

    def answer(_: Received, out: socket.socket) -> None:
        out.sendall(content)
        out.shutdown(socket.SHUT_RDWR)

    return answer


TOO_LARGE = b"x" * (MAX_ANSWER_BYTES + 1)


@pytest.mark.parametrize("answer", [cut(b""), cut(GRANT[:-10]), reply(TOO_LARGE)], ids=["before", "within", "large"])
def test_an_answer_that_breaks_off_or_is_too_large_is_lost_and_nothing_is_repeated(answer):
    assert submit(answer)[0].lost is True


@pytest.mark.parametrize(("read_timeout_s", "seconds"), [(0.05, 10), (5, 0.05)], ids=["silence", "deadline"])
def test_an_answer_that_does_not_come_in_time_is_lost(read_timeout_s, seconds):
    over = threading.Event()
    with endpoint(lambda *_: over.wait(30), read_timeout_s=read_timeout_s) as (asked, server):
        outcome = asked.submit(refresh="r1", deadline=Deadline(seconds), request_id="id")
        over.set()
    assert outcome == NoResponse(reason="ApiTimeoutError", lost=True)
    assert len(server.received) == 1


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("503 Unavailable", NoResponse(reason="status 503", lost=False)),
        ("429 Too Many", NoResponse(reason="status 429", lost=False)),
        ("401 Unauthorized", InvalidGrant(reason="status 401")),
    ],
)
def test_where_the_status_alone_decides_the_rest_may_be_missing(status, expected):
    for answer in (reply(status=status), cut(reply(b"x" * 100, status=status)[:-10]), reply(TOO_LARGE, status=status)):
        assert submit(answer)[0] == expected


@pytest.mark.parametrize("status", [302, 404, 405, 408, 409, 425, 429, 500, 501, 502, 503, 504])
def test_any_other_status_is_no_verdict(status):
    response = RawResponse(status=status, headers={}, content=b"<html>Sign in to this network</html>")
    assert read_token_response(response, submitted="r1") == NoResponse(reason=f"status {status}", lost=False)


# --- an answer that can't be read ---

LOST = NoResponse(reason="JSON that can't be read", lost=True)
NOT_THE_BACKEND = NoResponse(reason="no JSON", lost=False)
NO_TOKENS = NoResponse(reason="JSON without tokens", lost=False)
#: RFC 6749, section 6.
OLD = TokensIssued(pair=TokenPair(access="a2", refresh="r1"))
DAMAGED = (
    b'{"accessToken": "a2", "refr',
    b'{"accessToken": "\xff\xfe", "refreshToken": "r2"}',
    b'{"accessToken": ' + b"[" * 200_000,
)


@pytest.mark.parametrize(
    ("kind", "content", "outcome"),
    [
        # The backend's own: the token is spent in all likelihood, and submitted again it would pass for theft.
        *(
            (kind, content, LOST)
            for content in DAMAGED
            for kind in ("application/json", "application/vnd.tokens+json; charset=utf-8", "", "text/plain")
        ),
        *(("Application/JSON", content, LOST) for content in (b"", b"  ", b"tokens")),
        # A page is not the backend's.
        ("text/html", b"<!doctype html><title>Back soon</title>", NOT_THE_BACKEND),
        ("application/json", b"\r\n <html>a proxy that sets the type of everything</html>", NOT_THE_BACKEND),
        ("text/plain", b"We are back soon.", NOT_THE_BACKEND),
        ("", b"", NOT_THE_BACKEND),
        # No verdict, and nothing was lost on the way.
        *(("application/json", body, NO_TOKENS) for body in (b"{}", b"[]", b"null", b'{"refreshToken": "r2"}')),
        *(
            ("application/json", body, OLD)
            for body in (b'{"accessToken": "a2"}', b'{"accessToken": "a2", "refreshToken": ""}')
        ),
        ("application/json", b'{"accessToken": 1, "refreshToken": 2}', NO_TOKENS),
    ],
)
def test_success_without_tokens_is_lost_if_damaged(kind, content, outcome, caplog):
    response = RawResponse(status=200, headers={"Content-Type": kind}, content=content)
    assert read_token_response(response, submitted="r1") == outcome
    assert ("rotates_refresh_tokens" in caplog.text) is (outcome is OLD)


@pytest.mark.parametrize("tokens", [("a\r\nb", "r2"), ("a2", "r;2"), ("a b", "r2"), ("x" * 5000, "r2"), ("ä", "r2")])
def test_tokens_that_nothing_can_carry_are_none_and_the_operator_is_told(tokens, caplog):
    access, refresh = tokens
    content = json.dumps({"accessToken": access, "refreshToken": refresh}).encode()
    outcome = read_token_response(RawResponse(status=200, headers={}, content=content), submitted="r1")
    assert outcome == InvalidGrant(reason="JSON without usable tokens")
    (record,) = caplog.records
    assert (record.levelname, "VAR_" in record.message) == ("ERROR", True)
    assert access not in record.message
    assert refresh not in record.message
