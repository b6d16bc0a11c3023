"""In `DEBUG` what is edited shows at once, and nothing else is compiled again."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

from portal.web.templating.environment import PageEnvironment
from tests.portal.web.templating.conftest import NewEnvironment

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
    return environment_of(TEMPLATES, joins_pages=False)


def shown(environment: PageEnvironment, name: str) -> str:
    return environment.get_template(name).render({"row": 1, "rows": [1]})


def test_page_and_block_are_compiled_once(in_debug: PageEnvironment, compiled: Counter[str | None]) -> None:
    for name in (ROW, WHOLE):
        compiled.clear()
        assert all(SHOWN in shown(in_debug, name) for _ in range(3))
        assert set(compiled.values()) == {1}, compiled


@pytest.mark.parametrize(
    ("file", "change", "shows"),
    [
        ("list.html", ("%}", "%}{% block row %}own{% endblock %}"), "own"),
        ("layout.html", ("{% include", "layout{% include"), f"layout{SHOWN}"),
        ("cells.html", ("<td>", '<td class="x">'), '<td class="x"><b>1</b></td>'),
        ("own.html", ("<b>", "<b>own "), "<td><b>own 1</b></td>"),
    ],
)
def test_an_edited_file_shows_at_once_wherever_a_block_has_it_from(
    in_debug: PageEnvironment, tmp_path: Path, file: str, change: tuple[str, str], shows: str
) -> None:
    assert all(SHOWN in shown(in_debug, name) for name in (ROW, WHOLE))
    path = tmp_path / file
    # Saved a second later by its own time: a file system may count no less.
    later_ns = path.stat().st_mtime_ns + 10**9
    path.write_text(TEMPLATES[file].replace(*change, 1))
    os.utime(path, ns=(later_ns, later_ns))
    assert all(shows in shown(in_debug, name) for name in (ROW, WHOLE))


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<form a{% if row %} b{% endif %}\n  c>", "<form a b c>"),
        ("<form a{% if not row %} b{% endif %}\n  {% if row %}\n  c{% endif %}\n  d>", "<form a c d>"),
        ("<a\n  {% if row %}b{% endif %}\n  {% if row %}c{% endif %}>", "<a\nb c>"),
        ("<p>\n  One{# of two #}\n  two\n  {% if row %}\n    three\n  {% endif %}\n</p>", "<p>\nOne two\nthree\n</p>"),
    ],
)
def test_blocks_stay_apart_without_indentation(environment_of: NewEnvironment, source: str, written: str) -> None:
    assert shown(environment_of({"page.html": source}, joins_pages=True), "page.html") == written
