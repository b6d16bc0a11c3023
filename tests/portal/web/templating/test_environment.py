"""The environment of one language: what its templates write, and what it shares with those of other languages."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemBytecodeCache, TemplateAssertionError
from markupsafe import Markup

from portal.web.templating.environment import PageEnvironment
from tests.portal.web.templating.conftest import NewEnvironment, shown

TEMPLATES = {
    "base.html": "<main>{% block table %}{% endblock %}</main>",
    "layout.html": '{% extends "base.html" %}{% block table %}'
    '{% for row in rows %}{% block row scoped %}{% include "cells.html" %}{% endblock %}{% endfor %}{% endblock %}',
    "cells.html": '{% from "own.html" import bold %}<td>{{ bold(row) }}</td>',
    "own.html": "{% macro bold(text) %}<b>{{ text }}</b>{% endmacro %}",
    "list.html": '{% extends "layout.html" %}',
}
ROW, WHOLE = "list.html#row", "list.html"
SHOWN = "<td><b>1</b></td>"
VALUES: dict[str, Any] = {"row": 1, "rows": [1]}


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> Counter[str | None]:
    """How often each template was compiled, by its name."""
    counted, compile_one = Counter[str | None](), Environment.compile

    def counting(environment: Environment, source: Any, name: str | None, *more: Any) -> Any:
        counted[name] += 1
        return compile_one(environment, source, name, *more)

    monkeypatch.setattr(Environment, "compile", counting)
    return counted


@pytest.fixture
def in_debug(environment_of: NewEnvironment) -> PageEnvironment:
    return environment_of(TEMPLATES, auto_reload=True)


@pytest.mark.parametrize(
    ("file", "change", "shows"),
    [
        ("list.html", ("%}", "%}{% block row %}own{% endblock %}"), "own"),
        ("layout.html", ("{% include", "layout{% include"), f"layout{SHOWN}"),
        ("cells.html", ("<td>", '<td class="x">'), '<td class="x"><b>1</b></td>'),
        ("own.html", ("<b>", "<b>own "), "<td><b>own 1</b></td>"),
    ],
)
def test_edited_file_shows_at_once_in_debug(
    in_debug: PageEnvironment, tmp_path: Path, file: str, change: tuple[str, str], shows: str
) -> None:
    assert all(SHOWN in shown(in_debug, name, **VALUES) for name in (ROW, WHOLE))
    path = tmp_path / file
    # Saved a second later by its own time: a file system may count no less.
    later_ns = path.stat().st_mtime_ns + 10**9
    path.write_text(TEMPLATES[file].replace(*change, 1))
    os.utime(path, ns=(later_ns, later_ns))
    assert all(shows in shown(in_debug, name, **VALUES) for name in (ROW, WHOLE))


@pytest.mark.parametrize(
    ("value", "html"),
    [
        ("<b>", "&lt;b&gt;"),
        (Markup("<b>"), "<b>"),
        (0, "0"),
        (None, ""),
        (["<b>", None], "[&#39;&lt;b&gt;&#39;, None]"),
    ],
)
def test_value_is_escaped_and_none_is_blank(environment_of: NewEnvironment, value: object, html: str) -> None:
    assert environment_of({}).from_string("({{ value }})").render(value=value) == f"({html})"


@pytest.mark.parametrize("text", ["{{ _(word) }}", "{{ gettext(word ~ '!') }}", "{{ ngettext('one', words, 2) }}"])
def test_text_that_is_no_constant_is_refused(environment_of: NewEnvironment, text: str) -> None:
    with pytest.raises(TemplateAssertionError, match="is a constant") as caught:
        environment_of({"page.html": f"\n{text}"}).get_template("page.html")
    assert (caught.value.name, caught.value.lineno) == ("page.html", 2)


@pytest.mark.parametrize(
    ("text", "german"),
    [
        ("{{ _('Clients') }}", "Kunden"),
        ("{% trans %}Clients{% endtrans %}", "Kunden"),
        ("{{ 1234.5|amount(1) }}", "1.234,5"),
        ("{% set sum = 1234.5|amount(1) %}{{ sum }}", "1.234,5"),
        ("{{ LOCALE }}", "de"),
    ],
)
def test_languages_share_code_and_no_text(
    environment_of: NewEnvironment, tmp_path: Path, compiled: Counter[str | None], text: str, german: str
) -> None:
    (folder := tmp_path / "compiled").mkdir()
    cache = FileSystemBytecodeCache(str(folder))
    english = shown(environment_of({"page.html": text}, bytecode_cache=cache), "page.html")
    assert shown(environment_of({"page.html": text}, language="de", bytecode_cache=cache), "page.html") == german
    assert english != german
    assert compiled["page.html"] == 1


def test_changed_template_is_compiled_anew(environment_of: NewEnvironment, tmp_path: Path) -> None:
    (folder := tmp_path / "compiled").mkdir()
    cache = FileSystemBytecodeCache(str(folder))
    for change, page in (({}, f"<main>{SHOWN}</main>"), ({"base.html": "<p>changed</p>"}, "<p>changed</p>")):
        assert shown(environment_of(TEMPLATES | change, bytecode_cache=cache), WHOLE, **VALUES) == page


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<form a{% if row %} b{% endif %}\n      c>", "<form a b c>"),
        ("<a\n    {% if row %}b{% endif %}\n    {% if row %}c{% endif %}>", "<a\n b c>"),
        ("<p>\n    One{# of two #}\n    two\n</p>", "<p>\n One two\n</p>"),
    ],
)
def test_one_space_of_indentation_stays(environment_of: NewEnvironment, source: str, written: str) -> None:
    assert shown(environment_of({"page.html": source}), "page.html", row=1) == written
