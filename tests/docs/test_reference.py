"""`update_reference` writes the parts of pages that the code has; pages kept by hand name what the code has."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from portal.edge.rules import RULES
from portal.query import DeclaredMutation
from portal.services.endpoint_list import declared_hooks
from portal.services.service_imports import import_services
from portal_dev.reference.pages import PARTS, main
from tests.support.harness import ROOT

REFERENCE: Final = ROOT / "docs" / "reference"
#: Methods of a logger that write at WARNING or above, or may.
LEVELS: Final = {"warning", "error", "exception", "critical", "log"}
#: Folders of what a server runs.
RUN_BY_SERVERS: Final = (
    *("packages/portal", "packages/portal_oidc", "packages/portal_operate", "packages/portal_pages"),
    "packages/portal_server",
    *("packages/sqlite_cache", "packages/fork_safety", "apps"),
)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """The files with parts, in a folder of the test's own."""
    for page in PARTS:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).write_text((ROOT / page).read_text())
    return tmp_path


def test_command_writes_the_pages_that_are_not_current(pages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for page in (".env.example", "docs/reference/checks.md"):
        text = (pages / page).read_text()
        (pages / page).write_text(text.replace("#PORT_BASE", "#OTHER").replace("`portal.E001`", "`portal.E999`"))
    main(pages)
    assert capsys.readouterr().out.splitlines() == [".env.example", "docs/reference/checks.md"]
    assert [page for page in PARTS if (pages / page).read_text() != (ROOT / page).read_text()] == []
    main(pages)
    assert capsys.readouterr().out == ""


def test_page_without_a_place_for_its_part_fails(pages: Path) -> None:
    (pages / "docs/reference/metrics.md").write_text("# Metrics\n")
    with pytest.raises(SystemExit, match=r"^docs/reference/metrics\.md: <!-- generated --> … <!-- end --> is missing"):
        main(pages)


def test_edge_table_has_the_rules_in_their_order() -> None:
    sections = re.findall(r"^## (.*)$", (REFERENCE / "edge-table.md").read_text(), flags=re.MULTILINE)
    assert sections == [rule.name for rule in RULES]


def test_endpoints_page_names_all_required_calls() -> None:
    import_services()
    is_optional = {
        f"{hook.method if isinstance(hook, DeclaredMutation) else 'GET'} `{hook.path_shape}`": hook.optional
        for hook in declared_hooks()
    } | {"POST `/refresh`": False}
    page = (REFERENCE / "endpoints.md").read_text()
    assert set(re.findall(r"^- ([A-Z]+ `[^`]+`)", page, flags=re.MULTILINE)) <= is_optional.keys()
    required = {call for call, optional in is_optional.items() if not optional}
    assert set(re.findall(r"^- ([A-Z]+ `[^`]+`)[.,].*\*\*Required\*\*", page, flags=re.MULTILINE)) == required
    asked = (REFERENCE / "what-we-ask-of-a-backend.md").read_text().partition("## Required")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| ([A-Z]+ `[^`]+`) \|", asked, flags=re.MULTILINE)) == required


def messages(path: Path) -> Iterator[str]:
    """Yield each message that a logger of the module writes at WARNING or above, with `…` for a value."""
    tree = ast.parse(path.read_text())
    constants = {node.target.id: node.value for node in tree.body if isinstance(node, ast.AnnAssign)}
    loggers = set(re.findall(r"^(\w+)(?:: Final)? = logging\.getLogger", path.read_text(), flags=re.MULTILINE))
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Attribute(ast.Name(name), level), args) if name in loggers and level in LEVELS:
                message: Any = args[level == "log"]
                message = constants.get(getattr(message, "id", ""), message)
                for text in (message.body, message.orelse) if isinstance(message, ast.IfExp) else (message,):
                    yield re.sub(r"%(?:\.\d+)?[a-z]", "…", text.value).replace("%%", "%").replace("`", "'")
            case _:
                pass


def test_log_page_has_the_beginning_of_each_message() -> None:
    sections = (REFERENCE / "log-events.md").read_text().split("\n## ")[1:]
    named = (name for section in sections for name in re.findall(r"`([^`]+)`", section.rsplit("\n\n", 1)[1]))
    shown = {name.removesuffix(" …") for name in named}
    paths = {path for folder in RUN_BY_SERVERS for path in (ROOT / folder).rglob("*.py") if "testing" not in path.parts}
    found = {message for path in paths for message in messages(path)}
    assert len(found) > 50
    assert {text for text in found if not any(f"{text} ".startswith(f"{start} ") for start in shown)} == set()
    assert {start for start in shown if not any(f"{text} ".startswith(f"{start} ") for text in found)} == set()
