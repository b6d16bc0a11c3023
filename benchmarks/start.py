"""CPU time of a start: all processes of `serve` with one worker, from the command until it answers `/readyz`.

The first start of a release makes what the next ones find, so the target is theirs. `--write` writes the table.

`./manage.py bench start [--app energy] [--starts 3] [--write]`
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Final
from urllib.request import urlopen

from benchmarks._measured import write
from benchmarks._options import options_of, parser_of, skip
from benchmarks._page_rows import KEY
from benchmarks._servers import cores_for_server_and_load, project_server
from benchmarks._stub_backend import stub_backend
from benchmarks._targets import Targets

MOST_CPU_S: Final = 1.0


def main() -> None:
    """See the module."""
    parser = parser_of(__doc__, writes=True)
    parser.add_argument("--app", default="energy", choices=("auth_app", "energy", "operations", "finance"))
    parser.add_argument("--starts", type=int, default=3, help="after the first: 3")
    options = options_of(parser, starts=1)
    if sys.platform != "linux":
        skip("CPU time is read as Linux gives it")
    core, _ = cores_for_server_and_load(smoke=options.smoke)
    with tempfile.TemporaryDirectory(prefix="portal-bench-") as name, stub_backend() as stub:
        first, *others = (
            _cpu_s(options.app, core=core, folder=Path(name), backend=stub.url) for _ in range(options.starts + 1)
        )
    targets, usual = Targets(smoke=options.smoke), median(others)
    targets.tell(f"{options.app}, the first start of a release: {first:.2f} s")
    targets.hold(f"{options.app}, a later start: {usual:.2f} s", f"under {MOST_CPU_S:.0f}", met=usual < MOST_CPU_S)
    if options.write:
        write("start", targets.table())
    targets.end()


def _cpu_s(app: str, *, core: int | None, folder: Path, backend: str) -> float:
    with project_server(app, core=core, threads=8, folder=folder, backend=backend, key=KEY) as server:
        urlopen(f"http://127.0.0.1:{server.port}/readyz", timeout=10).close()
        return server.whole_cpu_s()


if __name__ == "__main__":
    main()
