"""Interim answers (RFC 9110, section 15.2): none of them is taken for the answer, whoever asks, whenever they come."""

import json
import socket
import threading

import pytest

from portal.api.transport import Transport
from portal.errors import ApiTimeoutError, ApiUnavailableError
from tests.portal.api.sessions import send
from tests.support.http_server import Received, reply, scripted_server

PROCESSING = b"HTTP/1.1 102 Processing\r\n\r\n"
EARLY_HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </app.css>; rel=preload\r\nContent-Length: 400\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
UNKNOWN = b"HTTP/1.1 199 Soon\r\nConnection: close\r\n\r\n"
USERS = ("ada", "bob")


def ask(transport: Transport, user: str, **options) -> str:
    """Whose data the backend's answer holds."""
    answer = send(transport, token=user, **{"seconds": 30, **options})
    assert answer.status == 200
    return json.loads(answer.content)["of"]


def data_of(request: Received) -> bytes:
    """An answer that names the user who asked."""
    return reply(json.dumps({"of": request.headers["authorization"].removeprefix("Bearer ")}).encode())


@pytest.mark.parametrize(
    "interim",
    [PROCESSING, EARLY_HINTS, CONTINUE, UNKNOWN, CONTINUE + PROCESSING + EARLY_HINTS + CONTINUE],
    ids=["102", "103", "100", "199", "several"],
)
@pytest.mark.parametrize("pieces", ["at once", "byte by byte"])
def test_two_users_on_one_kept_connection_each_get_their_own_data(connect, interim, pieces):
    def answer(request: Received, out: socket.socket) -> None:
        whole = interim + data_of(request)
        out.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in [whole] if pieces == "at once" else [whole[at : at + 1] for at in range(len(whole))]:
            out.sendall(part)

    with scripted_server(answer) as server:
        transport = connect(server.url)
        assert [ask(transport, user) for user in USERS * 3] == [*USERS * 3]
        assert server.connections == 1


@pytest.mark.parametrize("new_connection", [False, True])
@pytest.mark.parametrize("length", [len(EARLY_HINTS), 40], ids=["whole", "broken off"])
def test_an_interim_answer_and_then_the_end_is_no_answer(connect, length, new_connection):
    def answer(_: Received, out: socket.socket) -> None:
        out.sendall(EARLY_HINTS[:length])
        out.shutdown(socket.SHUT_RDWR)

    with scripted_server(answer) as server, pytest.raises(ApiUnavailableError) as caught:
        ask(connect(server.url), "ada", new_connection=new_connection)
    assert (caught.value.was_sent, caught.value.begun) == (True, None)


@pytest.mark.parametrize(("interim", "seconds"), [(PROCESSING, 60), (CONTINUE, 0.5)], ids=["102", "100"])
def test_interim_answers_without_an_end_are_cut(connect, interim, seconds):
    def answer(_: Received, out: socket.socket) -> None:
        while True:
            out.sendall(interim)

    with scripted_server(answer) as server, pytest.raises(ApiUnavailableError) as caught:
        ask(connect(server.url), "ada", seconds=seconds)
    assert caught.value.begun is None
    # The many are cut before the time is up; those that Python's own client skips, by the time alone.
    assert isinstance(caught.value, ApiTimeoutError) == (interim is CONTINUE)


def test_another_protocol_is_an_error_and_its_connection_is_not_used_again(connect):
    def answer(request: Received, out: socket.socket) -> None:
        if len(server.received) == 1:
            out.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n")
        out.sendall(data_of(request))

    with scripted_server(answer) as server:
        transport = connect(server.url)
        with pytest.raises(ApiUnavailableError):
            ask(transport, "ada")
        assert ask(transport, "bob") == "bob"
        assert [request.connection for request in server.received] == [1, 2]


def test_one_that_comes_after_the_answer_is_not_the_next_user_s(connect):
    """Whole, it is skipped; a connection with anything else waiting is not used again."""
    late = threading.Event()

    def answer(request: Received, out: socket.socket) -> None:
        out.sendall(data_of(request))
        out.sendall(EARLY_HINTS)
        late.set()

    with scripted_server(answer) as server:
        transport = connect(server.url)
        for user in USERS * 10:
            assert ask(transport, user) == user
            assert late.wait(30)
            late.clear()
