"""The compiled templates of a server: one process writes them, its workers read them and compile nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal.web.templating.environment import MACROS, PageEnvironment
from tests.portal.web.templating.conftest import NewEnvironment

TEMPLATES = {
    "layout.html": "<h1>{% block title %}{% endblock %}</h1>{% block table %}{% endblock %}",
    "list.html": '{% extends "layout.html" %}{% block title %}Clients{% endblock %}'
    "{% block table %}{% for row in rows %}<b>{{ row }}</b>{% endfor %}{% endblock %}",
}
ROWS = {"rows": ["<Ada>", "Linus"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "en.compiled"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def written(environment_of: NewEnvironment, folder: Path) -> PageEnvironment:
    environment = environment_of(TEMPLATES, compiled_in=folder)
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
def test_compiled_templates_are_loaded_when_needed(environment_of: NewEnvironment, folder: Path) -> None:
    environment = environment_of(TEMPLATES, compiled_in=folder)
    environment.compile_all()
    assert loaded(environment) == {MACROS}
    environment.get_template("list.html#table")
    assert loaded(environment) == {MACROS, "list.html#table"}


@pytest.mark.usefixtures("written")
def test_changed_template_or_layout_is_compiled_anew(environment_of: NewEnvironment, folder: Path) -> None:
    before = contents(folder)
    for changed, page in (
        ({"list.html": "<p>changed</p>"}, "<p>changed</p>"),
        ({"layout.html": "<h2>{% block title %}{% endblock %}</h2>"}, "<h2>Clients</h2>"),
    ):
        environment = environment_of(TEMPLATES | changed, compiled_in=folder)
        environment.compile_all()
        assert environment.get_template("list.html").render(ROWS) == page
    assert contents(folder) == before, "what a worker compiles itself is not kept for the others"


@pytest.mark.usefixtures("written")
def test_the_texts_of_pages_are_interned_so_that_readers_have_each_once(folder: Path) -> None:
    text = b"<h1>Clients</h1>"
    # "Z" is marshal's sign of a short interned text; a plain one has "z". 128 marks what is referred to later.
    signs = [b"Z", bytes([ord("Z") | 0x80])]
    assert any(sign + bytes([len(text)]) + text in code for sign in signs for code in contents(folder).values())
