"""The vocabulary has a section or a line for every room, and every name that it gives exists."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2] / "packages"
PAGE = PACKAGES.parent / "docs" / "explanation" / "vocabulary.md"
TEXT = PAGE.read_text()
#: Named in a heading, or in the first cell of a line.
NAMED = {
    name
    for line in TEXT.splitlines()
    if line.startswith(("## ", "| "))
    for name in re.findall(r"`([^`]+)`", line if line.startswith("## ") else line.split("|")[1])
}
#: Rooms that need no words of their own.
PLAIN = {
    "administration/management",
    "administration/management/commands",
    "management/commands",
    "web/metrics",
    "web/views",
}


def rooms() -> set[str]:
    """Folders of the shared package with modules; a service's folder is named by its domain."""
    found = {str(path.parent.relative_to(PACKAGES / "portal")) for path in (PACKAGES / "portal").rglob("*.py")}
    return {room for room in found if not room.startswith("services/")} - {"."} - PLAIN


def test_every_room_is_there() -> None:
    assert sorted(rooms() - NAMED) == []


def test_every_name_exists() -> None:
    code = "\n".join(path.read_text() for path in PACKAGES.rglob("*.py") if "sandbox_api" not in path.parts)
    folders = rooms() | {f"packages/{path.name}" for path in PACKAGES.iterdir()}
    words = {name for name in NAMED - folders if not re.search(rf"\b{re.escape(name)}\b", code)}
    assert sorted(words) == []


def test_no_word_stands_twice_in_one_section() -> None:
    for section in TEXT.split("\n## ")[1:]:
        words = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")]
        assert len(words) == len(set(words)), section.splitlines()[0]
