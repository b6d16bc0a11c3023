"""Names in templates that stand for nothing."""

from __future__ import annotations

import pytest

from portal_dev.source_checks.template_names import compile_faults, name_findings
from tests.portal_dev.source_checks.conftest import ROUTES

BROKEN = {
    '{% extends "portal/shel.html" %}': ("there is no template 'portal/shel.html'", "'portal/shell.html'"),
    '{% include "portal/parts/toast.html" %}': ("there is no template", "'portal/parts/toasts.html'"),
    "{% fro x in y %}": ("unknown tag 'fro'", ""),
    "{{ _(title) }}": ("the text of _() is a constant", ""),
}
UNKNOWN = {
    "{{ 1|mony('EUR') }}": ("there is no filter 'mony'", "did you mean 'money'?"),
    "{% if x is devined %}{% endif %}": ("there is no test 'devined'", "did you mean 'defined'?"),
    "{{ icno('plus') }}": ("there is no function or macro 'icno'", "'icon'"),
    "{{ icon('pluss') }}": ("there is no icon 'pluss'", "'plus'"),
    "{{ url('paymets') }}": ("there is no URL with the name 'paymets'", "'payments'"),
    "{{ url('payment') }}": ("the URL 'payment' needs 1 value(s), not 0", "one for each"),
    "{{ url('payment', row.id, 1) }}": ("needs 1 value(s), not 2", ""),
    "{{ row.name|link('paymnt', row.id) }}": ("there is no URL", "'payment'"),
    "{{ nav_link('paymets', _('x'), icon='plus') }}": ("there is no URL", "'payments'"),
    "{{ nav_link('payments', _('x')) }}": ("nav_link has no icon", "icon='NAME'"),
    "{{ static('energy/nothing.css') }}": ("there is no static file", "static/"),
    "{{ APPS }}": ("there is no constant 'APPS'", "'APP'"),
}
KNOWN = [
    "{{ url('payments') }}{{ url('payment', row.id) }}{{ url('payment', *ids) }}{{ url(route) }}",
    "{{ row.name|link('payment', row.id) }}{{ nav_link('payments', _('x'), icon='plus') }}{{ icon(name) }}",
    "{{ nav_link('payments', _('x'), icon=chosen) }}{{ nav_link('payments', _('x'), **entry) }}",
    "{% macro own(x) %}{{ caller() }}{% endmacro %}{{ own(1) }}{% set X = 1 %}{{ X }}",
    "{{ static(APP ~ '/app.css') }}{{ LOCALE }}{{ loaded_at(as_of) }}{{ range(3) }}",
    "{% for x in y recursive %}{{ loop(x) }}{{ loop.index }}{% endfor %}{{ form.non_field_errors() }}",
]


@pytest.mark.parametrize(("source", "words"), BROKEN.items())
def test_a_template_that_can_not_be_compiled_is_named_with_its_line(write, environments, source, words) -> None:
    path = write("page.html", f"\n{source}")
    (fault,) = compile_faults(environments, "page.html")
    assert (fault.path, fault.line, fault.id) == (path, 2, "E001")
    assert words[0] in fault.message
    assert words[1] in fault.hint


def test_a_fault_of_a_layout_is_reported_at_the_layouts_line(write, environments) -> None:
    layout = write("layout.html", "\n\n{{ _(title) }}{% block content %}{% endblock %}")
    write("page.html", '{% extends "layout.html" %}')
    assert {(fault.path, fault.line) for fault in compile_faults(environments, "layout.html")} == {(layout, 3)}


@pytest.mark.parametrize(("source", "words"), UNKNOWN.items())
def test_a_name_that_stands_for_nothing_is_named(write, environment, source, words) -> None:
    write("page.html", f"\n{source}")
    (fault,) = name_findings(environment, "page.html", routes=ROUTES)
    assert (fault.line, fault.id) == (2, "E002")
    assert words[0] in fault.message
    assert words[1] in fault.hint


@pytest.mark.parametrize("source", KNOWN)
def test_names_that_are_there_and_values_of_views_are_left_alone(write, environment, source) -> None:
    write("page.html", source)
    assert list(name_findings(environment, "page.html", routes=ROUTES)) == []


@pytest.mark.parametrize(
    "source",
    [
        "{{ request.COOKIES.VAR_ACCESS_TOKEN }}",
        "{{ request['COOKIES'] }}",
        "{% set all = request.COOKIES %}",
        "{% if request.COOKIES.get('VAR_THEME') %}{% endif %}",
    ],
)
def test_a_template_that_reads_the_cookies_is_told(write, environment, source) -> None:
    write("page.html", f"\n{source}")
    (fault,) = name_findings(environment, "page.html", routes=ROUTES)
    assert (fault.line, fault.id) == (2, "E013")
    assert "this template reads the cookies" in fault.message
