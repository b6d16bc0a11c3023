"""Forms that send POST."""

from __future__ import annotations

import pytest

from portal_dev.source_checks.markup import Markup, markup_of
from portal_dev.source_checks.source import form_findings
from tests.portal_dev.source_checks.conftest import told

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


def ids(source: str) -> list[str]:
    return [fault.id for fault in told(form_findings, source, load=load)]


@pytest.mark.parametrize(
    "source",
    [
        '<form method="post">{{ csrf_input }}' + ACCOUNT + "</form>",
        '<form method="post">{% include "both.html" %}</form>',
        '<form method="get"><input name="q"></form>',
        '<form method="post" action="{{ shell.logout_url }}">{{ csrf_input }}</form>',
        '<form method="post" action="/locale">{{ csrf_input }}</form>',
        '{% extends "portal/plain.html" %}<form method="post">{{ csrf_input }}</form>',
        '{% extends "signed_out.html" %}<form method="post">{{ csrf_input }}</form>',
    ],
)
def test_a_form_with_what_it_needs_is_right(source: str) -> None:
    assert ids(source) == []


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        ('<form method="post"></form>', ["E003", "E004"]),
        ('<form METHOD="Post">' + ACCOUNT + "</form>", ["E003"]),
        ('<form method="post">{{ csrf_input }}</form>', ["E004"]),
        ('{% extends "signed_in.html" %}<form method="post">{{ csrf_input }}</form>', ["E004"]),
        ('<form method="post"></form>{{ csrf_input }}' + ACCOUNT, ["E003", "E004"]),
        ('<form method="post">{% include "circle.html" %}{% include "none.html" %}</form>', ["E003", "E004"]),
    ],
)
def test_what_a_form_lacks_is_told(source: str, faults: list[str]) -> None:
    assert ids(source) == faults
