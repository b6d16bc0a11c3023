"""CPU time of a start: all processes of `serve` with one worker, from the command until it answers `/readyz`.

The first start of a release makes what the next ones find; the target is theirs.

    ./manage.py bench start [--app energy] [--starts 3]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final
from urllib.request import urlopen

from benchmarks._page_rows import KEY
from benchmarks._servers import cores_for_server_and_load, project_server
from benchmarks._stub_backend import stub_backend
from benchmarks._targets import Targets

MOST_CPU_S: Final = 1.0


def main() -> None:
    """See the module."""
    if sys.platform != "linux":
        print("start: reads CPU time as Linux gives it, and runs there only")
        return
    parser = argparse.ArgumentParser(prog="start")
    parser.add_argument("--app", default="energy", choices=("auth_app", "energy", "operations", "finance"))
    parser.add_argument("--starts", type=int, default=3, help="after the first: 3")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, stub_backend() as stub:
        folder = Path(name)
        first, *others = (_cpu_s(options.app, folder, stub.url) for _ in range(options.starts + 1))
    targets = Targets()
    print(f"{options.app}, the first start: {first:.2f} s")
    usual = median(others)
    targets.hold(f"{options.app}, a start: {usual:.2f} s", f"under {MOST_CPU_S:.0f}", met=usual < MOST_CPU_S)
    targets.end()


def _cpu_s(app: str, folder: Path, backend: str) -> float:
    core, _ = cores_for_server_and_load()
    with project_server(app, core=core, threads=8, folder=folder, backend=backend, key=KEY) as server:
        urlopen(f"http://127.0.0.1:{server.port}/readyz", timeout=10).close()
        return server.whole_cpu_s()
