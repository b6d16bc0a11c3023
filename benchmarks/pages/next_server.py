"""Two pages and a redirect on Next.js (`next/`): built when their sources have changed, and served.

Node's packages are installed by name, beside a copy of the sources in `.state/next`, which git ignores.
"""

import contextlib
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.harness.servers import ROOT, Server, serving, settings_of_production
from benchmarks.pages.cases import Side
from tests.support.ports import free_port

SOURCES: Final = Path(__file__).with_name("next")
BUILD: Final = ROOT / ".state" / "next"
#: Folders of the pages' `/static/`: the style sheets as they are in this checkout.
STATIC: Final = (ROOT / "packages/portal/web/static", ROOT / "apps/energy/static")
COMMAND: Final = (
    "timeout 600 npm install --no-audit --no-fund --no-package-lock --loglevel=error && npm run build --silent"
)
NEXT: Final = "Next.js"
NEXT_PAGES: Final = ("sign-in", "clients", "clients-token", "search", "redirect")
#: V8 has compiled a page's code after some 2,000; until then they take up to twice the time.
WARM_REQUESTS: Final = 4000
#: Seconds of load before each stretch: V8 drops code that was not used for a while.
LEAD_S: Final = 1.0


class NoNextError(Exception):
    """This machine has no node, or the pages could not be built; the message says which."""


def build() -> Path:
    """Return the folder of the standalone server.

    :raises NoNextError: there is none.
    """
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise NoNextError("node and npm are not on this machine")
    standalone, stamp = BUILD / ".next" / "standalone", BUILD / "built-from"
    sources = (path for path in sorted(SOURCES.rglob("*")) if path.is_file())
    digest = hashlib.sha256(b"".join(f"{path}\0".encode() + path.read_bytes() for path in sources)).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return standalone
    shutil.rmtree(BUILD, ignore_errors=True)
    BUILD.parent.mkdir(mode=0o700, exist_ok=True)
    shutil.copytree(SOURCES, BUILD)
    environment = {**os.environ, "NEXT_TELEMETRY_DISABLED": "1"}
    log = BUILD / "log"
    with log.open("wb") as output:
        run = subprocess.run(COMMAND, cwd=BUILD, env=environment, stdout=output, stderr=output, shell=True, check=False)
    if run.returncode:
        raise NoNextError(log.read_text()[-1000:])
    # As Next's documentation says: its server expects these two beside it.
    shutil.copytree(BUILD / ".next" / "static", standalone / ".next" / "static")
    for folder in STATIC:
        shutil.copytree(folder, standalone / "public" / "static", dirs_exist_ok=True)
    stamp.write_text(digest)
    return standalone


def on_next(standalone: Path, *, beside_threads: int, core: int | None, backend: str) -> Side:
    """Return the pages that Next has, on a server of one process.

    :param beside_threads: number of threads of the server that it is compared with.
    """
    start = partial(_server, standalone=standalone, core=core, backend=backend)
    side = Side(name=NEXT, start=start, pages=NEXT_PAGES, threads=beside_threads)
    return replace(side, warm_requests=WARM_REQUESTS, lead_s=LEAD_S)


@contextlib.contextmanager
def _server(
    app: str, *, threads: int, folder: Path, standalone: Path, core: int | None, backend: str
) -> Iterator[Server]:
    """Run the standalone server as for production, with the pages of all apps."""
    del app, threads
    port = free_port()
    environment = {
        **os.environ,
        **settings_of_production(state=folder / "state", backend=backend),
        "NODE_ENV": "production",
        "HOSTNAME": "127.0.0.1",
        "PORT": str(port),
    }
    command = ["node", str(standalone / "server.js")]
    with serving(command, port=port, core=core, log=folder / "log", environment=environment) as server:
        yield server
