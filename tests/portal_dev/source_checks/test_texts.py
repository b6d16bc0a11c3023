"""Texts that no translator sees."""

from __future__ import annotations

import pytest

from portal_dev.source_checks.markup import markup_of
from portal_dev.source_checks.texts import blocks_in_attributes, unmarked_texts, untranslated_texts
from tests.portal_dev.source_checks.conftest import told

MACROS = {"bar_chart": ("chart", "title"), "fact": ("label", "value")}
UNMARKED = {
    "<p>{# untranslated: #}Hello</p>": "Hello",
    "{{ fact('Email', row.email) }}": "Email",
    "{% call fact('Email') %}{% endcall %}": "Email",
    "<p>Hello</p>": "Hello",
    "{% block title %}Payments{% endblock %}": "Payments",
    '<a title="Go there">→</a>': "Go there",
    '<img alt="A car">': "A car",
    "{% set title = 'Orders' %}": "Orders",
    '<button hx-confirm="Delete it?">–</button>': "Delete it?",
    '<input placeholder="Search">': "Search",
    '<input type="submit" value="Send">': "Send",
    "{{ 'Nothing' if x else '' }}": "Nothing",
    "{{ row.name or 'unknown' }}": "unknown",
    "{{ 'No ' ~ number }}": "No",
    "{{ bar_chart(chart, title='Energy') }}": "Energy",
    "{{ bar_chart(chart, 'Energy') }}": "Energy",
    "{{ nav_link('home', 'Overview', icon='overview') }}": "Overview",
    "<a title=\"{{ 'Go' if x }}\">→</a>": "Go",
}
FINE = [
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
]


@pytest.mark.parametrize(("source", "text"), UNMARKED.items())
def test_a_text_without_a_mark_is_named(source: str, text: str) -> None:
    (fault,) = told(unmarked_texts, f"\n{source}", class_blocks=(), macros=MACROS)
    assert repr(text) in fault.message.replace("No ", "No")
    assert fault.line == 2
    assert "_(" in fault.hint


@pytest.mark.parametrize("source", FINE)
def test_what_needs_no_translation_is_left_alone(source: str) -> None:
    assert told(unmarked_texts, source, class_blocks={"page_class"}, macros=MACROS) == []


def test_a_block_that_stands_in_an_attribute_is_no_text() -> None:
    markup = markup_of(
        '<div class="page {% block page_class %}{% endblock %}" title="{% block words %}{% endblock %}">'
    )
    assert blocks_in_attributes([markup]) == {"page_class"}


def test_a_text_that_lacks_a_translation_is_named_where_it_stands(write) -> None:
    path = write("page.html", "<p>\n{{ _('Brand new') }}")
    (fault,) = untranslated_texts("Brand new", [path], languages=["de", "tr"])
    assert (fault.line, fault.message) == (2, "the text 'Brand new' has no translation into de, tr")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{% trans %}\n\n  Nothing\n  is here.\n{% endtrans %}", "Nothing is here."),
        ("\n\n{% trans n=count %}{{ n }} car{% pluralize %}{{ n }} cars{% endtrans %}", "%(n)s car"),
        ("\n\n{% trans n=count %}One of {{ n }} cars{% endtrans %}", "One of %(n)s cars"),
        ("\n\n_('This is Ada\\'s car')", "This is Ada's car"),
    ],
)
def test_the_line_of_a_text_is_that_in_which_it_begins(write, source: str, text: str) -> None:
    path = write("page.html", f"<p>here</p>\n\n{source}")
    (fault,) = untranslated_texts(text, [path], languages=["de"])
    assert fault.line == 5
