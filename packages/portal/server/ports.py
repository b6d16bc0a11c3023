"""Whether a port can be listened on."""

from __future__ import annotations

import socket


def port_is_free(host: str, port: int) -> bool:
    """Whether a server can listen there now. A port with connections in TIME_WAIT counts as free."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError:
            return False
    return True
