"""Listens on a port; tells whether it is free, and whether a server answers there."""

from __future__ import annotations

import errno
import ipaddress
import socket
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
