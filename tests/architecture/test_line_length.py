"""Templates and drawings keep the width that Python keeps: 120 characters."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = {".html", ".html-tpl", ".svg"}
MAX_CHARS = 120


def long_lines(folder: Path) -> list[str]:
    """`path:line` of every line below `folder` that is too long."""
    return [
        f"{path.relative_to(folder)}:{number}"
        for path in sorted(folder.rglob("*"))
        if path.suffix in SUFFIXES
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if len(line) > MAX_CHARS
    ]


def test_no_line_of_a_template_is_longer_than_the_width() -> None:
    assert long_lines(ROOT / "apps") + long_lines(ROOT / "packages") == []


def test_a_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"{'x' * MAX_CHARS}\n{'ü' * MAX_CHARS}\n{'x' * (MAX_CHARS + 1)}\n")
    (tmp_path / "notes.txt").write_text("x" * 1000)
    assert long_lines(tmp_path) == ["page.html:3"]
