"""`ApiSession` is a `requests.Session`: what works on any session works on each call, also on refresh and sign-out."""

import gzip
import io
import json
import logging
import ssl
from collections.abc import Iterator

import pytest
import requests
import urllib3
from requests.adapters import BaseAdapter, HTTPAdapter
from requests.auth import AuthBase

from portal.api import session as session_module
from portal.api.session import ApiSession, api_session
from portal.api.tokens import TokenStore
from portal.config.limits import MAX_ANSWER_BYTES
from portal.errors import ApiMalformedError, ApiNotFoundError, ApiUnavailableError
from tests.portal.api.sessions import FRESH, NEW, PAIR, RENEWED, make_session, settle
from tests.support.authority import Authority
from tests.support.counts import counted
from tests.support.forks import in_child
from tests.support.http_server import Received, ScriptedServer, reply, scripted_server

#: What a call with a token that the backend refuses, and a sign-out after it, send; and what is answered.
EACH_CALL = [
    ("GET", "/me", f"Bearer {FRESH}"),
    ("POST", "/refresh", None),
    ("GET", "/me", f"Bearer {RENEWED}"),
    ("POST", "/auth/logout", f"Bearer {RENEWED}"),
]
ANSWERS = [(401, {}), (200, NEW), (200, {"id": "1"}), (200, {"id": "1"})]


def rotating(request: Received, out) -> None:
    """Answers as a backend that refuses the first token and gives another one for it."""
    if request.line.startswith("POST /refresh"):
        out.sendall(reply(json.dumps(NEW).encode()))
    elif request.headers.get("authorization") == f"Bearer {FRESH}":
        out.sendall(reply(status="401 Unauthorized"))
    else:
        out.sendall(reply(b'{"id": "1"}'))


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with scripted_server(rotating) as made:
        yield made


@pytest.fixture
def session(embedded_store, server: ScriptedServer) -> Iterator[ApiSession]:
    made = make_session(server.url)
    yield made
    made.close()


def make_each_call(session: ApiSession) -> None:
    tokens = TokenStore(PAIR)
    assert session.call(tokens=tokens, method="GET", path="/me").data == {"id": "1"}
    session.refresher.sign_out(tokens, verified=True)
    settle(session)


def seen(request: requests.PreparedRequest) -> tuple[str | None, str, str | None]:
    return request.method, request.path_url, request.headers.get("Authorization")


class Signature(AuthBase):
    """Signs each request, as a gateway may ask for."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["X-Signature"] = f"of {request.method} {request.path_url}"
        return request


def test_hooks_auth_headers_and_what_patches_send_see_each_call(
    session: ApiSession, server: ScriptedServer, monkeypatch
) -> None:
    hooked, patched, send = [], [], requests.Session.send

    def instrumented(self: requests.Session, request: requests.PreparedRequest, **kwargs) -> requests.Response:
        request.headers["traceparent"] = "00-of-the-instrumentation-01"
        patched.append(seen(request))
        return send(self, request, **kwargs)

    monkeypatch.setattr(requests.Session, "send", instrumented)
    session.hooks["response"] += [
        lambda response, **_: hooked.append((*seen(response.request), response.status_code, response.json())),
        lambda response, **_: response.raise_for_status(),
    ]
    session.auth = Signature()
    session.headers.update({"X-Tenant": "acme", "Accept": None})
    make_each_call(session)
    assert hooked == [(*call, *answer) for call, answer in zip(EACH_CALL, ANSWERS, strict=True)]
    assert patched == EACH_CALL
    sent = [request.headers for request in server.received]
    assert [each["x-signature"] for each in sent] == [f"of {method} {path}" for method, path, _ in EACH_CALL]
    assert [each.get("authorization") for each in sent] == [bearer for _, _, bearer in EACH_CALL]
    assert {(each["traceparent"], each["x-tenant"], each.get("accept")) for each in sent} == {
        ("00-of-the-instrumentation-01", "acme", None)
    }
    with scripted_server(lambda _, out: out.sendall(reply(b'{"detail": "None"}', status="404 None"))) as other:
        monkeypatch.setattr(session, "base_url", other.url)
        with pytest.raises(ApiNotFoundError, match="None"):
            session.call(tokens=TokenStore(PAIR), method="GET", path="/me")


class Recorded(BaseAdapter):
    """Answers from memory, as an adapter of betamax or requests-mock does."""

    def send(self, request, *_, timeout, stream, verify, cert, proxies) -> requests.Response:
        response = requests.Response()
        response.raw = urllib3.HTTPResponse(io.BytesIO(b"{}"), preload_content=False)
        response.status_code, response.request, response.url = 200, request, request.url
        return response

    def close(self) -> None:
        """Nothing is open."""


class OwnTls(HTTPAdapter):
    """Trusts an authority by a TLS context of its own, as who has a client certificate does."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.context = context
        super().__init__(pool_maxsize=3)

    def init_poolmanager(self, *args, **kwargs) -> None:
        super().init_poolmanager(*args, **kwargs, ssl_context=self.context)


def test_child_keeps_the_setup_with_connections_of_its_own(monkeypatch, tmp_path) -> None:
    """A server with several workers imports the project's code, and what it sets up, before it forks them."""
    authority = Authority(tmp_path)
    answer = reply(b'"trusted"')
    with scripted_server(lambda _, out: out.sendall(answer), tls=authority.server_context()) as server:
        monkeypatch.setattr(session_module._process, "_made", None)
        ours = api_session()
        ours.auth, ours.headers["X-Tenant"] = Signature(), "acme"
        ours.hooks["response"].append(lambda response, **_: setattr(response, "reason", "seen by the hook"))
        ours.mount(server.url, OwnTls(ssl.create_default_context(cafile=str(authority.file))))
        ours.mount(f"{server.url}/recorded", Recorded())
        assert ours.get(f"{server.url}/parent").json() == "trusted"

        def use() -> tuple[int, list[str]]:
            reasons = [api_session().get(f"{server.url}/{path}").reason for path in ("child", "recorded")]
            return api_session().get_adapter(server.url)._pool_maxsize, reasons

        assert in_child(use) == (3, ["seen by the hook"] * 2)
    assert [(request.connection, request.headers["x-signature"]) for request in server.received] == [
        (1, "of GET /parent"),
        (2, "of GET /child"),
    ]
    assert server.received[1].headers["x-tenant"] == "acme"


# --- a plain call of the session ---


def test_a_plain_call_is_one_line_and_one_count_and_carries_no_bearer(
    session: ApiSession, server: ScriptedServer, caplog
) -> None:
    caplog.set_level(logging.INFO, logger="portal.api.calls")
    before = counted("portal_calls_total", to="backend", endpoint="backend", outcome="2xx")
    session.call(tokens=TokenStore(PAIR), method="GET", path="/me", bearer="b")
    assert session.get(f"{server.url}/plain", params={"q": "private"}).json() == {"id": "1"}
    assert "authorization" not in server.received[1].headers
    assert [record.path for record in caplog.records if record.name == "portal.api.calls"] == ["/me", "/plain"]
    assert "private" not in caplog.text
    assert counted("portal_calls_total", to="backend", endpoint="backend", outcome="2xx") == before + 2
    with pytest.raises(requests.exceptions.MissingSchema):
        session.get("/me")
    assert len(server.received) == 2


# --- limits hold before a hook sees the answer ---


@pytest.mark.parametrize("packed", [False, True], ids=["as it is", "packed"])
def test_no_hook_reads_more_than_the_limit(session: ApiSession, packed: bool) -> None:
    body = b"x" * (MAX_ANSWER_BYTES + 1)
    answer = reply(gzip.compress(body), headers="Content-Encoding: gzip\r\n") if packed else reply(body)
    found = []
    session.hooks["response"].append(lambda response, **_: found.append(response.content))
    with scripted_server(lambda _, out: out.sendall(answer)) as large, pytest.raises(ApiMalformedError, match="larger"):
        session.get(f"{large.url}/x")
    assert found == []


def test_a_hook_may_give_another_answer(session: ApiSession, server: ScriptedServer) -> None:
    """As that of HTTP digest authentication does, which sends the request once more."""

    def again(response: requests.Response, **kwargs) -> requests.Response:
        return response.connection.send(response.request.copy(), **kwargs)

    with session.get(f"{server.url}/plain", hooks={"response": again}) as response:
        assert response.json() == {"id": "1"}
    assert len(server.received) == 2


def test_an_answer_that_breaks_off_tells_its_status_with_a_hook_too(session: ApiSession) -> None:
    session.hooks["response"].append(lambda response, **_: response.json())

    def broken(_, out) -> None:
        out.sendall(reply(b"x" * 100, status="403 No")[:-50])
        out.shutdown(2)

    with scripted_server(broken) as backend, pytest.raises(ApiUnavailableError) as caught:
        session.get(f"{backend.url}/x")
    assert caught.value.begun == 403
