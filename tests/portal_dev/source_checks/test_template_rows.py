"""Attributes that a row does not have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from portal.query import Record, Row
from portal.services.energy.clients import Client
from portal_dev.source_checks.routes import shown_rows
from portal_dev.source_checks.template_rows import row_faults
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
def test_an_attribute_that_a_row_does_not_have_is_named(write, environment, source: str, words) -> None:
    write("part.html", "{{ row.payerr }}")
    path = write("page.html", f"\n{source}")
    (fault,) = row_faults(shown(), environment)
    if "include" not in source:
        assert (fault.path, fault.line) == (path, 2)
    assert words[0] in fault.message
    assert "test_template_rows.py:7" in fault.message
    assert words[1] in fault.hint


@pytest.mark.parametrize("source", RIGHT)
def test_what_a_row_has_and_what_nobody_knows_is_left_alone(write, environment, source: str) -> None:
    write("page.html", source)
    assert list(row_faults(shown(), environment)) == []


COLUMNS = {"payer": Column("Payer"), "extra": Column("Extra")}


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("<th{{ cell.payerr }}></th>", ("the list has no column 'payerr'", "'payer'")),
        ("<td{{ cell.extra }}></td>\n<th{{ cell.payer }}></th>", ("are not the columns of the list", "payer, extra")),
        ("<th{{ cell.payer }}></th>", ("are not the columns of the list", "payer, extra")),
    ],
)
def test_a_cell_below_another_heading_is_named(write, environment, source: str, words: tuple[str, str]) -> None:
    path = write("page.html", source)
    page = replace(shown(), columns=COLUMNS)
    (fault,) = row_faults(page, environment)
    assert (fault.path, fault.line, fault.id) == (path, 1, "E012")
    assert words[0] in fault.message
    assert words[1] in fault.hint


@pytest.mark.parametrize(
    "source",
    [
        "<th>{{ row }}</th>",
        "{% if x %}<th{{ cell.payer }}>{% else %}<th{{ cell.payer }}>{% endif %}<td{{ cell.extra }}>",
    ],
)
def test_cells_in_their_order_and_cells_of_ones_own_are_left_alone(write, environment, source: str) -> None:
    write("page.html", source)
    page = replace(shown(), columns=COLUMNS)
    assert list(row_faults(page, environment)) == []


def test_a_page_without_its_template_is_named(environment) -> None:
    (fault,) = row_faults(shown("portal/lists.html"), environment)
    assert (str(fault.path), fault.line, fault.id) == (__file__, 7, "E008")
    assert fault.hint == "did you mean 'portal/list.html'?"


def test_the_declared_pages_of_an_app_are_known_with_their_templates_and_rows() -> None:
    found = {shown.template: shown for shown in shown_rows("apps.energy.urls")}
    assert found["energy/clients/list.html"].row is Client
    assert found["energy/clients/detail.html"].row is Client
    assert found["energy/clients/list.html"].declared_at[0].endswith("apps/energy/views/clients.py")
    assert "energy/overview.html" not in found
