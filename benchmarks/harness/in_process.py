"""A project's WSGI application in this process, with the settings of production, and requests to it."""

import importlib
import logging
import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

from benchmarks.harness.servers import settings_of_production


def load_application(app: str, *, state: Path, backend: str, is_debug: bool = False) -> Callable[..., Any]:
    """Return the application of `apps/<app>`. A process can load one.

    :param state: an empty folder.
    :param backend: address of the backend.
    :param is_debug: True for the settings of a developer's machine.
    """
    os.environ.update(settings_of_production(state=state, backend=backend))
    os.environ["DEBUG"] = "on" if is_debug else "off"
    application = importlib.import_module(f"apps.{app}.wsgi").application
    log_to_nowhere()
    assert callable(application)
    return application


def log_to_nowhere() -> None:
    """Make log lines as in production, and drown no table in them."""
    nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  for as long as the process lives
    for handler in logging.getLogger().handlers:
        if isinstance(handler, logging.StreamHandler):
            handler.setStream(nowhere)


def respond(application: Callable[..., Any], request: bytes) -> bytes:
    """Return the application's answer to a GET, both as octets on a connection."""
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
    """Return a GET as WSGI has it."""
    first, *lines = request.decode().removesuffix("\r\n\r\n").split("\r\n")
    path, _, query = first.split(" ")[1].partition("?")
    pairs = (line.split(": ", 1) for line in lines)
    environ: dict[str, Any] = {
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SCRIPT_NAME": "",
        "SERVER_NAME": "localhost",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.input": BytesIO(),
        "wsgi.multithread": True,
        **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in pairs},
    }
    setup_testing_defaults(environ)
    return environ
