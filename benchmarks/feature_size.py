"""How much a team writes for one feature with list, search, form, delete and a figure: here, and in React.

Counted are the files, the lines that are not blank, and the bytes. Here they are what the how-to has a team write, new
files whole and changed ones by the added lines, but for what the versions in React do not have either: tests,
translations, icons, the sandbox backend. In React they are all files of a version.

    ./manage.py bench feature_size            # --types: have the versions in React checked by tsc, with npm's help
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks._options import options_of, parser_of

ROOT: Final = Path(__file__).resolve().parents[1]
REACT: Final = ROOT / "benchmarks" / "react"
HOW_TO: Final = ROOT / "docs" / "how-to" / "add-a-resource.md"
VERSIONS: Final = {"React + TanStack Query 5": "tanstack_query", "React + RTK Query 2": "rtk_query"}
#: In the how-to: a file's name in backticks, and the block with its text, or with what changes.
_STEP = re.compile(r"`([\w./-]+)`[^`\n]*\n\n *```(\w+)\n(.*?)\n *```", re.DOTALL)
_COUNTED = re.compile(r"(apps|packages/portal/services)/.*\.(py|html)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """What a team writes.

    :param lines: that are not blank.
    """

    files: int
    lines: int
    bytes: int


def size_of(texts: dict[str, str]) -> Size:
    """The size of these files, by name."""
    lines = [line for text in texts.values() for line in text.splitlines() if line.strip()]
    return Size(files=len(texts), lines=len(lines), bytes=sum(len(text.encode()) for text in texts.values()))


def written_in_react(folder: Path) -> dict[str, str]:
    """The files of one version."""
    return {path.name: path.read_text() for path in sorted(folder.glob("*.ts*"))}


def written_here(page: str) -> dict[str, str]:
    """What a how-to has a team write, by file."""
    texts: dict[str, str] = {}
    for file, language, block in _STEP.findall(page):
        if _COUNTED.fullmatch(file):
            code = textwrap.dedent(block).splitlines()
            added = [line[1:] for line in code if line.startswith("+")] if language == "diff" else code
            texts[file] = texts.get(file, "") + "\n".join(added) + "\n"
    return texts


def sizes() -> dict[str, Size]:
    """The size of each version."""
    here = {"here": written_here(HOW_TO.read_text())} if HOW_TO.exists() else {}
    react = {name: written_in_react(REACT / folder) for name, folder in VERSIONS.items()}
    return {name: size_of(texts) for name, texts in (here | react).items()}


def row(name: str, size: Size) -> str:
    """A row of the table, as the documentation has it."""
    return f"| {name} | {size.files} | {size.lines} | {size.bytes / 1000:.1f} kB |"


def checked_types() -> bool:
    """Install what the versions in React need, in a folder that is not committed, and check their types and format."""
    npm = shutil.which("npm")
    if npm is None:
        sys.stderr.write("npm is not on this machine, so no types are checked\n")
        return False
    copy = ROOT / ".state" / "react"
    shutil.copytree(REACT, copy, dirs_exist_ok=True)
    install = [npm, "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock"]
    return all(
        subprocess.run(command, cwd=copy, check=False).returncode == 0
        for command in (install, [npm, "test", "--silent"])
    )


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("--types", action="store_true", help="have the versions in React checked by tsc")
    wanted = options_of(parser)
    print("| | files | lines | bytes |\n|---|---|---|---|")
    for name, size in sizes().items():
        print(row(name, size))
    if wanted.types and not checked_types():
        sys.exit(1)


if __name__ == "__main__":
    main()
