"""Pages of the project are joined by `jinja_onepage`; `DEBUG` does not join them, and reports each fault at its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.template import engines
from django.views.debug import ExceptionReporter
from jinja2 import UndefinedError

from tests.portal.web.templating.conftest import NewEnvironment

FAULTY = {
    "layout.html": "<main>\n{{ first }}\n{% block content %}{% endblock %}</main>",
    "part.html": "<p>\n\n{{ second }}</p>",
    "page.html": """

{% extends "layout.html" %}
{% block content %}
<b>
{% include "part.html" %}
{{ third }}
</b>
{% endblock %}
""",
}
#: What is undefined: the file and the line of the fault, and the line of the page where a joined page reports it.
FAULTS = {"first": ("layout.html", 2, 3), "second": ("part.html", 3, 6), "third": ("page.html", 7, 7)}


@pytest.mark.parametrize("joins_pages", [True, False], ids=["production", "DEBUG"])
@pytest.mark.parametrize("name", FAULTS)
def test_djangos_error_page_shows_the_line_of_the_fault(
    environment_of: NewEnvironment, name: str, joins_pages: bool
) -> None:
    page = environment_of(FAULTY, joins_pages=joins_pages).get_template("page.html")
    with pytest.raises(UndefinedError) as caught:
        page.render({each: each for each in FAULTS if each != name})
    frames = ExceptionReporter(None, caught.type, caught.value, caught.tb).get_traceback_frames()
    frame = [each for each in frames if each["filename"].endswith(".html")][-1]
    file, line, line_of_page = FAULTS[name]
    expected = ("page.html", line_of_page) if joins_pages else (file, line)
    assert (Path(frame["filename"]).name, frame["lineno"]) == expected
    assert joins_pages or name in frame["context_line"]


@pytest.mark.parametrize("language", ["en", "de", "tr"])
def test_every_template_of_the_project_can_be_compiled_in_every_language(language: str) -> None:
    environment = engines["pages"].environment(language)
    environment.compile_all()
    assert len(environment.list_templates(extensions=["html"])) > 20
