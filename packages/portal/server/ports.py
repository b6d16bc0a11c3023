"""Whether a port can be listened on, and whether a server answers there."""

from __future__ import annotations

import errno
import socket


def port_is_free(host: str, port: int) -> bool:
    """Whether a server can listen there now. A port with connections in TIME_WAIT counts as free."""
    return _listen_error(host, port) is None


def why_not_free(host: str, port: int) -> str:
    """What keeps a server from listening there, as one line; empty if nothing does."""
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
    """Whether `GET /healthz` on that local port is answered with 200."""
    import http.client  # noqa: PLC0415  a server's parent process only needs to know whether its port is free

    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/healthz")
        with connection.getresponse() as response:
            return response.status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
