"""What is evaluated when a template is compiled, and what is not."""

from __future__ import annotations

import pytest
from django.utils import translation

from tests.portal.web.templating.conftest import NewEnvironment


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("{{ _('Clients') }}", "Kunden"),
        ("{{ url('clients') }}", "/de/energy/clients"),
        ("{{ static(APP ~ '/app.css') }}", "/static/energy/app.css"),
        ("{% if _('Clients') == 'Kunden' %}yes{% endif %}", "yes"),
    ],
)
def test_a_call_of_constants_becomes_text(environment_of: NewEnvironment, text: str, html: str) -> None:
    code = str(environment_of({}, language="de").compile(text, raw=True))
    assert (html in code, "context.call" in code) == (True, False)
    with translation.override("en"):
        assert environment_of({}, language="de").from_string(text).render() == html
