"""Pages and blocks of pages in the language of the request, from compiled code that nobody else can write."""

import traceback
from pathlib import Path

import pytest
from django.conf import settings
from django.template import engines
from django.test import override_settings
from django.utils import translation
from jinja2 import Environment, UndefinedError

from portal.web.templating import compile_templates, render_block
from portal.web.templating.backend import SharedCode
from portal.web.templating.environment import PageEnvironment
from tests.portal.web.templating.conftest import NewEnvironment, shown

FILES = {
    "base.html": "<!doctype html>\n<h1>{% block title %}base{% endblock %}</h1>{% block table %}{% endblock %}",
    "layout.html": '{% extends "base.html" %}\n{% block title %}{{ super() }}, layout{% endblock %}',
    "list.html": '{% extends "layout.html" %}\n{% set tone = "warn" %}\n'
    "{% block table %}{{ tone }}: {{ self.title() }}\n{{ row.city }}{% endblock %}",
    "plain.html": "<p>{% block table %}{{ row.city }}{% endblock %}</p>",
}


@pytest.fixture
def environment(environment_of: NewEnvironment) -> PageEnvironment:
    return environment_of(FILES)


@pytest.mark.parametrize(
    ("name", "html"),
    [
        ("list.html#table", "warn: base, layout\n&lt;Rome&gt;"),
        ("list.html#title", "base, layout"),
        ("plain.html#table", "&lt;Rome&gt;"),
    ],
)
def test_block_is_rendered_as_its_page_has_it(environment: PageEnvironment, name: str, html: str) -> None:
    assert shown(environment, name, row={"city": "<Rome>"}) == html


def test_block_that_no_layout_has_is_named(environment: PageEnvironment) -> None:
    with pytest.raises(KeyError, match="rows"):
        shown(environment, "list.html#rows")


def test_fault_in_a_block_has_its_line(environment: PageEnvironment) -> None:
    with pytest.raises(UndefinedError) as caught:
        shown(environment, "list.html#table", row={})
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [each.lineno for each in frames if each.filename.endswith("list.html")][-1] == 4


def test_page_and_block_are_in_the_requests_language() -> None:
    for language, text in (("en", "Search"), ("de", "Suche")):
        with translation.override(language):
            pages = [engines["pages"].from_string("{{ _('Search') }}").render()]
            pages.append(render_block("portal/bulk.html", "title", {"rows": [1]}))
        assert text in pages[0]
        assert ("selected" in pages[1]) is (language == "en")


@pytest.fixture
def compiled_dir(tmp_path: Path) -> Path:
    return tmp_path / "compiled"


def test_compiled_templates_are_read_and_private(compiled_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read from the folder is code."""
    templates = [{**engine, "OPTIONS": dict(engine["OPTIONS"])} for engine in settings.TEMPLATES]
    templates[0]["OPTIONS"]["compiled_dir"] = compiled_dir
    with override_settings(TEMPLATES=templates):
        compile_templates()
    assert compiled_dir.stat().st_mode & 0o777 == 0o700
    assert len([*compiled_dir.iterdir()]) > 40

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a template is compiled")

    monkeypatch.setattr(Environment, "compile", refuse)
    with override_settings(TEMPLATES=templates):
        compile_templates()


def test_languages_share_the_code_of_a_template(environment_of: NewEnvironment) -> None:
    code = SharedCode(None)
    pages = [
        environment_of(FILES, language=each, bytecode_cache=code).get_template("plain.html") for each in ("en", "de")
    ]
    english, german = (page.root_render_func.__code__ for page in pages)
    assert english is german


def test_changed_template_is_compiled_again(environment_of: NewEnvironment) -> None:
    code = SharedCode(None)
    environment_of({"plain.html": "before"}, bytecode_cache=code).get_template("plain.html")
    environment = environment_of({"plain.html": "after"}, bytecode_cache=code)
    assert shown(environment, "plain.html") == "after"
