"""A WSGI application that does as the files of a folder say, so that a test needs no clock."""

import os
import threading
from pathlib import Path

from portal.process import SingleFlight

FOLDER = Path(os.environ.get("HELD_FOLDER", os.devnull))
#: Names of files. The application makes the first two, and waits for the others.
OPEN, FINISHED = "open", "finished"
ANSWER, FINISH, LOAD = "answer", "finish", "load"
_calls: SingleFlight[None] = SingleFlight()


def wait_for(name: str) -> None:
    while not (FOLDER / name).exists():
        threading.Event().wait(0.01)


def application(environ, start_response):
    """`/held` is answered when a file says so; `/call` at once, and its call in a thread goes on until a file says so."""
    if environ["PATH_INFO"] == "/held":
        (FOLDER / OPEN).touch()
        wait_for(ANSWER)
    if environ["PATH_INFO"] == "/call":
        shared_call, _ = _calls.join("key")
        _calls.run_in_thread(shared_call, _call, name="a call")
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "2")])
    return [b"ok"]


def _call() -> None:
    wait_for(FINISH)
    (FOLDER / FINISHED).touch()


if os.environ.get("HELD_LOADING"):
    (FOLDER / OPEN).touch()
    wait_for(LOAD)
