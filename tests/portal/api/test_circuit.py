"""A backend that does not answer is asked by one call a second: on real sockets, with real threads."""

import contextlib
import contextvars
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from portal.api.transport import Transport
from portal.errors import ApiTimeoutError, ApiUnavailableError, CircuitOpenError
from portal.process.circuit_breaker import CircuitBreaker, call_circuits
from portal.process.deadline import Deadline
from tests.portal_server.processes import until
from tests.support.authority import Authority
from tests.support.http_server import Received, ScriptedServer, reply, scripted_server

#: Of a transport that gives up soon, seconds; the circuit takes it for long.
SHORT_S = 0.2
asks: contextvars.ContextVar[str] = contextvars.ContextVar("asks", default="nobody")


class Backend:
    """Answers while it is awake, and for the paths that never sleep."""

    def __init__(self, connect: Callable[..., Transport]) -> None:
        self.connect = connect
        self.awake = threading.Event()
        self.never_sleeps: set[str] = set()
        self.status = "200 OK"
        self.server: ScriptedServer | None = None
        self.ca_file: Path | None = None
        self._pool = ThreadPoolExecutor(8)

    def answer(self, request: Received, out: socket.socket) -> None:
        if request.line.split()[1] not in self.never_sleeps:
            assert self.awake.wait(60)
        out.sendall(reply(status=self.status))

    @property
    def circuit(self) -> CircuitBreaker:
        return call_circuits.of(f"backend {self.server.url}")

    def paths(self) -> list[str]:
        return [request.line.split()[1] for request in self.server.received]

    def transport(self, *, read_timeout_s: float = SHORT_S) -> Transport:
        return self.connect(self.server.url, read_timeout_s=read_timeout_s, ca_file=self.ca_file)

    def ask(self, path: str = "/me", *, method: str = "GET", read_timeout_s: float = SHORT_S, **options) -> int:
        body = {"body": b"{}", "headers": {"Content-Length": "2"}} if method == "POST" else {}
        transport = self.transport(read_timeout_s=read_timeout_s)
        return transport.exchange(method=method, target=path, **{"deadline": Deadline(30), **body, **options}).status

    def ask_meanwhile(self, path: str, **options) -> Future[int]:
        """Ask in another thread; gives it when the backend has the request."""
        waiting = self._pool.submit(self.ask, path, read_timeout_s=60, **options)
        until(lambda: path in self.paths(), what="the backend has the request")
        return waiting

    def open_circuit(self) -> None:
        with pytest.raises(ApiTimeoutError):
            self.ask("/opens")
        assert self.circuit.is_open

    def close(self) -> None:
        self.awake.set()
        self._pool.shutdown()


@pytest.fixture(params=["http"])
def backend(request: pytest.FixtureRequest, tmp_path: Path, connect: Callable[..., Transport]) -> Iterator[Backend]:
    made = Backend(connect)
    authority = Authority(tmp_path) if request.param == "https" else None
    made.ca_file = authority and authority.file
    with scripted_server(made.answer, tls=authority and authority.server_context()) as made.server:
        try:
            yield made
        finally:
            made.close()


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An open circuit lets one call try from its first moment on."""
    monkeypatch.setattr("portal.process.circuit_breaker.OPEN_S", 0)


def test_after_a_call_in_vain_nothing_is_sent_for_a_second(backend):
    """A refresh that is not sent puts no token at risk."""
    backend.open_circuit()
    for options in ({}, {"method": "POST"}, {"method": "POST", "new_connection": True}):
        with pytest.raises(CircuitOpenError) as caught:
            backend.ask("/refused", **options)
        assert (caught.value.was_sent, caught.value.retry_after, caught.value.page_status) == (False, 1, 503)
    assert backend.paths() == ["/opens"]


def test_a_plain_call_to_another_server_has_a_circuit_of_its_own(backend):
    backend.open_circuit()
    with scripted_server(lambda _, out: out.sendall(reply())) as other:
        assert backend.transport().get(f"{other.url}/elsewhere").status_code == 200


def test_an_endpoint_that_hangs_is_not_asked_and_others_are(backend):
    backend.never_sleeps = {"/healthy"}
    for error in (ApiTimeoutError, CircuitOpenError):
        with pytest.raises(error):
            backend.ask("/hangs", endpoint="energy.get_stations")
    assert backend.ask("/healthy", endpoint="energy.get_clients") == 200
    assert backend.paths() == ["/hangs", "/healthy"]


def test_an_answer_whose_body_never_comes_opens_it(connect):
    over = threading.Event()
    with scripted_server(lambda _, out: out.sendall(reply(b"half")[:-2]) or over.wait(30)) as server:
        transport = connect(server.url, read_timeout_s=SHORT_S)
        for error in (ApiTimeoutError, CircuitOpenError):
            with pytest.raises(error):
                transport.exchange(method="GET", target="/", deadline=Deadline(30), endpoint="energy.get_clients")
        over.set()


@pytest.mark.parametrize("backend", ["http", "https"], indirect=True)
def test_reads_that_are_on_their_way_when_it_opens_are_given_up(backend):
    waiting = [backend.ask_meanwhile(f"/{number}") for number in range(4)]
    backend.open_circuit()
    for read in waiting:
        error = read.exception(60)
        assert isinstance(error, CircuitOpenError)
        assert error.was_sent


@pytest.mark.parametrize("options", [{"method": "POST"}, {"new_connection": True}], ids=["write", "own connection"])
def test_a_write_and_a_refresh_on_their_way_are_waited_for(backend, options):
    # One read before it and one after it: when both have looked whether they are given up, it has had its turn too.
    before = backend.ask_meanwhile("/before")
    kept = backend.ask_meanwhile("/kept", **options)
    after = backend.ask_meanwhile("/after")
    backend.open_circuit()
    for read in (before, after):
        assert isinstance(read.exception(60), CircuitOpenError)
    assert not kept.done()
    backend.awake.set()
    assert kept.result(60) == 200
    assert not backend.circuit.is_open, "an answer is an answer"


def test_neither_somebody_s_impatience_nor_one_endpoint_that_hangs_beside_others_opens_it(backend):
    backend.never_sleeps = {"/healthy"}
    slow = backend.ask_meanwhile("/slow", deadline=Deadline(2 * SHORT_S))
    assert backend.ask("/healthy") == 200
    assert isinstance(slow.exception(60), ApiTimeoutError)
    with pytest.raises(ApiTimeoutError):
        backend.ask(read_timeout_s=60, deadline=Deadline(SHORT_S))
    assert not backend.circuit.is_open


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("status", [200, 500])
def test_one_read_tries_and_its_user_gets_the_answer(backend, status, caplog):
    """The line that the circuit is closed names the request that found out, though another thread writes it."""
    said_for = []
    caplog.set_level("INFO", logger="portal.process.circuit_breaker")
    backend.status = f"{status} So"
    backend.open_circuit()
    backend.awake.set()
    with caplog.filtering(lambda record: said_for.append((record.msg, asks.get())) or True):
        answered = contextvars.copy_context().run(lambda: (asks.set("the request"), backend.ask("/tries")))
    assert answered[1] == status
    assert ("circuit %s: closed, after %.1f s", "the request") in said_for
    assert not backend.circuit.is_open
    assert backend.ask("/after") == status


@pytest.mark.usefixtures("at_once")
def test_a_slow_answer_to_the_one_that_tries_closes_it_though_its_user_has_gone(backend):
    """Meanwhile all others are refused."""
    backend.open_circuit()
    with pytest.raises(CircuitOpenError) as caught:
        backend.ask("/tries", read_timeout_s=60)
    assert caught.value.was_sent
    for _ in range(5):
        with pytest.raises(CircuitOpenError) as caught:
            backend.ask("/refused")
        assert not caught.value.was_sent
    assert backend.paths() == ["/opens", "/tries"]
    backend.awake.set()
    until(lambda: not backend.circuit.is_open, what="the circuit closes")
    assert backend.ask("/after") == 200


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("new_connection", [False, True], ids=["write", "refresh"])
@pytest.mark.parametrize("is_awake", [False, True])
def test_read_tries_in_place_of_a_write(backend, new_connection, is_awake):
    backend.open_circuit()
    if is_awake:
        backend.awake.set()
    with contextlib.nullcontext() if is_awake else pytest.raises(CircuitOpenError) as caught:
        assert backend.ask("/write", method="POST", new_connection=new_connection) == 200
    assert is_awake or not caught.value.was_sent
    sent = [request.line.split()[0] for request in backend.server.received]
    assert sent == ["GET", "GET", *["POST"] * is_awake]


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("moment", "error", "raised"),
    [
        ("__init__", MemoryError, MemoryError),
        ("start", MemoryError, MemoryError),
        ("start", RuntimeError, CircuitOpenError),
    ],
)
def test_a_process_without_room_for_a_thread_lets_the_next_try(backend, monkeypatch, moment, error, raised):
    """A place that is never given back would leave it open for as long as the process lives."""

    def no_room(*_: object, **__: object) -> None:
        raise error("can't start new thread")

    backend.open_circuit()
    backend.awake.set()
    with monkeypatch.context() as patch:
        patch.setattr(f"portal.api.transport.threading.Thread.{moment}", no_room)
        with pytest.raises(raised):
            backend.ask("/fails")
    assert backend.ask("/tries") == 200


def test_hanging_handshake_opens_it_and_sent_nothing(connect, tmp_path):
    """The kernel accepts for a process that is stopped; what answers no `ClientHello` has seen no request."""
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as stopped:
        url = f"https://127.0.0.1:{stopped.getsockname()[1]}"
        ca_file = Authority(tmp_path).file
        transport = connect(url, connect_timeout_s=SHORT_S, read_timeout_s=60, ca_file=ca_file)
        errors = []
        for endpoint in ("energy.get_clients", "energy.get_stations"):
            with pytest.raises(ApiUnavailableError) as caught:
                transport.exchange(method="GET", target="/", headers={}, deadline=Deadline(30), endpoint=endpoint)
            errors.append((type(caught.value), caught.value.was_sent))
    assert errors == [(ApiTimeoutError, False), (CircuitOpenError, False)]


def test_look_at_a_closed_connection_loses_no_byte(connect, monkeypatch):
    """Some of the answer has come before the look, some comes after it."""
    monkeypatch.setattr("portal.api.connections.LOOK_S", 0.01)
    looked = threading.Event()
    whole = reply(b"x" * 3000)

    class Look(CircuitBreaker):
        @property
        def is_open(self) -> bool:
            looked.set()
            return super().is_open

    def answer(_: Received, out: socket.socket) -> None:
        out.sendall(whole[:20])
        for part in (whole[20:100], whole[100:]):
            looked.clear()
            assert looked.wait(30)
            out.sendall(part)

    with scripted_server(answer) as server:
        monkeypatch.setattr(call_circuits, "of", lambda name, **_: Look(name))
        transport = connect(server.url, read_timeout_s=30)
        answer = transport.exchange(method="GET", target="/", headers={}, deadline=Deadline(30))
    assert answer.content == b"x" * 3000
