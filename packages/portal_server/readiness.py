"""Tells the service manager when a server answers, and that it lives, by the protocol of `sd_notify(3)`.

`systemctl restart` returns when a server answers, and not before; a parent that hangs is restarted.
"""

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Final

from portal_server.ports import answers, listens

PROBE_INTERVAL_S: Final = 0.1


class ServiceManager:
    """What started this process, if it wants to be told: systemd does with `Type=notify`, and `WatchdogSec`."""

    def __init__(self) -> None:
        # Taken away, so that no child process speaks for the server.
        self._address = os.environ.pop("NOTIFY_SOCKET", None)
        self._is_watching = os.environ.pop("WATCHDOG_USEC", None) is not None
        os.environ.pop("WATCHDOG_PID", None)

    def tell_when_ready(self, listener: socket.socket) -> None:
        """Say `READY=1` as soon as `GET /healthz` is answered where this socket listens, or will listen."""
        if self._address:
            threading.Thread(target=self._tell_ready, args=(listener,), name="tell-ready", daemon=True).start()

    def _tell_ready(self, listener: socket.socket) -> None:
        while not listens(listener) or not answers(listener.getsockname()[1]):
            time.sleep(PROBE_INTERVAL_S)
        self._tell(b"READY=1")

    def tell_alive(self) -> None:
        """Say `WATCHDOG=1`, where that is asked for."""
        if self._is_watching:
            # A manager that restarts itself loses one; the next one comes in a second.
            with suppress(OSError):
                self._tell(b"WATCHDOG=1")

    def _tell(self, what: bytes) -> None:
        address = self._address or ""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            # An address that begins with "@" is of Linux's abstract namespace, where it begins with a null byte.
            manager.connect(f"\0{address[1:]}" if address.startswith("@") else address)
            manager.sendall(what)
