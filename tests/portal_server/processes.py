"""The processes of these tests, each in a group of its own, and waits for them."""

import contextlib
import http.client
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping

from portal_server.ports import answers
from tests.support.harness import ROOT
from tests.support.ports import free_port
from tests.support.private_folder import run_folder
from tests.support.processes import PATIENCE_S, process_group, until

__all__ = ["PATIENCE_S", "ended", "get", "started", "until"]


def started(
    code: str, *arguments: str, launcher: tuple[str, ...] = (), **variables: str
) -> contextlib.AbstractContextManager[subprocess.Popen[str]]:
    """Run code; what is left of its group is killed at the end.

    :param launcher: words of a program that starts it in turn.
    """
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/packages:{ROOT}", **variables}
    command = [*launcher, sys.executable, "-c", code, *arguments]
    return process_group(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE)


def compiled_templates(app: str) -> str:
    """Return the folder in which the first process of this run compiles an app's templates, and others find them."""
    folder = run_folder() / f"compiled-{app}"
    folder.mkdir(exist_ok=True)
    return str(folder)


@contextlib.contextmanager
def serving(
    application: str, *, answering: bool = True, before: str = "", variables: Mapping[str, str] = {}, **options: int
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A server of an application of this folder; gives its process and its port.

    :param answering: whether it answers by then.
    :param before: code that runs first.
    :param options: as of `PreparedServer`.
    """
    port = free_port()
    target = f"tests.portal_server.{application}:application"
    code = (
        f"{before}\nfrom tests.support.wsgi_server import serve_wsgi\nserve_wsgi({target!r}, port={port}, **{options})"
    )
    with started(code, **variables) as process:
        if answering:
            until(lambda: answers(port), what="the server answers")
        yield process, port


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Its status, and what it has said."""
    _, said = process.communicate(timeout=PATIENCE_S)
    return process.returncode, said


def get(port: int, path: str = "/") -> tuple[int, bytes]:
    """The status and the body of a response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    with contextlib.closing(connection):
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read()
