"""A worker that ends during its refresh, on each kind of store, against a backend on a real socket."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import threading

import pytest

from portal.api.tokens import TokenPair, TokenStore
from portal.errors import ApiUnavailableError
from portal.process.deadline import Deadline
from tests.portal.api.sessions import NEW, make_session, settle
from tests.support.http_server import reply, scripted_server


def _end_during_a_refresh(url) -> None:
    """End this process while its refresh is in flight, as a worker does that is asked to stop."""
    try:
        with contextlib.suppress(ApiUnavailableError):
            make_session(url).refresher.refresh(TokenStore(TokenPair(refresh="first")), deadline=Deadline(0))
        # What the interpreter does at its end.
        atexit._run_exitfuncs()
        os._exit(0)
    finally:
        os._exit(1)


@pytest.mark.parametrize(
    "store",
    ["embedded_store", *(pytest.param(f"{kind}_store", marks=pytest.mark.redis) for kind in ("redis", "cluster"))],
)
def test_a_worker_that_ends_during_the_call_finishes_it(store, request):
    request.getfixturevalue(store)
    asked, may_answer = threading.Event(), threading.Event()

    def answer(received, out) -> None:
        if received.line.startswith("POST /refresh"):
            asked.set()
            may_answer.wait(30)
            out.sendall(reply(json.dumps(NEW).encode()))
        else:
            out.sendall(reply())

    with scripted_server(answer) as server:
        # A plain fork: from Python 3.13 on, multiprocessing's children forget what was registered for the end.
        worker = os.fork()
        if not worker:
            _end_during_a_refresh(server.url)
        assert asked.wait(30)
        may_answer.set()
        _, status = os.waitpid(worker, 0)
        tokens, api = TokenStore(TokenPair(refresh="first")), make_session(server.url)
        api.call(tokens=tokens, method="GET", path="/me")
        settle(api)
        api.close()
    assert (tokens.current.refresh, os.waitstatus_to_exitcode(status)) == ("second", 0)
    assert [request.line for request in server.received if "refresh" in request.line] == ["POST /refresh HTTP/1.1"]
