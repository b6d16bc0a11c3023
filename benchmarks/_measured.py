"""The tables of docs/reference/measured.md: each is written by the benchmark that measures it, with `--write`.

A table stands between two comments. The first names the benchmark, and the paths of what it measures: where one of them
has changed since, `tests/benchmarks/test_measured.py` says that the table is old. The line below it is the command, the
day and the commit::

    <!-- bench pages --next: packages apps benchmarks/next -->
    `./manage.py bench pages --next` (2026-11-22, d1bfe3bc):
    …
    <!-- end -->
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from benchmarks._servers import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PAGE: Final = ROOT / "docs/reference/measured.md"
_PLACE: Final = re.compile(
    r"^<!-- bench (?P<name>[^:\n]+): (?P<paths>[^\n]+) -->\n"
    r"`\./manage\.py (?P<command>bench [^`\n]+)` \((?P<day>[\d-]+), (?P<commit>[0-9a-f]+)\):\n"
    r"(?P<text>.*?)^<!-- end -->$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A table of the page.

    :param name: of the benchmark, with the option that makes it another table.
    :param paths: of what it measures, from the root.
    :param command: measured it.
    """

    name: str
    paths: tuple[str, ...]
    command: str
    day: str
    commit: str


def tables_of(page: str) -> Iterator[Measured]:
    """The tables of the page that benchmarks write."""
    for place in _PLACE.finditer(page):
        found = place.groupdict()
        del found["text"]
        yield Measured(**{**found, "paths": tuple(found["paths"].split())})


def write(name: str, *texts: str) -> None:
    """Put the texts in the place of a table, with the command of this process, the day and the commit."""
    line = f"`./manage.py {_command()}` ({time.strftime('%Y-%m-%d')}, {_git('rev-parse', '--short=8', 'HEAD')}):"
    page, places = PAGE.read_text(), []

    def replaced(place: re.Match[str]) -> str:
        if place["name"] != name:
            return place[0]
        places.append(place)
        return "\n".join([f"<!-- bench {name}: {place['paths']} -->", line, "", "\n\n".join(texts), "<!-- end -->"])

    page = _PLACE.sub(replaced, page)
    if len(places) != 1:
        sys.exit(f"{PAGE.name}: `<!-- bench {name}: … -->` … `<!-- end -->` stands there {len(places)} times, not once")
    PAGE.write_text(page)
    print(f"written: {name}, into {PAGE.relative_to(ROOT)}")


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown."""
    lines = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads), *(f"| {' | '.join(row)} |" for row in rows)]
    return "\n".join(lines)


def uncommitted_code() -> str:
    """Changed files outside of `docs/`: with them, a table's commit would not be what was measured. Empty: none."""
    return _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")


def _command() -> str:
    words = [word for word in sys.argv[1:] if word != "--write"]
    return shlex.join(["bench", Path(sys.argv[0]).stem, *words])


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
