"""A module stays small enough to be read at once, and a folder to be known: architecture, rule 3."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.support.harness import ROOT

#: Lines of a module.
MOST_LINES = 320
#: Modules of a folder, beside its `__init__`.
MOST_MODULES = 12


def modules(folder: Path) -> list[Path]:
    """All modules below a folder but the migrations, which Django writes."""
    return sorted(path for path in folder.rglob("*.py") if path.parent.name != "migrations")


def long_modules(folder: Path) -> list[str]:
    """`path: lines` of each module that is too long."""
    sizes = {path: len(path.read_text().splitlines()) for path in modules(folder)}
    return [f"{path.relative_to(folder)}: {lines}" for path, lines in sizes.items() if lines > MOST_LINES]


def full_folders(folder: Path) -> list[str]:
    """`path: modules` of each folder that has too many. Django finds the commands of an app in one folder."""
    counts = Counter(
        path.parent for path in modules(folder) if path.name != "__init__.py" and path.parent.name != "commands"
    )
    return [f"{path.relative_to(folder)}: {count}" for path, count in counts.items() if count > MOST_MODULES]


def test_no_module_is_longer_than_a_reader_takes_in_at_once() -> None:
    assert long_modules(ROOT / "packages") + long_modules(ROOT / "apps") == []


def test_no_folder_has_more_modules_than_a_reader_knows_by_name() -> None:
    assert (
        full_folders(ROOT / "packages" / "portal")
        + full_folders(ROOT / "packages" / "portal_pages")
        + full_folders(ROOT / "packages" / "portal_dev")
        + full_folders(ROOT / "apps")
        == []
    )


def test_what_is_too_much_is_named(tmp_path: Path) -> None:
    package = tmp_path / "package"
    package.mkdir()
    for number in range(MOST_MODULES + 1):
        (package / f"module_{number}.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "module_0.py").write_text("x = 1\n" * MOST_LINES)
    assert long_modules(tmp_path) == []
    (package / "module_0.py").write_text("x = 1\n" * (MOST_LINES + 1))
    assert long_modules(tmp_path) == [f"package/module_0.py: {MOST_LINES + 1}"]
    assert full_folders(tmp_path) == [f"package: {MOST_MODULES + 1}"]
