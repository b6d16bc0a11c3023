"""A long list as a file: time, size and memory; and the rests of cancelled files."""

import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import requests

from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.servers import children_of, project_server, pss_mib
from benchmarks.harness.stub_backend import Stub, access_token, stub_backend
from benchmarks.harness.targets import Targets
from portal.config.cookies import VAR_ACCESS_TOKEN

#: A file is cancelled after so many kilobytes.
CANCELLED_AFTER_KB: Final = 300
#: The most that the worker may grow by while it writes a file, after the first one.
MOST_GROWTH_MIB: Final = 4.0


def main() -> None:
    """Print the figures; end with 1 if the memory grew or something was left."""
    parser = parser_of(__doc__)
    parser.add_argument("--files", type=int, default=3, help="that are read to their end: 3")
    parser.add_argument("--cancelled", type=int, default=20, help="files that are cancelled: 20")
    parser.add_argument("--rows", type=int, default=21_000, help="of each file: 21,000")
    options = options_of(parser, files=1, cancelled=1, rows=8_400)
    with (
        tempfile.TemporaryDirectory() as folder,
        stub_backend() as stub,
        project_server("energy", core=None, threads=8, folder=Path(folder), backend=stub.url) as server,
        requests.Session() as browser,
    ):
        browser.trust_env = False
        browser.headers.update({"Host": "localhost", "Cookie": f"{VAR_ACCESS_TOKEN}={access_token()}"})
        url = f"http://127.0.0.1:{server.port}/en/energy/clients/export?q=rows{options.rows}"
        [worker] = children_of(server.pid)
        print(f"\n{'file':8}{'rows':>8}{'MB':>8}{'seconds':>9}{'MiB before':>12}{'MiB at most':>13}{'MiB after':>11}")
        grown = [_whole_file(url, browser, worker, number, options.rows) for number in range(1, options.files + 1)]
        left = _cancelled(url, browser, worker, stub, options.cancelled)
    print()
    targets, growth = Targets(smoke=options.smoke), max(grown[1:], default=0.0)
    targets.hold(f"memory grows by {growth:.1f} MiB", f"at most {MOST_GROWTH_MIB:.0f}", met=growth <= MOST_GROWTH_MIB)
    targets.hold(f"{options.cancelled} cancelled files leave {left or 'nothing'}", "nothing", met=not left)
    targets.end()


def _whole_file(url: str, browser: requests.Session, worker: int, number: int, wanted: int) -> float:
    """Read one file, and return the MiB by which the worker grew meanwhile."""
    before, samples = pss_mib(worker), []
    began, size, rows = time.perf_counter(), 0, -1
    with browser.get(url, stream=True, timeout=60) as response:
        for part in response.iter_content(16_384):
            size, rows = size + len(part), rows + part.count(b"\n")
            samples.append(pss_mib(worker))
    seconds = time.perf_counter() - began
    memory = f"{before:>12.1f}{max(samples):>13.1f}{pss_mib(worker):>11.1f}"
    print(f"{number:<8}{rows:>8}{size / 1e6:>8.2f}{seconds:>9.1f}{memory}")
    if rows != wanted:
        sys.exit(f"the file has {rows} rows, not {wanted}")
    return max(samples) - before


def _cancelled(url: str, browser: requests.Session, worker: int, stub: Stub, number: int) -> str:
    """Begin files and leave them, and return a text of their rests."""
    before: dict[str, int] = {}
    for _ in range(1 + number):
        with browser.get(url, stream=True, timeout=60) as response:
            response.raise_for_status()
            next(response.iter_content(CANCELLED_AFTER_KB * 1000))
        # Until a second passes without a call of the backend.
        calls = -1
        while calls != (calls := stub.calls()):
            time.sleep(1)
        # The first one makes the threads that stay.
        before = before or _open(worker)
    left = {name: count - before[name] for name, count in _open(worker).items()}
    return ", ".join(f"{number} {name}" for name, number in left.items() if number > 0)


def _open(pid: int) -> dict[str, int]:
    links = [link for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink()]
    sockets = sum("socket:" in str(link.readlink()) for link in links)
    return {"threads": len(list(Path(f"/proc/{pid}/task").iterdir())), "connections": sockets}


if __name__ == "__main__":
    main()
