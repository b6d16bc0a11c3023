"""Requests as octets, over HTTP/1.1 and HTTP/2: what a client library would refuse to send.

HTTP/2 is written by hand as far as needed: one request at a time, header fields as literals, of an answer's header
fields only the status. nginx writes that first, from the static table or as a plain literal (RFC 7541, appendix A).
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ssl

TIMEOUT_S = 30
#: For octets of which a server may take more.
RAW_TIMEOUT_S = 0.3
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding: *chunked", re.IGNORECASE)
_CLOSES = re.compile(rb"\r\nconnection: *close", re.IGNORECASE)
#: What nginx's own pages have, and no page of a project: those that it brings along, and those of the site file.
NGINX_MARKS = (b"<center>nginx", b"max-width:34em;margin:15vh auto")
#: What every answer of a project has.
PROJECT_MARK = b"\r\nx-content-type-options:"

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS = 1, 1, 4
FRAME_BYTES = 16_000
#: Entries 8 to 14 of the static table.
STATUSES = {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}


@dataclass(frozen=True)
class Sent:
    """A request.

    :param raw: all of it as octets, in place of everything else.
    """

    app: str
    method: bytes = b"GET"
    target: bytes = b"/"
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""
    raw: bytes | None = None

    def octets(self, host: bytes) -> bytes:
        """In HTTP/1.1."""
        if self.raw is not None:
            return self.raw
        lines = [self.method + b" " + self.target + b" HTTP/1.1"]
        names = {name.lower() for name, _ in self.headers}
        if b"host" not in names:
            lines.append(b"Host: " + host)
        if self.body and not names & {b"content-length", b"transfer-encoding"}:
            lines.append(b"Content-Length: %d" % len(self.body))
        lines += [name + b": " + value for name, value in self.headers]
        return b"\r\n".join(lines) + b"\r\n\r\n" + self.body


@dataclass(frozen=True)
class Got:
    """An answer; the status is None where the connection ended without one."""

    status: int | None
    by_nginx: bool = False


class Http1:
    """A connection that is kept as long as the server keeps it."""

    def __init__(self, port: int, host: str, context: ssl.SSLContext | None) -> None:
        self.host = host
        self._port = port
        self._context = context
        self._socket: socket.socket | None = None

    def ask(self, sent: Sent, *, abandon: bool = False) -> Got:
        """Send it, and read the answer; or go away at once."""
        octets = sent.octets(f"{self.host}:{self._port}".encode())
        kept = self._socket is not None
        try:
            stream = self._socket = self._socket or _connect(self._port, self.host, self._context)
            if sent.raw is not None:
                stream.settimeout(RAW_TIMEOUT_S)
            with contextlib.suppress(ConnectionError):  # it may have answered before it has read everything
                stream.sendall(octets)
            if abandon:
                self.close()
                return Got(None)
            got, keeps = _read_answer(stream, sent)
        except OSError:
            self.close()
            return Got(None)
        if sent.raw is not None or not keeps:
            self.close()
        # The server may have closed a kept connection at this moment.
        return self.ask(sent) if got.status is None and kept and sent.raw is None else got

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


class Http2:
    """A connection for one request after another."""

    def __init__(self, port: int, host: str, context: ssl.SSLContext) -> None:
        self.host = host
        self._port = port
        self._context = context
        self._socket: socket.socket | None = None
        self._stream = 1
        self._received = b""

    def ask(self, sent: Sent) -> Got:
        """Send it, and read the answer."""
        kept = self._socket is not None
        try:
            if self._socket is None:
                self._open()
            got = self._ask(sent)
        except OSError:
            self.close()
            # nginx leaves after so many requests of one connection.
            got = self.ask(sent) if kept else Got(None)
        return got

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _open(self) -> None:
        self._socket = _connect(self._port, self.host, self._context)
        self._stream, self._received = 1, b""
        # A window of a stream, and of the connection, that no answer fills.
        settings = struct.pack(">HI", 4, 2**31 - 1)
        window = struct.pack(">I", 2**31 - 2**16)
        self._socket.sendall(PREFACE + _frame(SETTINGS, 0, 0, settings) + _frame(WINDOW_UPDATE, 0, 0, window))

    def _ask(self, sent: Sent) -> Got:
        assert self._socket is not None
        stream, self._stream = self._stream, self._stream + 2
        authority = f"{self.host}:{self._port}".encode()
        fields = [
            (b":method", sent.method),
            (b":scheme", b"https"),
            (b":path", sent.target),
            (b":authority", authority),
        ]
        fields += [(name.lower(), value) for name, value in sent.headers if name.lower() != b"host"]
        block = b"".join(b"\0" + _string(name) + _string(value) for name, value in fields)
        parts = [block[at : at + FRAME_BYTES] for at in range(0, len(block), FRAME_BYTES)]
        octets = b""
        for number, part in enumerate(parts):
            flags = (END_HEADERS if number == len(parts) - 1 else 0) | (
                END_STREAM if not sent.body and not number else 0
            )
            octets += _frame(CONTINUATION if number else HEADERS, flags, stream, part)
        for at in range(0, len(sent.body), FRAME_BYTES):
            last = at + FRAME_BYTES >= len(sent.body)
            octets += _frame(DATA, END_STREAM if last else 0, stream, sent.body[at : at + FRAME_BYTES])
        self._socket.sendall(octets)
        return self._read(stream)

    def _read(self, stream: int) -> Got:
        status, body = None, b""
        while True:
            kind, flags, number, content = self._next_frame()
            if kind == GOAWAY and status is None:
                raise ConnectionError("the server leaves")
            if number != stream:
                self._acknowledge(kind, flags, content)
                continue
            if kind == HEADERS and status is None:
                status = _status(content)
            elif kind == DATA:
                body += content
            if kind == RST_STREAM or (flags & END_STREAM and kind in {HEADERS, DATA}):
                return Got(status, by_nginx=_is_of_nginx(body))

    def _acknowledge(self, kind: int, flags: int, content: bytes) -> None:
        if kind in {SETTINGS, PING} and not flags & ACK:
            self._send(_frame(kind, ACK, 0, content if kind == PING else b""))

    def _send(self, octets: bytes) -> None:
        assert self._socket is not None
        self._socket.sendall(octets)

    def _next_frame(self) -> tuple[int, int, int, bytes]:
        head = self._take(9)
        length = int.from_bytes(head[:3], "big")
        return head[3], head[4], int.from_bytes(head[5:], "big") & 0x7FFFFFFF, self._take(length)

    def _take(self, length: int) -> bytes:
        assert self._socket is not None
        while len(self._received) < length:
            part = self._socket.recv(262_144)
            if not part:
                raise ConnectionError("closed")
            self._received += part
        taken, self._received = self._received[:length], self._received[length:]
        return taken


def _connect(port: int, host: str, context: ssl.SSLContext | None) -> socket.socket:
    plain = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return plain if context is None else context.wrap_socket(plain, server_hostname=host)


def _read_answer(stream: socket.socket, sent: Sent) -> tuple[Got, bool]:
    """The answer, and whether the connection is kept."""
    received = bytearray()
    while (end := received.find(b"\r\n\r\n")) < 0 or received.startswith(b"HTTP/1.1 1"):
        if end >= 0:  # an interim one, such as 100 Continue
            del received[: end + 4]
            continue
        part = stream.recv(262_144)
        if not part:
            return Got(None), False
        received += part
    head = bytes(received[: end + 2])
    status = int(head[9:12]) if head[9:12].isdigit() else None
    if status is None:
        return Got(None), False
    body = bytes(received[end + 4 :])
    length, chunked = _LENGTH.search(head), _CHUNKED.search(head)
    keeps = not _CLOSES.search(head)
    if sent.method != b"HEAD" and status not in {204, 304}:
        while not _is_whole(body, length, chunked=bool(chunked)):
            part = stream.recv(262_144)
            if not part:
                keeps = False
                break
            body += part
    # The answer to HEAD has no page.
    by_nginx = _is_of_nginx(body) or (sent.method == b"HEAD" and PROJECT_MARK not in head.lower())
    return Got(status, by_nginx=by_nginx), keeps


def _is_of_nginx(body: bytes) -> bool:
    return any(mark in body for mark in NGINX_MARKS)


def _is_whole(body: bytes, length: re.Match[bytes] | None, *, chunked: bool) -> bool:
    if length is not None:
        return len(body) >= int(length[1])
    return chunked and body.endswith(b"0\r\n\r\n")


def _frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    return len(content).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + content


def _string(text: bytes) -> bytes:
    """A string as HPACK has it, without Huffman's code."""
    rest = len(text)
    if rest < 127:
        return bytes((rest,)) + text
    head, rest = b"\x7f", rest - 127
    while rest >= 128:
        head, rest = head + bytes((rest % 128 + 128,)), rest // 128
    return head + bytes((rest,)) + text


def _status(block: bytes) -> int | None:
    # nginx may first say which size of the dynamic table it uses: none.
    block = block.lstrip(b"\x20")
    if block[0] & 0x80:
        return STATUSES.get(block[0] & 0x7F)
    return int(block[2:5]) if block[1] == 3 and block[2:5].isdigit() else None
