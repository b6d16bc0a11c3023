"""The import contracts, tried: each wrong import is caught, by the contract that names the rule."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.wrong_imports.dependencies import DEPENDENCIES
from tests.architecture.wrong_imports.directions import DIRECTIONS
from tests.architecture.wrong_imports.faces import FACES

ROOT = Path(__file__).resolve().parents[2]

WRONG_IMPORTS = [*DIRECTIONS, *FACES, *DEPENDENCIES]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    tool = Path(sys.executable).with_name("lint-imports")
    # The environment's path file names this checkout; the copy comes before it.
    path = f"{folder}:{folder / 'packages'}"
    environment = {**os.environ, "PYTHONPATH": path}
    command = [tool, "--no-cache"]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for part in ("packages", "apps"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__", "locale"))
    return folder


def test_the_house_as_it_stands_keeps_every_contract(copy: Path) -> None:
    result = lint_imports(copy)
    assert result.returncode == 0, result.stdout
    assert " 0 broken" in result.stdout


def test_each_wrong_import_is_tried_in_a_module_that_exists() -> None:
    """But a new module, which has no line: it has no place in its layer yet."""
    assert [file for file, line, _ in WRONG_IMPORTS if line and not (ROOT / file).is_file()] == []


@pytest.mark.parametrize(("file", "line", "contract"), WRONG_IMPORTS)
def test_a_wrong_import_is_caught_by_name(copy: Path, file: str, line: str, contract: str) -> None:
    path = copy / file
    before = path.read_text() if path.exists() else None
    path.write_text(f"{before or ''}\n{line}\n")
    try:
        result = lint_imports(copy)
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before)
    assert result.returncode != 0
    # The row may end with a remark.
    broken = [row.partition(" BROKEN")[0] for row in result.stdout.splitlines() if " BROKEN" in row]
    assert contract in broken or (line == "" and "utils" in result.stdout), result.stdout
