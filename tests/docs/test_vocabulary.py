"""Every name that the vocabulary gives exists, and each word stands once."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2] / "packages"
TEXT = (PACKAGES.parent / "docs" / "explanation" / "vocabulary.md").read_text()
WORDS = re.findall(r"^- \*\*(.+?)\*\*:", TEXT, flags=re.MULTILINE)


def test_every_name_exists() -> None:
    code = "\n".join(path.read_text() for path in PACKAGES.rglob("*.py") if "sandbox_api" not in path.parts)
    names = {name for word in WORDS for name in re.findall(r"`([^`]+)`", word)}
    assert names
    assert sorted(name for name in names if not re.search(rf"\b{re.escape(name)}\b", code)) == []


def test_no_word_stands_twice() -> None:
    assert len(WORDS) == len(set(WORDS)) > 0
