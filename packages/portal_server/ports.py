"""Listens on a port, and leaves it so that no connection is lost; whether it is free, and whether a server answers."""

import errno
import ipaddress
import socket
import struct
import sys
import time
from contextlib import suppress
from typing import Final

#: How many octets of an answer tell its status: those of `HTTP/1.1 200`.
_STATUS_BYTES: Final = 12


#: Connections that may wait to be accepted.
BACKLOG: Final = 1024
#: Seconds after which a connection ends whose other side takes nothing of what was sent to it. granian has no such
#: limit, and a thread waits for that browser; the kernel has one.
STALLED_CONNECTION_S: Final = 60


def port_is_free(host: str, port: int) -> bool:
    """Whether a server can listen there now. A port with connections in TIME_WAIT counts as free."""
    return not why_not_free(host, port)


def why_not_free(host: str, port: int) -> str:
    """What keeps a server from listening there, as one line; empty if nothing does."""
    with new_socket(host) as probe:
        return listen(probe, host, port)


def new_socket(host: str) -> socket.socket:
    """A socket that can listen there."""
    return socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)


def listen(listener: socket.socket, host: str, port: int) -> str:
    """Listen there with it. Its connections end when the other side stalls.

    :returns: as :func:`why_not_free`.
    """
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return f"host {host} is no IP address: say 127.0.0.1, or 0.0.0.0 for all addresses of this machine"
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_CONNECTION_S * 1000)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return f"port {port} is taken: stop what listens there, or name another with --port"
        return f"can't listen on host {host}, port {port}: {error.strerror}"
    return ""


def listens(listener: socket.socket) -> bool:
    """Return whether it listens: also if another process that has this socket made it listen."""
    return bool(listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))


def answers(port: int) -> bool:
    """Whether `GET /healthz` on that local port is answered with 200.

    It imports nothing: a server's parent asks in a thread while it forks its workers, which would inherit the lock of a
    module that is half imported.
    """
    with socket.socket() as connection:
        connection.settimeout(2)
        try:
            connection.connect(("127.0.0.1", port))
            connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            status = b""
            while len(status) < _STATUS_BYTES and (part := connection.recv(_STATUS_BYTES - len(status))):
                status += part
        except OSError:
            return False
    return status.startswith(b"HTTP/1.") and status.endswith(b" 200")


#: From `linux/socket.h`; Python has no name for it.
_SO_ATTACH_FILTER: Final = 26
#: A filter of the kernel (BPF): drop the first packet of a connection, which alone has the flag SYN; keep the others.
#: Each instruction is an operation, two jumps and an operand; the flags are octet 13 of a TCP header.
_FILTER: Final = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in (
        (0x30, 0, 0, 13),  # load octet 13
        (0x45, 0, 1, 0x02),  # has it the bit SYN? else skip one instruction
        (0x06, 0, 0, 0),  # drop
        (0x06, 0, 0, 0xFFFFFFFF),  # keep
    )
)
_INSTRUCTION_BYTES: Final = 8
#: Of a listening socket this field of `struct tcp_info` is the number of connections that wait to be accepted.
_WAITING: Final = struct.Struct("=24xI")

#: Seconds for a handshake that had begun, and for a thread that has accepted a connection, to end.
HANDSHAKE_WAIT_S: Final = 0.005
#: Longest wait until every connection is accepted, seconds.
DRAIN_TIMEOUT_S: Final = 2.0


def drain(listener: socket.socket) -> None:
    """Take no new connection, and wait until those that are there are accepted, by whichever process listens too.

    A client that connects from then on gets no answer. It tries again after 1 s, as TCP does, and is refused once the
    socket is closed, so a proxy takes another server. Does nothing on other systems than Linux. Some kernels and
    container runtimes let root alone attach a filter: there a client that connects in the very moment of the close is
    reset.
    """
    if not sys.platform.startswith("linux"):
        return
    _drop_new_connections(listener)
    end = time.monotonic() + DRAIN_TIMEOUT_S
    time.sleep(HANDSHAKE_WAIT_S)
    while _waiting_connections(listener) and time.monotonic() < end:
        time.sleep(HANDSHAKE_WAIT_S)


def leave(listener: socket.socket) -> None:
    """Drain a socket, and close it in this process. Another thread may have closed it."""
    with suppress(OSError), listener:
        drain(listener)


def _drop_new_connections(listener: socket.socket) -> None:
    import ctypes  # noqa: PLC0415  the parent needs it at its end alone

    program = ctypes.create_string_buffer(_FILTER, len(_FILTER))
    # `struct sock_fprog`: the number of instructions, and where they are.
    value = struct.pack("@HP", len(_FILTER) // _INSTRUCTION_BYTES, ctypes.addressof(program))
    # A server that ends here with an error would cut its open requests.
    with suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, value)


def _waiting_connections(listener: socket.socket) -> int:
    (waiting,) = _WAITING.unpack(listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _WAITING.size))
    return int(waiting)
