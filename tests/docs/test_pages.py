"""The documentation says what is true: links lead somewhere, and what is named exists."""

import re
from pathlib import Path

from portal_dev.management import commands as developers_folder
from portal_operate.management import commands as commands_folder
from portal_operate.program.entry import PROGRAMS, WORKSPACE_COMMANDS
from tests.support.doc_blocks import pages

ROOT = Path(__file__).resolve().parents[2]


def test_every_relative_link_leads_to_a_file() -> None:
    """Also on pages that the site has not; of the others, the build of the site says the same."""
    links = [(page, link) for page in pages() for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())]
    missing = [(page.name, link) for page, link in links if "://" not in link and not (page.parent / link).exists()]
    assert missing == []


def test_every_command_is_documented_and_none_else() -> None:
    page = (ROOT / "docs" / "reference" / "commands.md").read_text()
    targets = re.findall(r"^([a-z%-]+):.*##", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    documented_targets = re.findall(r"^- `make ([a-zA-Z-]+)", page, flags=re.MULTILINE)
    assert sorted(documented_targets) == sorted(target.replace("%", "APP") for target in targets)
    folders = (commands_folder, developers_folder)
    commands = {path.stem for folder in folders for path in Path(folder.__path__[0]).glob("[a-z]*.py")}
    documented = re.findall(r"^- `\./manage\.py (?:--app \w+ )?([a-z]\w*)", page, flags=re.MULTILINE)
    assert sorted(documented) == sorted([*commands, *PROGRAMS])
    alone = re.findall(r"^- `\./manage\.py (\w+)", page, flags=re.MULTILINE)
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
