"""The reference of pages and forms names every parameter of every declaration, with its default."""

from __future__ import annotations

import dataclasses
import re

import pytest

from portal_pages import (
    BackendForm,
    Column,
    Count,
    CreateView,
    DeleteView,
    DetailView,
    EditView,
    Figure,
    Filter,
    ListView,
    Related,
    RowAction,
)
from portal_pages.forms.form_fields import FormOptions
from portal_pages.overviews.summaries import OverviewData
from tests.support.harness import ROOT
from tests.support.how_to import section

PAGE = ROOT / "docs" / "reference" / "pages.md"
#: An item of a list: a name, its default in brackets, and what it is.
ITEM = re.compile(r"^- `(\w+)`(?: \((.*?)\))?: ", re.MULTILINE)


def names_of(kind: type) -> set[str]:
    return {field.name for field in dataclasses.fields(kind)}


@pytest.mark.parametrize("view", [ListView, DetailView, CreateView, EditView, DeleteView])
def test_each_parameter_is_named_with_its_default(view: type) -> None:
    parts = re.split(r"^\*\*`(\w+)`\*\*$", section(PAGE, "The five pages"), flags=re.MULTILINE)
    told = dict(ITEM.findall(dict(zip(parts[1::2], parts[2::2], strict=True))[view.__name__]))
    fields = {field.name: field.default for field in dataclasses.fields(view) if field.init}
    assert "`permission`" in parts[0]
    assert {*told, "permission"} == set(fields)
    for name in fields.keys() - {"template", "context", "permission"}:
        assert fields[name] is dataclasses.MISSING or told[name].strip("`") == str(fields[name])


def test_each_option_and_member_of_a_form_and_each_part_of_an_overview_is_named() -> None:
    form, numbers = section(PAGE, "`BackendForm`"), section(PAGE, "Numbers of an overview")
    assert names_of(FormOptions) <= dict(ITEM.findall(form)).keys()
    members = {"body", "show_backend_error", "outage", "was_rejected"}
    assert members & vars(BackendForm).keys() <= set(re.findall(r"\w+", form))
    assert names_of(Count) <= dict(ITEM.findall(numbers)).keys()
    assert names_of(OverviewData) <= set(re.findall(r"`(\w+)`", numbers))
    assert names_of(Figure) <= set(re.findall(r"`(\w+)`", numbers))


@pytest.mark.parametrize(
    ("part", "heading"), [(Related, "What belongs to a row"), (RowAction, "What people do with a row")]
)
def test_each_parameter_of_a_part_of_a_row_is_named(part: type, heading: str) -> None:
    assert dict(ITEM.findall(section(PAGE, heading))).keys() == names_of(part)


def test_each_parameter_of_columns_and_filters_is_named() -> None:
    named = set(re.findall(r"`(\w+)`", section(PAGE, "Columns, filters, ranges")))
    assert names_of(Column) <= named
    # The first two have no names in a call.
    assert names_of(Filter) - {"param", "label"} <= named
