"""A project's WSGI application in this process, with the settings of production, and requests to it."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks._page_rows import KEY
from benchmarks._servers import settings_of_production

if TYPE_CHECKING:
    from collections.abc import Callable


def load_application(app: str, *, state: Path, backend: str, is_debug: bool = False) -> Callable[..., Any]:
    """The application of `apps/<app>`. A process can load one.

    :param state: an empty folder.
    :param backend: address of the backend.
    :param is_debug: with the settings of a developer's machine.
    """
    os.environ.update(settings_of_production(state=state, backend=backend, key=KEY))
    os.environ["DEBUG"] = "on" if is_debug else "off"
    application = importlib.import_module(f"apps.{app}.wsgi").application
    # The line of each call to the backend is made as in production, and goes nowhere.
    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  for as long as the process lives
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(nowhere)
    assert callable(application)
    return application


def respond(application: Callable[..., Any], request: bytes) -> bytes:
    """What the application answers to a GET, both as octets on a connection."""
    seen: list[str] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: Any) -> None:
        seen.append(f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers))

    response = application(environ_of(request), start_response)
    try:
        body = b"".join(response)
    finally:
        response.close()
    return f"{seen[0]}\r\n".encode() + body


def environ_of(request: bytes) -> dict[str, Any]:
    """A GET as WSGI has it."""
    first, *lines = request.decode().removesuffix("\r\n\r\n").split("\r\n")
    path, _, query = first.split(" ")[1].partition("?")
    pairs = (line.split(": ", 1) for line in lines)
    return {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SCRIPT_NAME": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.version": (1, 0),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in pairs},
    }
