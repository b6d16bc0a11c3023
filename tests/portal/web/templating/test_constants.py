"""What is evaluated when a template is compiled, and what is not."""

from __future__ import annotations

import pytest
from django.utils import translation

from tests.portal.web.templating.conftest import NewEnvironment


def code_of(environment_of: NewEnvironment, text: str, *, language: str = "en") -> str:
    code = environment_of({}, language=language).compile(text, raw=True)
    assert isinstance(code, str)
    return code


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("{{ _('Clients') }}", "Kunden"),
        ("{{ url('clients') }}", "/de/energy/clients"),
        ("{{ static('energy/app.css') }}", "/static/energy/app.css"),
        ("{{ static(APP ~ '/app.css') }}", "/static/energy/app.css"),
        ("{% if _('Clients') == 'Kunden' %}yes{% endif %}", "yes"),
    ],
)
def test_a_call_of_constants_becomes_text(environment_of: NewEnvironment, text: str, html: str) -> None:
    assert html in code_of(environment_of, text, language="de")
    assert "context.call" not in code_of(environment_of, text, language="de")
    with translation.override("en"):
        assert environment_of({}, language="de").from_string(text).render() == html
