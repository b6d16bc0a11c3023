"""What can be told of one template: forms that lack something, addresses, and texts that no translator sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from portal_dev.source_checks.faults import SourceFault, faults_of
from portal_dev.source_checks.markup import Markup, markup_of
from portal_dev.source_checks.origins import template_origins
from portal_dev.source_checks.routes import template_addresses
from portal_dev.source_checks.source import form_findings
from portal_dev.source_checks.texts import unmarked_texts
from tests.portal_dev.source_checks.conftest import ROUTES

ACCOUNT = '{% include "portal/parts/page_account.html" %}'
PARTS = {
    "portal/parts/page_account.html": "<input>",
    "both.html": "{{ csrf_input }}" + ACCOUNT,
    "circle.html": '{% include "circle.html" %}',
    "signed_out.html": '{% extends "portal/plain.html" %}',
    "signed_in.html": '{% extends "signed_in.html" %}{% include "portal/plain.html" %}',
}


def load(name: str) -> Markup | None:
    return markup_of(PARTS[name]) if name in PARTS else None


MACROS = {"bar_chart": ("chart", "title"), "fact": ("label", "value")}
RULES = {
    "forms": lambda markup: form_findings(markup, load=load),
    "origins": template_origins,
    "addresses": lambda markup: template_addresses(markup, ROUTES),
    "texts": lambda markup: unmarked_texts(markup, class_blocks={"page_class"}, macros=MACROS),
}
#: Template to ids, and words of the message or of the hint.
FAULTS = {
    "forms": {
        '<form method="post"></form>': ("E003 E004", ""),
        '<form METHOD="Post">' + ACCOUNT + "</form>": ("E003", ""),
        '<form method="post">{{ csrf_input }}</form>': ("E004", ""),
        '{% extends "signed_in.html" %}<form method="post">{{ csrf_input }}</form>': ("E004", ""),
        '<form method="post"></form>{{ csrf_input }}' + ACCOUNT: ("E003 E004", ""),
        '<form method="post">{% include "circle.html" %}{% include "none.html" %}</form>': ("E003 E004", ""),
    },
    "origins": {
        '<a href="https://energy.example.com/en">': ("E007", ""),
        "{% trans %}<a href='http://localhost:8001'>here</a>{% endtrans %}": ("E007", ""),
        "{{ link or 'HTTPS://energy.example.com' }}": ("E007", ""),
        '<img src="http://[::1]/x.png">': ("E007", ""),
        '<a href="https://{{ host }}/en">': ("E007", ""),
        "<a href='{{ 'https://%s/en' % host }}'>": ("E007", ""),
    },
    "addresses": {
        '<a href="/en/finance/paymnets">': ("E018", "did you mean '/finance/payments'? write {{ url('payments') }}"),
        '<a href="/{{ LOCALE }}/finance/paymnets">': (
            "E018",
            "did you mean '/finance/payments'? write {{ url('payments') }}",
        ),
        '<a href="/finance/payments/7">': ("E018", "write {{ url('payment', …) }}"),
        '<form method="post" action="/en/finance/payments">': ("E018", "write {{ url('payments') }}"),
        '<div hx-get="/en/xyz">': ("E018", "write {{ url('NAME') }}"),
    },
    "texts": {
        "<p>{# untranslated: #}Hello</p>": ("E005", "the text 'Hello' is"),
        "{{ fact('Email', row.email) }}": ("E005", "the text 'Email' is"),
        "{% call fact('Email') %}{% endcall %}": ("E005", "the text 'Email' is"),
        "<p>Hello</p>": ("E005", "the text 'Hello' is"),
        "{% block title %}Payments{% endblock %}": ("E005", "the text 'Payments' is"),
        '<a title="Go there">→</a>': ("E005", "the text 'Go there' is"),
        '<img alt="A car">': ("E005", "the text 'A car' is"),
        "{% set title = 'Orders' %}": ("E005", "the text 'Orders' is"),
        '<button hx-confirm="Delete it?">–</button>': ("E005", "the text 'Delete it?' is"),
        '<input placeholder="Search">': ("E005", "the text 'Search' is"),
        '<input type="submit" value="Send">': ("E005", "the text 'Send' is"),
        "{{ 'Nothing' if x else '' }}": ("E005", "the text 'Nothing' is"),
        "{{ row.name or 'unknown' }}": ("E005", "the text 'unknown' is"),
        "{{ 'No ' ~ number }}": ("E005", "the text 'No ' is"),
        "{{ bar_chart(chart, title='Energy') }}": ("E005", "the text 'Energy' is"),
        "{{ bar_chart(chart, 'Energy') }}": ("E005", "the text 'Energy' is"),
        "{{ nav_link('home', 'Overview', icon='overview') }}": ("E005", "the text 'Overview' is"),
        "<a title=\"{{ 'Go' if x }}\">→</a>": ("E005", "the text 'Go' is"),
    },
}
FINE = {
    "forms": [
        '<form method="post">{{ csrf_input }}' + ACCOUNT + "</form>",
        '<form method="post">{% include "both.html" %}</form>',
        '<form method="get"><input name="q"></form>',
        '<form method="post" action="{{ shell.logout_url }}">{{ csrf_input }}</form>',
        '<form method="post" action="/locale">{{ csrf_input }}</form>',
        '{% extends "portal/plain.html" %}<form method="post">{{ csrf_input }}</form>',
        '{% extends "signed_out.html" %}<form method="post">{{ csrf_input }}</form>',
    ],
    "origins": [
        '<svg xmlns="http://www.w3.org/2000/svg">',
        "{# see https://example.com #}",
        '<a href="https://example.com/terms">{# fixed address: the law #}',
        '<a href="/en/energy">{{ url("x") }}',
        "{% if link.startswith('https://') %}{% endif %}",
    ],
    "addresses": [
        '<a href="/">',
        "<a href=\"{{ url('payments') }}?sort=name\">",
        '<a href="/en/finance/{{ row.id }}">',
        '<form method="post" action="/locale">',
        '<a href="#top"><a href="?sort=name"><a href="paymnets"><img src="/static/x.png">',
        '<a href="//cdn.example"><p title="/en/paymnets">',
        '<a href="/en/terms">{# fixed address: the law #}',
    ],
    "texts": [
        "{{ fact(_('Email'), 'x' if row.email) }}{% call fact(_('Email')) %}{% endcall %}",
        "<p>{{ _('Hello') }}</p>",
        "{% trans %}Hello{% endtrans %}",
        "{% trans n=1 %}One <b>cat</b>{% pluralize %}{{ n }} cats{% endtrans %}",
        '<a title="{{ _("Go") }}" class="button small" href="/x">→</a>',
        "<p>– 12 % · &nbsp;</p>",
        "<code>abc</code><script>let x;</script><style>p { color: red }</style>",
        "{{ row.status|badge }} {{ icon('plus') }} {{ url('payments') }} {{ row.kind|replace('a', 'b') }}",
        "{{ nav_link('home', _('Overview'), icon='overview') }}",
        "{% set name = 'value' %}{# a remark #}",
        '<input name="q" value="abc"><option value="name"></option>',
        "<p>{# untranslated: a unit #}kWh</p>",
        "{% block page_class %}narrow{% endblock %}",
    ],
}


def told(rule: str, source: str) -> list[SourceFault]:
    """What a rule tells of a template, but for what its comments allow."""
    markup = markup_of(source)
    return list(faults_of(Path("page.html"), RULES[rule](markup), markup.comments))


@pytest.mark.parametrize(
    ("rule", "source", "ids", "words"),
    [(rule, source, *said) for rule in FAULTS for source, said in FAULTS[rule].items()],
)
def test_a_fault_is_told_with_its_line(rule: str, source: str, ids: str, words: str) -> None:
    found = told(rule, f"\n{source}")
    assert [(fault.line, fault.id) for fault in found] == [(2, each) for each in ids.split()]
    assert all(fault.hint and words in f"{fault.message} {fault.hint}" for fault in found)


@pytest.mark.parametrize(("rule", "source"), [(rule, source) for rule in FINE for source in FINE[rule]])
def test_what_is_right_is_left_alone(rule: str, source: str) -> None:
    assert told(rule, source) == []
