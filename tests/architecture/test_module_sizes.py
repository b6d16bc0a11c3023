"""A module stays small enough to be read at once, and a folder to be known: architecture, rule 3."""

from collections import Counter

from tests.support.harness import ROOT

#: Lines of a module, and modules of a folder beside its `__init__`.
MOST_LINES, MOST_MODULES = 320, 12
#: Characters of a line of a template or drawing, as of Python.
MOST_CHARS = 120
#: All modules but the migrations, which Django writes.
MODULES = [
    path
    for folder in ("packages", "apps")
    for path in (ROOT / folder).rglob("*.py")
    if path.parent.name != "migrations"
]


def test_no_module_is_longer_than_a_reader_takes_in_at_once() -> None:
    assert len(MODULES) > 300
    assert [path for path in MODULES if len(path.read_text().splitlines()) > MOST_LINES] == []


def test_no_folder_has_more_modules_than_a_reader_knows_by_name() -> None:
    """Django finds the commands of an app in one folder; the sandbox is no part of the product."""
    counts = Counter(path.parent for path in MODULES if path.name != "__init__.py" and path.parent.name != "commands")
    full = [folder for folder, count in counts.items() if count > MOST_MODULES]
    assert [folder for folder in full if "sandbox_api" not in folder.parts] == []


def test_no_line_of_a_template_is_longer_than_the_width_of_the_code() -> None:
    files = [path for folder in ("packages", "apps") for path in (ROOT / folder).rglob("*")]
    templates = [path for path in files if path.suffix in {".html", ".html-tpl", ".svg"}]
    assert templates
    assert [path for path in templates if max(map(len, path.read_text().splitlines()), default=0) > MOST_CHARS] == []
