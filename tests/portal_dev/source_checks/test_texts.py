"""Texts that no translator sees."""

from __future__ import annotations

import pytest

from portal_dev.source_checks.markup import markup_of
from portal_dev.source_checks.texts import blocks_in_attributes, untranslated_texts


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
