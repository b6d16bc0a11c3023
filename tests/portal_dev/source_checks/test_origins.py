"""Addresses of servers in templates."""

from __future__ import annotations

import pytest

from portal_dev.source_checks.origins import template_origins
from tests.portal_dev.source_checks.conftest import told


@pytest.mark.parametrize(
    "source",
    [
        '<a href="https://energy.example.com/en">',
        "{% trans %}<a href='http://localhost:8001'>here</a>{% endtrans %}",
        "{{ link or 'HTTPS://energy.example.com' }}",
        '<img src="http://[::1]/x.png">',
        '<a href="https://{{ host }}/en">',
        "<a href='{{ 'https://%s/en' % host }}'>",
    ],
)
def test_an_address_is_named_with_its_line(source: str) -> None:
    (fault,) = told(template_origins, f"\n{source}")
    assert (fault.line, fault.id) == (2, "E007")


@pytest.mark.parametrize(
    "source",
    [
        '<svg xmlns="http://www.w3.org/2000/svg">',
        "{# see https://example.com #}",
        '<a href="https://example.com/terms">{# fixed address: the law #}',
        '<a href="/en/energy">{{ url("x") }}',
        "{% if link.startswith('https://') %}{% endif %}",
    ],
)
def test_what_is_no_address_of_ours_is_left_alone(source: str) -> None:
    assert told(template_origins, source) == []
