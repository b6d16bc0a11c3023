"""Whether a port can be listened on, and whether a server answers there."""

from __future__ import annotations

import errno
import ipaddress
import socket
from typing import Final

#: How many octets of an answer tell its status: those of `HTTP/1.1 200`.
_STATUS_BYTES: Final = 12


def port_is_free(host: str, port: int) -> bool:
    """Whether a server can listen there now. A port with connections in TIME_WAIT counts as free."""
    return _listen_error(host, port) is None


def why_not_free(host: str, port: int) -> str:
    """What keeps a server from listening there, as one line; empty if nothing does."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return f"host {host} is no IP address: say 127.0.0.1, or 0.0.0.0 for all addresses of this machine"
    error = _listen_error(host, port)
    if error is None:
        return ""
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken: stop what listens there, or name another with --port"
    return f"can't listen on host {host}, port {port}: {error.strerror}"


def _listen_error(host: str, port: int) -> OSError | None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError as error:
            return error
    return None


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
