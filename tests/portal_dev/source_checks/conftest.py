"""Templates and modules in a folder of the test, beside those that all projects share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from jinja2 import FileSystemLoader

from portal.config.locales import DEFAULT_LOCALE
from portal.web.templating.environment import PageEnvironment
from portal_dev.source_checks.faults import Names
from portal_dev.source_checks.templates import Templates

PACKAGES = Path(__file__).parents[3] / "packages"
SHARED = [PACKAGES / "portal_pages" / "templates", PACKAGES / "portal" / "web" / "templates"]
#: The names that the tests' sources may use.
NAMES = Names(
    routes=["payments", "payment"],
    templates=["finance/payments.html"],
    icons={"plus"},
    creates={"use_create_payment_mutation"},
)
ACCOUNT = '{% include "portal/parts/page_account.html" %}'
PARTS = {
    "both.html": "{{ csrf_input }}" + ACCOUNT,
    "circle.html": '{% include "circle.html" %}',
    "layout.html": '<div class="page {% block page_class %}{% endblock %}" title="{% block words %}{% endblock %}">',
    "signed_out.html": '{% extends "portal/plain.html" %}',
    "signed_in.html": '{% extends "signed_in.html" %}{% include "portal/plain.html" %}',
}

Write = Callable[[str, str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file; gives its path."""

    def file(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return file


@pytest.fixture
def environment(tmp_path: Path) -> PageEnvironment:
    """The environment of the default language, for the test's templates and the shared ones."""
    loader = FileSystemLoader([tmp_path, *SHARED])
    return PageEnvironment(language=DEFAULT_LOCALE, loader=loader, autoescape=True)


@pytest.fixture
def templates(write: Write, environment: PageEnvironment) -> Callable[[str], Templates]:
    """Writes a page beside some parts; gives all templates."""

    def with_page(source: str) -> Templates:
        for name, text in {**PARTS, "page.html": source}.items():
            write(name, text)
        return Templates(environment)

    return with_page
