"""The documentation says what is true: links lead somewhere, and what is named exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from portal.operate.management import commands as commands_folder
from portal.operate.program.entry import PROGRAMS, WORKSPACE_COMMANDS
from portal_dev.management import commands as developers_folder

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") or part == "node_modules" for part in path.relative_to(ROOT).parts)
)


def names(pages: list[Path]) -> list[str]:
    return [str(page.relative_to(ROOT)) for page in pages]


@pytest.mark.parametrize("page", PAGES, ids=names(PAGES))
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    missing = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


def test_every_page_of_the_docs_is_reached_from_the_index() -> None:
    seen: set[Path] = set()
    waiting = [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        links = re.findall(r"\]\(([^)#\s]+\.md)[^)]*\)", page.read_text())
        waiting.extend((page.parent / link).resolve() for link in links if "://" not in link)
    assert sorted(str(p) for p in (ROOT / "docs").rglob("*.md") if p not in seen) == []


def test_every_command_is_documented_and_none_else() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    targets = re.findall(r"^([a-z%-]+):.*##", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    documented_targets = re.findall(r"^\| `make ([a-zA-Z-]+)", page, flags=re.MULTILINE)
    assert sorted(documented_targets) == sorted(target.replace("%", "APP") for target in targets)
    folders = (commands_folder, developers_folder)
    commands = [path.stem for folder in folders for path in Path(folder.__path__[0]).glob("[a-z]*.py")]
    documented = re.findall(r"^\| `\./manage\.py (?:--app \w+ )?([a-z]\w*)", page, flags=re.MULTILINE)
    assert sorted(documented) == sorted([*commands, *PROGRAMS])
    alone = re.findall(r"^\| `\./manage\.py (\w+)", page, flags=re.MULTILINE)
    assert sorted(alone) == sorted(WORKSPACE_COMMANDS)


def test_the_locked_requirements_name_no_address() -> None:
    for path in (ROOT / "requirements").glob("*.txt"):
        text = path.read_text()
        assert "://" not in text
        assert "--index-url" not in text
        assert "--find-links" not in text
        pinned = re.findall(r"^[a-z0-9._-]+==", text, flags=re.MULTILINE)
        assert len(pinned) == len(re.findall(r"^[A-Za-z]", text, flags=re.MULTILINE)), "every requirement is pinned"
        assert text.count("--hash=sha256:") >= len(pinned)


def test_every_direct_dependency_has_its_reason() -> None:
    wanted = re.findall(
        r'^    "([A-Za-z0-9_-]+)(?:\[[a-z-]+\])?>=', (ROOT / "pyproject.toml").read_text(), flags=re.MULTILINE
    )
    page = (ROOT / "docs" / "reference" / "dependencies.md").read_text().lower()
    aliases = {
        "djangorestframework": "django rest framework",
        "djangorestframework-stubs": "stubs",
        "types-requests": "requests",
        "types-pyyaml": "pyyaml",
    }
    assert [name for name in wanted if aliases.get(name.lower(), name.lower()) not in page] == []
