"""Tables of docs/reference/measured.md: each is written by the benchmark that measures it, with `--write`.

A table stands between two comments. The first names the benchmark and the paths of the code that it measures: if one of
them has changed since, `tests/benchmarks/test_measured.py` says that the table is old. The line below it is the
command, the day and the commit::

    <!-- bench pages --next: packages apps benchmarks/pages/next -->
    `./manage.py bench pages --next` (2026-11-22, d1bfe3bc):
    …
    <!-- end -->
"""

import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from benchmarks.harness.servers import ROOT

PAGE: Final = ROOT / "docs/reference/measured.md"
TABLE: Final = re.compile(
    r"^<!-- bench (?P<name>[^:\n]+): (?P<paths>[^\n]+) -->\n"
    r"`\./manage\.py (?P<command>bench [^`\n]+)` \((?P<day>[\d-]+), (?P<commit>[0-9a-f]+)\):\n"
    r"(?P<text>.*?)^<!-- end -->$",
    re.DOTALL | re.MULTILINE,
)


def write(name: str, *texts: str) -> None:
    """Replace the table of a benchmark by these texts, with the command of this process, the day and the commit."""
    command = shlex.join(["bench", Path(sys.argv[0]).stem, *(word for word in sys.argv[1:] if word != "--write")])
    line = f"`./manage.py {command}` ({time.strftime('%Y-%m-%d')}, {_git('rev-parse', '--short=8', 'HEAD')}):"
    page = PAGE.read_text()
    places = [place for place in TABLE.finditer(page) if place["name"] == name]
    if len(places) != 1:
        sys.exit(f"{PAGE.name}: `<!-- bench {name}: … -->` … `<!-- end -->` stands there {len(places)} times, not once")
    heading = places[0][0].partition("\n")[0]
    table_text = "\n".join([heading, line, "", "\n\n".join(texts), "<!-- end -->"])
    PAGE.write_text(page.replace(places[0][0], table_text))
    print(f"written: {name}, into {PAGE.relative_to(ROOT)}")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of Markdown."""
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def uncommitted_code() -> str:
    """Return the changed files outside of `docs/`, by which a table's commit would not be what was measured."""
    return _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
