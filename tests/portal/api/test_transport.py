"""One exchange on a real socket: bounded in time and size, and nothing of it is remembered."""

import gzip
import io
import socket
import ssl
import struct
import threading
import time

import pytest

from portal.api.call_log import describe_cause
from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.config.limits import MAX_ANSWER_BYTES
from portal.errors import ApiMalformedError, ApiTimeoutError, ApiUnavailableError
from portal.process import Slots
from portal.process.deadline import Deadline
from tests.portal.api.sessions import send
from tests.support.forks import at_once
from tests.support.http_server import reply, scripted_server


def test_connections_are_kept_and_shared_by_threads(connect):
    packed = reply(gzip.compress(b'{"a": 1}'), headers="Content-Encoding: gzip\r\nX-One: two\r\n")
    with scripted_server(lambda _, out: out.sendall(packed)) as server:
        transport = connect(server.url)
        for _ in range(20):
            answer = send(transport)
        assert (answer.status, answer.content, answer.headers["x-one"]) == (200, b'{"a": 1}', "two")
        assert server.connections == 1
        at_once(20, lambda _: send(transport))
        assert len(server.received) == 40


def test_call_holds_no_slot_while_it_waits(connect):
    slots = Slots(1, per_endpoint=1)

    def answer(_, out):
        with slots.hold(wait_s=0):
            out.sendall(reply())

    with scripted_server(answer) as server, slots.hold(wait_s=0):
        assert send(connect(server.url)).status == 200


def test_two_users_on_one_worker_share_nothing_that_the_backend_sets(connect):
    cookies = f"Set-Cookie: sid=of-the-first-user; Path=/\r\nSet-Cookie: {VAR_ACCESS_TOKEN}=x; Path=/\r\n"
    with scripted_server(lambda _, out: out.sendall(reply(headers=cookies))) as server:
        transport = connect(server.url)
        for token in ("ada", "bob", None):
            send(transport, token=token)
        for _ in range(2):
            transport.get(f"{server.url}/plain")
        assert [*transport.cookies] == []
    sent = [request.headers.get("authorization") for request in server.received]
    assert sent == ["Bearer ada", "Bearer bob", None, None, None]
    assert all("cookie" not in request.headers for request in server.received)


def test_a_netrc_and_proxies_of_the_machine_are_ignored(connect, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password secret\ndefault login d password d\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with scripted_server(lambda _, out: out.sendall(reply())) as server:
        transport = connect(server.url)
        send(transport, token="ada")
        send(transport, token=None)
    assert [request.headers.get("authorization") for request in server.received] == ["Bearer ada", None]


@pytest.mark.parametrize("location", ["http://127.0.0.1:1/", "http://[", "\xff"])
def test_redirects_are_not_followed(connect, location):
    """Also not one to a damaged address, and also not by a plain call."""
    answer = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + location.encode("latin-1") + b"\r\n\r\n"
    with scripted_server(lambda _, out: out.sendall(answer)) as server:
        transport = connect(server.url)
        assert send(transport).status == transport.get(f"{server.url}/x").status_code == 302
        assert len(server.received) == 2


@pytest.mark.parametrize(
    "beginning",
    [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n["],
    ids=["status", "headers", "body"],
)
def test_a_trickling_answer_ends_at_the_deadline_however_it_trickles(connect, monkeypatch, beginning):
    def answer(_, out: socket.socket) -> None:
        out.sendall(beginning)
        while True:
            out.sendall(b" ")
            time.sleep(0.02)

    # The read timeout, which each single byte renews, would never end it.
    monkeypatch.setattr("portal.api.transport.REQUEST_BUDGET_S", 0.3)
    with scripted_server(answer) as server:
        transport = connect(server.url)
        with pytest.raises(ApiTimeoutError):
            send(transport, seconds=0.3)
        with pytest.raises(ApiTimeoutError):
            transport.get(f"{server.url}/plain")


def test_a_connection_that_comes_after_the_deadline_is_not_used(connect, monkeypatch):
    """A slow name server must not let a refresh go out after its lock has ended."""
    look_up = socket.getaddrinfo

    def slow(*args, **kwargs):
        time.sleep(0.3)
        return look_up(*args, **kwargs)

    with scripted_server(lambda _, out: out.sendall(reply())) as server:
        monkeypatch.setattr("socket.getaddrinfo", slow)
        with pytest.raises(ApiTimeoutError) as caught:
            send(connect(server.url), seconds=0.1, new_connection=True)
        monkeypatch.undo()
        send(connect(server.url))
        assert len(server.received) == 1
    assert not caught.value.was_sent


class Trickle(io.BytesIO):
    """An upload that the backend reads slowly: without a deadline it would take four seconds and succeed."""

    began: float | None = None

    def read(self, size: int | None = -1) -> bytes:
        self.began = self.began or time.monotonic()
        time.sleep(0.02)
        return super().read(min(100, size or 100))

    def clock(self) -> float:
        """Stands still until the upload begins, however long the connection took."""
        return 0.0 if self.began is None else time.monotonic() - self.began


def test_an_upload_that_the_backend_reads_slowly_ends_at_the_deadline(connect):
    body = Trickle(b"x" * 20_000)
    deadline, headers = Deadline(0.3, clock=body.clock), {"Content-Length": "20000"}
    with scripted_server(lambda _, out: out.sendall(reply())) as server, pytest.raises(ApiUnavailableError) as caught:
        send(connect(server.url), method="POST", body=body, headers=headers, deadline=deadline)
    assert caught.value.was_sent


@pytest.mark.parametrize(
    ("moment", "was_sent"),
    [("portal.api.connections._Response.begin", True), ("urllib3.connection.HTTPConnection.connect", False)],
)
def test_a_tls_fault_may_have_been_sent_unless_it_was_the_handshakes(connect, monkeypatch, moment, was_sent):
    """A refresh token that may have been taken must not be submitted again."""

    def broken(*_):
        raise ssl.SSLError(1, "bad record mac")

    monkeypatch.setattr(moment, broken)
    with scripted_server(lambda _, out: out.sendall(reply())) as server, pytest.raises(ApiUnavailableError) as caught:
        send(connect(server.url), new_connection=True)
    assert caught.value.was_sent is was_sent


@pytest.mark.parametrize("new_connection", [True, False])
def test_a_connection_that_is_reset_within_the_handshake_was_not_sent(connect, new_connection):
    """A proxy that is restarted takes connections that nobody serves any more."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def reset() -> None:
            connection, _ = listening.accept()
            connection.recv(1)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()

        thread = threading.Thread(target=reset)
        thread.start()
        transport = connect(f"https://127.0.0.1:{listening.getsockname()[1]}")
        with pytest.raises(ApiUnavailableError) as caught:
            send(transport, method="POST", body=b"{}", headers={"Content-Length": "2"}, new_connection=new_connection)
        thread.join()
    assert describe_cause(caught.value).startswith("ConnectionResetError")
    assert not caught.value.was_sent


def test_an_answer_that_is_too_large_is_not_read_to_its_end_nor_its_connection_used_again(connect):
    bodies = iter([b"x" * MAX_ANSWER_BYTES, b"x" * 2 * MAX_ANSWER_BYTES, b"{}"])
    with scripted_server(lambda _, out: out.sendall(reply(next(bodies)))) as server:
        transport = connect(server.url)
        assert len(send(transport).content) == MAX_ANSWER_BYTES
        with pytest.raises(ApiMalformedError, match="larger"):
            send(transport)
        assert send(transport).content == b"{}"
        assert server.connections == 2


def test_a_closed_connection_is_made_anew_and_a_new_one_leaves_a_kept_one(connect):
    with scripted_server(lambda _, out: out.sendall(reply())) as server:
        transport = connect(server.url)
        send(transport)
        send(transport, new_connection=True)
        send(transport)
        transport.close()
        send(transport)
        # A stream is sent from where it stands.
        stream = io.BytesIO(b"skipped" + b"x" * 100_000)
        stream.seek(7)
        send(transport, method="POST", body=stream, headers={"Content-Length": "100000"})
    assert [request.connection for request in server.received] == [1, 2, 2, 3, 3]
    assert server.received[-1].body == b"x" * 100_000
