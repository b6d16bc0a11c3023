"""A joined page says what Jinja2's own inheritance says."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest
from jinja2 import TemplateAssertionError, UndefinedError

from tests.jinja_onepage.conftest import NewEnvironment

LAYOUT = "<main>{% block title %}-{% endblock %}|{% block content %}layout{% endblock %}</main>"
SHELL = (
    '{% extends "layout.html" %}{% block content %}<p>{% block lede %}lede{% endblock %}</p>'
    "{% for row in rows %}<li>{% block row scoped %}{{ row }}{% endblock %}</li>{% endfor %}{% endblock %}"
)
#: Pages on these layouts, and what they say with the rows 1 and <2>.
PAGES = {
    '{% extends "shell.html" %}': "<main>-|<p>lede</p><li>1</li><li>&lt;2&gt;</li></main>",
    '{% extends "shell.html" %}{% block row %}[{{ row }}]{% endblock %}': (
        "<main>-|<p>lede</p><li>[1]</li><li>[&lt;2&gt;]</li></main>"
    ),
    '{% extends "shell.html" %}{% block lede %}{{ super() }}, too{% endblock %}': (
        "<main>-|<p>lede, too</p><li>1</li><li>&lt;2&gt;</li></main>"
    ),
    '{% extends "shell.html" %}{% block content %}a{{ super() }}b{{ super() }}{% endblock %}': (
        "<main>-|a<p>lede</p><li>1</li><li>&lt;2&gt;</li>b<p>lede</p><li>1</li><li>&lt;2&gt;</li></main>"
    ),
    '{% extends "shell.html" %}{% set word = "set" %}{% block title %}{{ word }}{% endblock %}': (
        "<main>set|<p>lede</p><li>1</li><li>&lt;2&gt;</li></main>"
    ),
    '{% extends "layout.html" %}{% block title %}{% set word = "in a block" %}{{ word }}{% endblock %}'
    "{% block content %}{{ word is defined }}{% endblock %}": "<main>in a block|False</main>",
    '{% extends "layout.html" %}{% block content %}{% include "part.html" %}{{ word is defined }}{% endblock %}': (
        "<main>-|part of 2False</main>"
    ),
    '{% extends "layout.html" %}{% block content %}{% include name %}{% endblock %}': "<main>-|part of 2</main>",
    '{% extends "layout.html" %}{% block content %}{% include "none.html" ignore missing %}{% endblock %}': (
        "<main>-|</main>"
    ),
    '{% extends "layout.html" %}text between blocks is not shown{% block title %}t{% endblock %}': (
        "<main>t|layout</main>"
    ),
    '{% extends "layout.html" %}{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}'
    "{% block title %}{{ twice(rows[1]) }}{% endblock %}": "<main>&lt;2&gt;&lt;2&gt;|layout</main>",
    '{% include "whole.html" %}': "<main>whole|layout</main>",
    '{% extends "layout.html" %}{% block content %}{% from "macros.html" import bold %}{{ bold(rows[1]) }}{% endblock %}': (
        "<main>-|<b>&lt;2&gt;</b></main>"
    ),
    '{% extends "layout.html" %}{% import "macros.html" as own %}{% block title %}{{ own.word }}{% endblock %}': (
        "<main>exported|layout</main>"
    ),
    '{% extends "layout.html" %}{% block title %}{% set depth = 2 %}{% include "tree.html" %}{% endblock %}': (
        "<main>(2(1(0)))|layout</main>"
    ),
}
FILES = {
    "layout.html": LAYOUT,
    "shell.html": SHELL,
    "part.html": '{% set word = "part" %}{{ word }} of {{ rows|length }}',
    "macros.html": "{% set word = 'exported' %}{% macro bold(x) %}<b>{{ x }}</b>{% endmacro %}",
    "tree.html": "({{ depth }}{% if depth %}{% set depth = depth - 1 %}{% include 'tree.html' %}{% endif %})",
    "required.html": "{% block title required %}{% endblock %}",
    "whole.html": '{% extends "layout.html" %}{% block title %}whole{% endblock %}',
}


@pytest.mark.parametrize("joins_pages", [True, False], ids=["joined", "inherited"])
@pytest.mark.parametrize(("page", "html"), PAGES.items())
def test_a_page_says_the_same_joined_and_inherited(
    environment_of: NewEnvironment, page: str, html: str, joins_pages: bool
) -> None:
    environment = environment_of({**FILES, "page.html": page}, joins_pages=joins_pages)
    assert environment.get_template("page.html").render(rows=[1, "<2>"], name="part.html") == html


@pytest.mark.parametrize("joins_pages", [True, False], ids=["joined", "inherited"])
def test_a_block_is_rendered_alone(environment_of: NewEnvironment, joins_pages: bool) -> None:
    page = (
        '{% extends "shell.html" %}{% block row %}[{{ row }}]{% endblock %}{% block lede %}{{ super() }}!{% endblock %}'
    )
    environment = environment_of({**FILES, "page.html": page}, joins_pages=joins_pages)
    assert environment.get_template("page.html#lede").render() == "lede!"
    assert environment.get_template("page.html#content").render(rows=["<"]) == "<p>lede!</p><li>[&lt;]</li>"
    assert environment.get_template("page.html").render(rows=[]) == "<main>-|<p>lede!</p></main>"


def test_a_template_without_a_name_is_joined_too(environment_of: NewEnvironment) -> None:
    text = '{% extends "layout.html" %}{% block title %}HELLO{% endblock %}'
    for joins_pages in (True, False):
        assert environment_of(FILES, joins_pages=joins_pages).from_string(text).render() == "<main>HELLO|layout</main>"


def test_a_block_that_is_missing_is_named(environment_of: NewEnvironment) -> None:
    environment = environment_of({**FILES, "page.html": '{% extends "shell.html" %}'})
    with pytest.raises(TemplateAssertionError, match="there is no block 'rows'"):
        environment.get_template("page.html#rows")


NOWHERE = r"there is no template 'nowhere\.html'"


@pytest.mark.parametrize("joins_pages", [True, False], ids=["production", "DEBUG"])
@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("{% extends layout %}", ""),
        ('{% if wide %}{% extends "layout.html" %}{% endif %}', ""),
        ('{% extends "layout.html" %}{% block title %}\n{{ super()|upper }}{% endblock %}', ""),
        ('{% extends "layout.html" %}\n{% if wide %}text{% endif %}', ""),
        ('{% extends "layout.html" %}\n{% for row in rows %}{% block title %}{% endblock %}{% endfor %}', ""),
        ("{% block title %}\n{{ super() }}{% endblock %}", ""),
        ("{% block title %}1{% endblock %}\n{% block title %}2{% endblock %}", ""),
        ('{% extends "layout.html" %}{% block title %}\n{{ self.content() }}{% endblock %}', ""),
        ('{% extends "required.html" %}', "the block 'title' of a layout must be filled"),
        ('\n{% extends "nowhere.html" %}', NOWHERE),
        ("\n{% include 'nowhere.html' %}", NOWHERE),
    ],
)
def test_a_page_that_can_t_be_joined_is_refused_when_it_is_compiled(
    environment_of: NewEnvironment, page: str, words: str, joins_pages: bool
) -> None:
    environment = environment_of({**FILES, "page.html": page}, joins_pages=joins_pages)
    with pytest.raises(TemplateAssertionError, match=words or ".") as caught:
        environment.get_template("page.html")
    assert caught.value.name == "page.html"
    assert caught.value.lineno == page.count("\n") + 1


def test_layouts_that_extend_each_other_are_refused(environment_of: NewEnvironment) -> None:
    own = {"page.html": '{% extends "page.html" %}'}
    each_other = {
        "page.html": '{% extends "b.html" %}',
        "b.html": '{% extends "c.html" %}',
        "c.html": '{% extends "b.html" %}',
    }
    for files in (own, each_other):
        with pytest.raises(TemplateAssertionError, match="in a circle"):
            environment_of(files).get_template("page.html")


FAULTY_LAYOUT = "<main>\n{{ first }}\n{% block content %}{% endblock %}</main>"
FAULTY_PART = "<p>\n\n{{ second }}</p>"
FAULTY_PAGE = """

{% extends "layout.html" %}
{% block content %}
<b>
{% include "part.html" %}
{{ third }}
</b>
{% endblock %}
"""
#: What is undefined: the file and the line of the fault, and the line of the page where a joined page reports it.
FAULTS = {"first": ("layout.html", 2, 3), "second": ("part.html", 3, 6), "third": ("page.html", 7, 7)}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_reported_at_its_line(environment_of: NewEnvironment, name: str) -> None:
    """`DEBUG` does not join pages. A joined page reports its own faults exactly, and others where they come in."""
    files = {"layout.html": FAULTY_LAYOUT, "part.html": FAULTY_PART, "page.html": FAULTY_PAGE}
    file, line, line_of_page = FAULTS[name]
    for joins_pages, expected in ((False, (file, line)), (True, ("page.html", line_of_page))):
        page = environment_of(files, joins_pages=joins_pages).get_template("page.html")
        with pytest.raises(UndefinedError, match=name) as caught:
            page.render({each: each for each in FAULTS if each != name})
        frame = [each for each in traceback.extract_tb(caught.value.__traceback__) if each.filename.endswith(".html")][
            -1
        ]
        assert (Path(frame.filename).name, frame.lineno) == expected
