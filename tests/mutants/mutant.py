"""A mutant: one change that breaks a rule. The files `AREA.toml` of this folder list them."""

import ast
import dataclasses
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent


class WrongMutantError(Exception):
    """The entry does not fit the code, so it proves nothing."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mutant:
    """One entry of a list.

    :param area: the name of its list.
    :param number: its place in the list, from 1.
    :param file: the path from the root of what it changes.
    :param rule: what the document, the contract or the docs say, and the change breaks.
    :param old: text that stands exactly once in the file.
    :param new: what takes its place.
    :param tests: paths for pytest, of tests that should fail with the change.
    """

    area: str
    number: int
    file: str
    rule: str
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.area} {self.number}, {self.file}: {self.rule}"

    def changed_text(self, root: Path) -> str:
        """The text of the file with the change.

        :raises WrongMutantError: `old` is not there exactly once, or Python can't read the result.
        """
        path = root / self.file
        if not path.is_file():
            raise WrongMutantError("there is no such file")
        text = path.read_text()
        if (times := text.count(self.old)) != 1 or self.old == self.new:
            raise WrongMutantError(f"`old` stands there {times} times" if times != 1 else "`new` is `old`")
        changed = text.replace(self.old, self.new)
        if path.suffix == ".py":
            try:
                ast.parse(changed)
            except SyntaxError as error:
                raise WrongMutantError(f"Python can't read the change: {error}") from None
        return changed

    def apply(self, root: Path) -> None:
        """Change the file in `root`, with a later time of change: compiled code may be of the same second."""
        path = root / self.file
        changed, seconds = self.changed_text(root), path.stat().st_mtime + 10
        path.write_text(changed)
        os.utime(path, (seconds, seconds))


def read_mutants(areas: Iterable[str] = (), *, folder: Path = FOLDER) -> list[Mutant]:
    """The mutants of these areas, or of all.

    :raises FileNotFoundError: there is no list of such an area.
    """
    found = []
    for area in list(areas) or sorted(path.stem for path in folder.glob("*.toml")):
        entries = tomllib.loads((folder / f"{area}.toml").read_text())["mutant"]
        for number, entry in enumerate(entries, start=1):
            found.append(Mutant(area=area, number=number, **{**entry, "tests": tuple(entry["tests"])}))
    return found
