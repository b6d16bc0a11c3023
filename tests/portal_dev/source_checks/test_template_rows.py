"""Attributes that a row does not have."""

from dataclasses import replace
from typing import Any

import pytest

from portal.query import Record, Row
from portal.services.energy.clients import Client
from portal_dev.source_checks.templates import Templates, row_faults, shown_rows
from portal_pages import Column, ShownRow


class Line(Record):
    """A part of a payment."""

    text: str = ""


class Payer(Record):
    """Another."""

    name: str = ""


class Payment(Row):
    """A row."""

    payer: Payer | None = None
    lines: tuple[Line, ...] = ()
    extra: Any = None

    @property
    def first(self) -> str:
        """A property."""
        return self.lines[0].text


def shown(template: str = "page.html", row: type = Payment) -> ShownRow:
    return ShownRow(template=template, row=row, declared_at=(__file__, 7))


WRONG = {
    "{{ row.payerr }}": ("Payment has no attribute 'payerr'", "'payer'"),
    "{% if row.payerr %}{% endif %}": ("Payment has no attribute 'payerr'", "'payer'"),
    "{{ row.payer.nam|upper }}": ("Payer has no attribute 'nam'", "'name'"),
    "{% for line in row.lines %}{{ line.txt }}{% endfor %}": ("Line has no attribute 'txt'", "'text'"),
    "{% set payer = row.payer %}{{ payer.nam }}": ("Payer has no attribute 'nam'", "'name'"),
    "{% call fact(row.payerr) %}{% endcall %}": ("Payment has no attribute 'payerr'", "'payer'"),
    '{% include "part.html" %}': ("Payment has no attribute 'payerr'", "'payer'"),
}
RIGHT = [
    "{{ row }}{{ row.id }}{{ row.created_at|day }}{{ row.first }}{{ row.payer.name }}{{ row.extra.anything }}",
    "{% for row in others %}{{ row.other }}{% endfor %}{{ chart.row.other }}{{ list.rows }}",
    "{% macro one(row) %}{{ row.other }}{% endmacro %}",
    "{% for line in row.lines %}{{ line.text }}{{ loop.index }}{% endfor %}",
    "{% set row = other %}{{ row.other }}",
]


@pytest.mark.parametrize(("source", "words"), WRONG.items())
def test_unknown_attribute_of_a_row_is_reported(write, environment, source: str, words) -> None:
    write("part.html", "{{ row.payerr }}")
    path = write("page.html", f"\n{source}")
    (fault,) = row_faults(shown(), Templates(environment))
    if "include" not in source:
        assert (fault.path, fault.line) == (path, 2)
    assert words[0] in fault.message
    assert "test_template_rows.py:7" in fault.message
    assert words[1] in fault.hint


@pytest.mark.parametrize("source", RIGHT)
def test_known_attribute_has_no_fault(write, environment, source: str) -> None:
    write("page.html", source)
    assert list(row_faults(shown(), Templates(environment))) == []


COLUMNS = {"payer": Column("Payer"), "extra": Column("Extra")}
#: The cells of a row, to the words of the fault; none for those that stand in their order, and for cells of one's own.
CELLS = {
    "<th{{ cell.payerr }}></th>": "look at 'payerr'",
    "<td{{ cell.extra }}></td>\n<th{{ cell.payer }}></th>": "are not the columns of the list",
    "<th{{ cell.payer }}></th>": "are not the columns of the list",
    "<th>{{ row }}</th>": "",
    "{% if x %}<th{{ cell.payer }}>{% else %}<th{{ cell.payer }}>{% endif %}<td{{ cell.extra }}>": "",
}


@pytest.mark.parametrize(("source", "words"), CELLS.items())
def test_cell_below_another_heading_is_reported(write, environment, source: str, words: str) -> None:
    path = write("page.html", source)
    found = list(row_faults(replace(shown(), columns=COLUMNS), Templates(environment)))
    assert [(fault.path, fault.line, fault.id) for fault in found] == ([(path, 1, "E012")] if words else [])
    assert all(words in fault.message and "payer, extra" in fault.hint for fault in found)


def test_declared_pages_are_known_with_their_rows() -> None:
    found = {shown.template: shown for shown in shown_rows("apps.energy.urls")}
    assert found["energy/clients/list.html"].row is Client
    assert found["energy/clients/detail.html"].row is Client
    assert found["energy/clients/list.html"].declared_at[0].endswith("apps/energy/views/clients.py")
    assert "energy/overview.html" not in found
