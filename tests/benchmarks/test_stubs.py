"""A call that a stub backend does not know ends the run, and is named."""

import contextlib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness.stub_backend import UnknownCallError, stub_backend
from benchmarks.query.query import Backend
from benchmarks.query.storm_rows import StormServer


def test_stub_names_unknown_calls() -> None:
    def run() -> None:
        with stub_backend() as stub:
            for path, body in (("/energy/clients?q=a", None), ("/energy/clients", b"{}"), ("/energy/none", None)):
                with contextlib.suppress(urllib.error.HTTPError):
                    urllib.request.urlopen(f"{stub.url}{path}", data=body, timeout=10).close()

    with pytest.raises(UnknownCallError, match=r"know POST /energy/clients, GET /energy/none$"):
        run()


@pytest.mark.parametrize("call", ["GET /energy/stations", "POST /energy/clients/c5"])
def test_stub_of_the_query_layer_names_unknown_calls(call: str, tmp_path: Path) -> None:
    method, path = call.split()
    stubs: list[Any] = [Backend(20), StormServer(tmp_path / "rows.sqlite3")]
    for stub in stubs:
        with pytest.raises(UnknownCallError, match=f"know {call}$"):
            stub.call(method=method, path=path)
