"""A call that a stub backend does not know ends the run, and is named."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from benchmarks import side_by_side
from benchmarks._hot_reads_side import OneRowToo
from benchmarks._storm_server import StormServer
from benchmarks._stub_backend import stub_backend
from benchmarks._unknown_calls import UnknownCallError
from benchmarks.query import Backend
from tests.support.harness import ROOT

#: A page whose list is asked for with counts, of which the stub knows none.
UNKNOWN_PAGE = """
import sys
from benchmarks import _page_rows, profile
_page_rows.PAGES["chargers"] = _page_rows.Row(name="chargers", path="/en/energy/chargers", marker="<main", rows=5)
sys.argv = ["profile", "--smoke", "--page", "chargers"]
profile.main()
"""


def test_a_benchmark_ends_at_a_call_that_its_stub_does_not_know() -> None:
    run = subprocess.run([sys.executable, "-c", UNKNOWN_PAGE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    assert run.stderr.splitlines()[-1].endswith("the stub backend does not know GET /energy/chargers/counts")


def test_the_stub_knows_a_call_by_its_method_and_path() -> None:
    def run() -> None:
        with stub_backend() as stub:
            for path, body in (("/energy/clients?q=a", None), ("/energy/clients", b"{}"), ("/energy/none", None)):
                with contextlib.suppress(urllib.error.HTTPError):
                    urllib.request.urlopen(f"{stub.url}{path}", data=body, timeout=10).close()

    with pytest.raises(UnknownCallError, match=r"know POST /energy/clients, GET /energy/none$"):
        run()


@pytest.mark.parametrize("call", ["GET /energy/stations", "POST /energy/clients/c5", "PATCH /me"])
def test_so_do_stubs_of_the_query_layer(call: str, tmp_path: Path) -> None:
    method, path = call.split()
    stubs: list[Any] = [Backend(20), OneRowToo(20, user="hot"), StormServer(tmp_path / "rows.sqlite3")]
    for stub in stubs[: 2 if path == "/me" else 3]:
        with pytest.raises(UnknownCallError, match=f"know {call}$"):
            stub.call(method=method, path=path)


def test_the_backend_of_queries_side_by_side_notes_them() -> None:
    with side_by_side.Server(("127.0.0.1", 0), side_by_side.Backend) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(f"http://127.0.0.1:{server.server_address[1]}/energy/none", timeout=10)
        error.value.close()
        server.shutdown()
    assert list(side_by_side.Backend.unknown) == ["GET /energy/none"]
    side_by_side.Backend.unknown.clear()
