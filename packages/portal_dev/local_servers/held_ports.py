"""Ports that stay open while their servers restart: a browser's request waits, and a mistake is shown in its place.

The process that starts the servers listens. Each server takes the connections of the socket that it inherits; those
that come while there is none wait in the kernel. A server that has ended has a :class:`StandIn` until the next one.
"""

from __future__ import annotations

import base64
import hashlib
import threading
from dataclasses import replace
from functools import partial
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

from django.http.request import split_domain_port, validate_host

from portal.server.ports import listen, new_socket

if TYPE_CHECKING:
    import socket

    from portal_dev.local_servers.server_group import Server

#: Who else could read the source in a traceback: a site whose name leads to this machine. As Django's page in DEBUG.
_HOSTS: Final = [".localhost", "127.0.0.1"]
#: Asks whether the server is back, or has ended with another mistake, and then loads the page again.
_SCRIPT: Final = """
setInterval(async () => {
  const now = await (await fetch("/healthz")).text();
  if (now.trim() !== document.querySelector("pre").textContent.trim()) location.reload();
}, 500);
"""
_HASH: Final = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
_POLICY: Final = f"default-src 'none'; connect-src 'self'; script-src 'sha256-{_HASH}'"
_PAGE: Final = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{name} does not start</title>
<h1>{name} does not start</h1>
<p>This page loads again by itself when a saved file has changed that.</p>
<pre>{words}</pre>
<script>{script}</script>
"""
#: Bytes.
_LARGEST_BODY: Final = 2**20
#: Seconds between looks whether the stand-in should stop.
_POLL_INTERVAL_S: Final = 0.05


def hold(server: Server) -> Server:
    """The server, on a port that this process listens at. One that does not run Django's `runserver` listens itself.

    :raises OSError: it can't listen there; the message says why.
    """
    if "runserver" not in server.command:
        return server
    listener = new_socket("127.0.0.1")
    if reason := listen(listener, "127.0.0.1", server.port):
        listener.close()
        raise OSError(reason)
    # Two processes may be woken by one connection, and the second must not wait for the next.
    listener.setblocking(False)
    return replace(server, listener=listener)


class StandIn:
    """Answers in place of a server that has ended, with what it wrote last.

    :param listener: the socket of its port.
    :param name: of the server.
    """

    def __init__(self, listener: socket.socket, *, name: str, words: str) -> None:
        # As a browser reads them: it changes the ends of lines.
        words = "\n".join(words.splitlines())
        page = _PAGE.format(name=escape(name), words=escape(words), script=_SCRIPT)
        answer = partial(_Answer, page=page, words=words)
        self._server = ThreadingHTTPServer(listener.getsockname(), answer, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = listener
        threading.Thread(target=self._server.serve_forever, args=(_POLL_INTERVAL_S,), daemon=True).start()

    def stop(self) -> None:
        """Take no further connection; the next server will."""
        self._server.shutdown()


class _Answer(BaseHTTPRequestHandler):
    def __init__(self, *connection: Any, page: str, words: str) -> None:
        self._page, self._words = page, words
        # It answers in here.
        super().__init__(*connection)

    def answer(self) -> None:
        """Send the page, or the words alone to its script."""
        asks = self.path == "/healthz"
        # Else the browser is told of a reset connection, and not of the answer.
        length = self.headers.get("Content-Length", "")
        self.rfile.read(min(int(length), _LARGEST_BODY) if length.isdecimal() else 0)
        content = (self._words if asks else self._page).encode()
        if not validate_host(split_domain_port(self.headers.get("Host", ""))[0], _HOSTS):
            content = b""
        self.send_response(HTTPStatus.SERVICE_UNAVAILABLE)
        self.send_header("Content-Type", f"text/{'plain' if asks else 'html'}; charset=utf-8")
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    # The methods that browsers send, by the names that the server looks up.
    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = answer  # noqa: N815  the server's own names

    def log_message(self, *_args: object) -> None:
        """The server's own words are in the log."""
