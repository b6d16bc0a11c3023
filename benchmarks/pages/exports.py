"""The whole list of 21,000 charging sessions as a file: time, size and memory; and the rests of a cancelled file."""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Final

import requests

from benchmarks.harness.options import options_of, parser_of
from benchmarks.harness.servers import children_of, pss_mib
from benchmarks.harness.targets import Targets
from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.support.harness import RunningStack, running_stack

ROWS: Final = 21_000
#: A file is cancelled after so many kilobytes.
CANCELLED_AFTER_KB: Final = 300
#: The most that the worker may grow by while it writes a file, after the first one.
MOST_GROWTH_MIB: Final = 4.0
PATH: Final = "/en/energy/sessions/export"
MEASURE_EACH_S: Final = 0.02


def main() -> None:
    """Print the figures; end with 1 if the memory grew or something was left."""
    parser = parser_of(__doc__)
    parser.add_argument("--files", type=int, default=3, help="that are read to their end: 3")
    parser.add_argument("--cancelled", type=int, default=20, help="files that are cancelled: 20")
    options = options_of(parser, files=1, cancelled=1)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_stack(Path(folder), without=("auth_app", "operations", "finance")) as stack,
        requests.Session() as browser,
    ):
        tokens = stack.tokens("energy@example.com")
        pair = (tokens["accessToken"], tokens["refreshToken"])
        browser.trust_env = False
        browser.headers["Cookie"] = f"{VAR_ACCESS_TOKEN}={pair[0]}; {VAR_REFRESH_TOKEN}={pair[1]}"
        [worker] = children_of(stack.group.pid("energy"))
        print(f"\n{'file':8}{'rows':>8}{'MB':>8}{'seconds':>9}{'MiB before':>12}{'MiB at most':>13}{'MiB after':>11}")
        grown = [_whole_file(stack, browser, worker, number) for number in range(1, options.files + 1)]
        left = _cancelled(stack, browser, worker, options.cancelled)
    print()
    targets, growth = Targets(smoke=options.smoke), max(grown[1:], default=0.0)
    targets.hold(f"memory grows by {growth:.1f} MiB", f"at most {MOST_GROWTH_MIB:.0f}", met=growth <= MOST_GROWTH_MIB)
    targets.hold(f"{options.cancelled} cancelled files leave {left or 'nothing'}", "nothing", met=not left)
    targets.end()


def _whole_file(stack: RunningStack, browser: requests.Session, worker: int, number: int) -> float:
    """Read one file, and return the MiB by which the worker grew meanwhile."""
    before, samples, ended = pss_mib(worker), [], threading.Event()

    def sample() -> None:
        while not ended.wait(MEASURE_EACH_S):
            samples.append(pss_mib(worker))

    sampler = threading.Thread(target=sample)
    sampler.start()
    began, size, rows = time.perf_counter(), 0, -1
    with browser.get(stack.url("energy", PATH), stream=True, timeout=60) as response:
        for part in response.iter_content(65_536):
            size, rows = size + len(part), rows + part.count(b"\n")
    seconds = time.perf_counter() - began
    ended.set()
    sampler.join()
    memory = f"{before:>12.1f}{max(samples):>13.1f}{pss_mib(worker):>11.1f}"
    print(f"{number:<8}{rows:>8}{size / 1e6:>8.2f}{seconds:>9.1f}{memory}")
    if rows != ROWS:
        sys.exit(f"the file has {rows} rows, not {ROWS}")
    return max(samples) - before


def _cancelled(stack: RunningStack, browser: requests.Session, worker: int, number: int) -> str:
    """Begin files and leave them, and return a text of their rests."""
    threads, sockets = _threads(worker), _sockets(worker)
    for _ in range(number):
        with browser.get(stack.url("energy", PATH), stream=True, timeout=60) as response:
            if not response.ok:
                return f"a refusal: {response.status_code}"
            next(response.iter_content(CANCELLED_AFTER_KB * 1000))
        _wait_for_calls_to_end(stack)
    left = {"threads": _threads(worker) - threads, "connections": _sockets(worker) - sockets}
    return ", ".join(f"{number} {kind}" for kind, number in left.items() if number > 0)


def _wait_for_calls_to_end(stack: RunningStack) -> None:
    """Wait until a second passes without a call of the backend."""
    calls, since = -1, time.monotonic()
    while time.monotonic() - since < 1:
        now = stack.log.read_text().count("backend GET /energy/sessions")
        calls, since = now, since if now == calls else time.monotonic()
        time.sleep(0.1)


def _threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def _sockets(pid: int) -> int:
    return sum("socket:" in str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir() if link.is_symlink())


if __name__ == "__main__":
    main()
