"""Tells the service manager when a server answers, so that `systemctl restart` returns then, and not before."""

from __future__ import annotations

import os
import socket
import threading
import time
from typing import Final

from portal.server.ports import answers

PROBE_INTERVAL_S: Final = 0.1


def tell_when_ready(port: int) -> None:
    """Say `READY=1`, by the protocol of `sd_notify(3)`, as soon as `GET /healthz` is answered on this port.

    Does nothing if no service manager has asked for it: systemd does with `Type=notify`.
    """
    # Taken away, so that no child process speaks for the server.
    address = os.environ.pop("NOTIFY_SOCKET", None)
    if address:
        threading.Thread(target=_tell, args=(address, port), name="tell-ready", daemon=True).start()


def _tell(address: str, port: int) -> None:
    while not answers(port):
        time.sleep(PROBE_INTERVAL_S)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        # An address that begins with "@" is of Linux's abstract namespace, where it begins with a null byte.
        manager.connect(f"\0{address[1:]}" if address.startswith("@") else address)
        manager.sendall(b"READY=1")
