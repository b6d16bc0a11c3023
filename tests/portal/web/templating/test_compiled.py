"""The compiled templates of a server: one process writes them into a file, its workers read them and compile nothing."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
import zlib
from pathlib import Path
from textwrap import dedent

import pytest

from portal.web.templating.environment import MACROS, PageEnvironment
from tests.portal.web.templating.conftest import NewEnvironment
from tests.support.harness import ROOT

TEMPLATES = {
    "layout.html": "<h1>{% block title %}{% endblock %}</h1>{% block table %}{% endblock %}",
    "list.html": '{% extends "layout.html" %}{% block title %}Clients{% endblock %}'
    "{% block table %}{% for row in rows %}<b>{{ row }}</b>{% endfor %}{% endblock %}",
}
ROWS = {"rows": ["<Ada>", "Linus"]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "en.compiled"


@pytest.fixture
def written(environment_of: NewEnvironment, file: Path) -> PageEnvironment:
    environment = environment_of(TEMPLATES, compiled_in=file)
    environment.compile_all()
    return environment


@pytest.fixture
def no_compiler(written: PageEnvironment, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a template is compiled")

    monkeypatch.setattr(PageEnvironment, "compile", refuse)


def loaded(environment: PageEnvironment) -> set[str]:
    return {name for _, name in environment.cache or ()}


@pytest.mark.usefixtures("no_compiler")
def test_an_environment_loads_a_compiled_template_when_a_page_needs_it(
    environment_of: NewEnvironment, file: Path
) -> None:
    environment = environment_of(TEMPLATES, compiled_in=file)
    environment.compile_all()
    assert loaded(environment) == {MACROS}
    environment.get_template("list.html#table")
    assert loaded(environment) == {MACROS, "list.html#table"}


@pytest.mark.usefixtures("no_compiler")
def test_an_environment_can_load_all_compiled_templates_at_once(environment_of: NewEnvironment, file: Path) -> None:
    environment = environment_of(TEMPLATES, compiled_in=file)
    environment.load_compiled()
    assert loaded(environment) >= {MACROS, "list.html", "list.html#table"}


@pytest.mark.usefixtures("no_compiler")
def test_a_file_that_changes_later_does_not_change_the_pages_of_a_server(
    environment_of: NewEnvironment, file: Path, tmp_path: Path
) -> None:
    environment = environment_of(TEMPLATES, compiled_in=file)
    (tmp_path / "list.html").write_text("of another release")
    assert "<h1>Clients</h1>" in environment.get_template("list.html").render(ROWS)


@pytest.mark.parametrize("name", ["list.html", "list.html#table"])
def test_what_is_read_renders_as_what_was_compiled(
    environment_of: NewEnvironment, written: PageEnvironment, file: Path, name: str
) -> None:
    read = environment_of(TEMPLATES, compiled_in=file)
    text = read.get_template(name).render(ROWS)
    assert "<b>&lt;Ada&gt;</b><b>Linus</b>" in text
    assert text == written.get_template(name).render(ROWS)


@pytest.mark.usefixtures("written")
def test_a_template_that_has_changed_since_is_compiled_anew(environment_of: NewEnvironment, file: Path) -> None:
    changed = TEMPLATES | {"list.html": "<p>changed</p>"}
    before = file.read_bytes()
    environment = environment_of(changed, compiled_in=file)
    environment.compile_all()
    assert environment.get_template("list.html").render(ROWS) == "<p>changed</p>"
    assert file.read_bytes() == before


@pytest.mark.usefixtures("written")
def test_a_page_whose_layout_has_changed_since_is_compiled_anew(environment_of: NewEnvironment, file: Path) -> None:
    changed = TEMPLATES | {"layout.html": "<h2>{% block title %}{% endblock %}</h2>"}
    environment = environment_of(changed, compiled_in=file)
    environment.compile_all()
    assert environment.get_template("list.html").render(ROWS) == "<h2>Clients</h2>"


@pytest.mark.usefixtures("written")
def test_what_a_worker_compiles_itself_is_not_kept_for_the_file(environment_of: NewEnvironment, file: Path) -> None:
    before = file.read_bytes()
    environment = environment_of(TEMPLATES | {"late.html": "late"}, compiled_in=file)
    environment.compile_all()
    assert environment.get_template("late.html").render() == "late"
    assert file.read_bytes() == before
    assert not vars(environment.compiled)["_collected"]


@pytest.mark.usefixtures("written")
def test_the_texts_of_pages_are_interned_so_that_readers_have_each_once(file: Path) -> None:
    _, codes = marshal.loads(file.read_bytes())
    text = b"<h1>Clients</h1>"
    # "Z" is marshal's sign of a short interned text; a plain one has "z".
    assert any(
        b"Z" + bytes([len(text)]) + text in zlib.decompress(code).replace(b"\xda", b"Z") for code in codes.values()
    )


START = """
import django

django.setup()
from portal.startup import import_project
from portal.web.templating.environment import PageEnvironment

compiled = []
compile = PageEnvironment.compile

def note(self, source, name=None, *args, **options):
    compiled.append(name)
    return compile(self, source, name, *args, **options)

PageEnvironment.compile = note
import_project(settings="apps.energy.settings")
print(len(compiled))
"""


def test_only_the_first_process_of_a_server_compiles_the_templates_of_a_project(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "DEBUG": "off",
        "DJANGO_SETTINGS_MODULE": "apps.energy.settings",
        "APP_COMPILED_TEMPLATES_DIR": str(tmp_path),
    }

    def number_compiled() -> int:
        command = [sys.executable, "-c", dedent(START)]
        return int(subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, check=True).stdout)

    assert number_compiled() > 100
    assert number_compiled() == 0
    assert {path.name for path in tmp_path.iterdir()} == {"de", "en", "tr"}
