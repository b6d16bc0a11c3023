"""The import contracts, tried: each wrong import is caught, by the contract that names the rule."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.wrong_imports.dependencies import DEPENDENCIES
from tests.architecture.wrong_imports.directions import DIRECTIONS
from tests.architecture.wrong_imports.public_interfaces import PUBLIC_INTERFACES

ROOT = Path(__file__).resolve().parents[2]

WRONG_IMPORTS = [*DIRECTIONS, *PUBLIC_INTERFACES, *DEPENDENCIES]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name("lint-imports")
    # The environment's path file names this checkout; the copy comes before it.
    path = f"{folder}:{folder / 'packages'}"
    environment = {**os.environ, "PYTHONPATH": path, "COLUMNS": "300"}
    command = [tool, "--no-cache"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for part in ("packages", "apps"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "locale"))
    return folder


def test_the_code_as_it_stands_keeps_every_contract_and_each_wrong_import_breaks_its_own(copy: Path) -> None:
    result = lint_imports(copy)
    assert (result.returncode, " 0 broken" in result.stdout) == (0, True), result.stdout
    told = [append(copy / file, line) for file, line, _ in WRONG_IMPORTS]
    reports = reports_of(lint_imports(copy).stdout)
    missed = [
        (file, line, contract)
        for (file, line, contract), number in zip(WRONG_IMPORTS, told, strict=True)
        if not names_import(reports.get(contract, ""), file, line, number)
    ]
    assert missed == []


def append(path: Path, line: str) -> int:
    """Add a line; gives its number. A new module has none: it has no place in its layer yet."""
    assert path.is_file() == bool(line), f"{path} has moved"
    text = path.read_text() if line else ""
    path.write_text(f"{text}{line}\n")
    return text.count("\n") + 1


def reports_of(output: str) -> dict[str, str]:
    """Of each broken contract, what the linter says of it."""
    parts = re.split(r"^(\S.*)\n-+\n", output.partition("Broken contracts\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def names_import(report: str, file: str, line: str, number: int) -> bool:
    """Whether a report names this import at its line, as the last step of a chain: it leads to what is forbidden.

    Of a circle it names the two modules, by their last names.
    """
    module = file.removeprefix("packages/").removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    if not line:
        return f"\n- {module}\n" in report
    _, imported, *_ = line.split()
    library, name, other = (
        re.escape(each.rpartition(".")[2]) for each in (imported.partition(".")[0], module, imported)
    )
    at_its_line = rf"^[- ] *{re.escape(module)} -> (?:{re.escape(imported)}|{library}) \(.*\bl\.{number}\b.*\n(?! )"
    return re.search(rf"{at_its_line}|^- \.{name} -> \.{other} ", report, re.MULTILINE) is not None
