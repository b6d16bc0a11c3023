"""Mistakes in one template."""

import pytest

from tests.portal_dev.source_checks.conftest import ACCOUNT, NAMES

BROKEN = {
    "{% fro x in y %}": ("unknown tag 'fro'", "templates.md"),
    "{{ _(title) }}": ("the text of _() is a constant", "templates.md"),
}
#: Template to ids, and words of the message and of the hint.
FAULTS = {
    '<form method="post"></form>': ("E003 E004", "no CSRF token", "csrf_input"),
    '<form METHOD="Post">' + ACCOUNT + "</form>": ("E003", "", ""),
    '<form method="post" hx-post="/x">{{ form.csrf_input }}' + ACCOUNT + "</form>": ("E003", "", ""),
    '<form method="post">{{ csrf_input }}</form>': ("E004", "for whom", "page_account"),
    '{% extends "signed_in.html" %}<form method="post">{{ csrf_input }}</form>': ("E004", "", ""),
    '<form method="post"></form>{{ csrf_input }}' + ACCOUNT: ("E003 E004", "", ""),
    '<form method="post">{% include "circle.html" %}{% include "none.html" %}</form>': ("E002 E003 E004", "", ""),
    '{% extends "portal/shel.html" %}': ("E002", "there is no template 'portal/shel.html'", "'portal/shell.html'"),
    '{% include "portal/parts/toast.html" %}': ("E002", "there is no template", "'portal/parts/toasts.html'"),
    "{{ 1|mony('EUR') }}": ("E002", "there is no filter 'mony'", "did you mean 'money'?"),
    "{% if x is devined %}{% endif %}": ("E002", "there is no test 'devined'", "did you mean 'defined'?"),
    "{{ icon('pluss') }}": ("E002", "there is no icon 'pluss'", "'plus'"),
    "{{ nav_link('payments', _('x'), icon='xyz') }}": ("E002", "there is no icon 'xyz'", "there are plus"),
    "{{ url('paymets') }}": ("E002", "there is no URL with the name 'paymets'", "'payments'"),
    "{{ row.name|link('paymnt', row.id) }}": ("E002", "there is no URL", "'payment'"),
    "{{ nav_link('paymets', _('x'), icon='plus') }}": ("E002", "there is no URL", "'payments'"),
    "{{ request.COOKIES.VAR_ACCESS_TOKEN }}": ("E013", "this template reads the cookies", ""),
    "{{ request['COOKIES'] }}": ("E013", "this template reads the cookies", ""),
    "<p>Hello</p>": ("E005", "the text 'Hello' is not marked", '{{ _("Hello") }}'),
}
#: Template to the text that is not marked for translation.
UNMARKED = {
    "<p>{# untranslated: #}Hello</p>": "Hello",
    "<p>{{ x }} <b>a</b>{{ y }} {% if z %}more{% endif %}</p>{% trans %}x{% endtrans %}": "a more",
    "{{ fact('Email', row.email) }}": "Email",
    "{% call fact('Email') %}{% endcall %}": "Email",
    "{% block words %}Payments{% endblock %}": "Payments",
    '<a title="Go there">→</a>': "Go there",
    "{% set title = 'Orders' %}": "Orders",
    '<input placeholder="Search">': "Search",
    '<input type="submit" value="Send">': "Send",
    "{{ 'Nothing' if x else '' }}": "Nothing",
    "{{ row.name or 'unknown' }}": "unknown",
    "{{ row.name|default('unknown') }}": "unknown",
    "{{ 'No ' ~ number }}": "No ",
    "{{ bar_chart(chart, 'Energy') }}": "Energy",
    "{{ nav_link('payments', 'Overview', icon='plus') }}": "Overview",
    "<a title=\"{{ 'Go' if x }}\">→</a>": "Go",
}
FINE = [
    '<form method="post">{{ csrf_input }}' + ACCOUNT + "</form>",
    '<form method="post">{% include "both.html" %}</form>',
    '<form method="get"><input name="q"></form>',
    '<form method="post" action="{{ shell.logout_url }}">{{ csrf_input }}</form>',
    '<form method="post" action="/locale">{{ csrf_input }}</form>',
    '{% extends "portal/plain.html" %}<form method="post">{{ csrf_input }}</form>',
    '{% extends "signed_out.html" %}<form method="post">{{ csrf_input }}</form>',
    "{{ url('payments') }}{{ url('payment', row.id) }}{{ url(route) }}",
    "{{ row.name|link('payment', row.id) }}{{ nav_link('payments', _('x'), icon='plus') }}{{ icon(name) }}",
    "{{ nav_link('payments', _('x'), icon=chosen) }}{{ nav_link('payments', _('x'), **entry) }}",
    "{{ fact(_('Email'), 'x' if row.email) }}{% call fact(_('Email')) %}{% endcall %}",
    "<p>{{ _('Hello') }}</p>{{ LOCALE }}{{ APP }}",
    "{% trans %}Hello{% endtrans %}",
    "{% trans n=1 %}One <b>cat</b>{% pluralize %}{{ n }} cats{% endtrans %}",
    '<a title="{{ _("Go") }}" class="button small" href="/x">→</a>',
    "<p>– 12 % · &nbsp;</p>",
    "<code>abc</code><script>let x;</script><style>p { color: red }</style>",
    "{{ row.status|badge }} {{ icon('plus') }} {{ url('payments') }} {{ row.kind|replace('a', 'b') }}",
    "{% set name = 'value' %}{# a remark #}{% if kind == 'a' or 'b' in kinds %}{% endif %}",
    '<input name="q" value="abc"><option value="name"></option>',
    "<p>{# untranslated: a unit #}kWh</p>",
    '{% extends "layout.html" %}{% block page_class %}narrow{% endblock %}',
]


@pytest.mark.parametrize(("source", "words"), BROKEN.items())
def test_template_that_does_not_compile_is_reported(templates, source, words) -> None:
    found = templates(f"\n{source}")
    (fault,) = found.compile_faults("page.html")
    assert (fault.path, fault.line, fault.id) == (found.paths["page.html"], 2, "E001")
    assert words[0] in fault.message
    assert words[1] in fault.hint


@pytest.mark.parametrize(("source", "ids", "message", "hint"), [(source, *said) for source, said in FAULTS.items()])
def test_fault_is_reported_with_its_line(templates, source, ids, message, hint) -> None:
    found = [*templates(f"\n{source}").faults("page.html", NAMES)]
    assert [(fault.line, fault.id) for fault in found] == [(2, each) for each in ids.split()]
    assert message in found[0].message
    assert hint in found[0].hint


@pytest.mark.parametrize(("source", "text"), UNMARKED.items())
def test_unmarked_text_is_reported_with_its_line(templates, source, text) -> None:
    found = [*templates(f"<p>{{{{ x }}}}\n\n{source}").faults("page.html", NAMES)]
    assert {(fault.line, fault.id) for fault in found} == {(3, "E005")}
    assert " ".join(fault.message.split("'")[1] for fault in found) == text


@pytest.mark.parametrize("source", FINE)
def test_right_template_has_no_fault(templates, source) -> None:
    assert [*templates(source).faults("page.html", NAMES)] == []


def test_lines_are_counted_as_in_the_file(templates) -> None:
    source = (
        "{# a comment\n of two lines #}\n<p class='{% if x %}a{% endif %}'\n"
        "   title='Four {{ name }}'>\n  Five\n  {{ x }} {%- if y -%}\n  {% raw %}{{ Seven }}{% endraw %}\n"
        "{% endif %}<img\n\n alt='Ten'>"
    )
    found = templates(source).faults("page.html", NAMES)
    texts = {fault.message.split("'")[1]: fault.line for fault in found}
    assert texts == {"Four": 4, "Five": 5, "{{ Seven }}": 7, "Ten": 10}
