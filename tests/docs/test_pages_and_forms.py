"""The reference of pages and forms names every parameter of every declaration, with its default."""

from __future__ import annotations

import dataclasses
import re

import pytest

from portal.services.energy.clients import ClientQueries
from portal_pages import BackendForm, Count, CreateView, DeleteView, DetailView, EditView, ListView
from portal_pages.forms.form_fields import FormOptions
from portal_pages.lists.list_views import AGE_SORTS
from portal_pages.overviews.summaries import OverviewData
from tests.support.harness import ROOT
from tests.support.how_to import section

PAGE = ROOT / "docs" / "reference" / "pages.md"
VIEWS = (ListView, DetailView, CreateView, EditView, DeleteView)


#: An item of a list: a name, its default in brackets, and what it is.
ITEM = re.compile(r"- `(\w+)`(?: \((.*?)\))?: ")


def told() -> dict[str, dict[str, str]]:
    """View to its parameters, each with the default that the page names."""
    found: dict[str, dict[str, str]] = {}
    parameters: dict[str, str] = {}
    for line in section(PAGE, "The five pages").splitlines():
        if view := re.fullmatch(r"\*\*`(\w+)`\*\*", line):
            parameters = found.setdefault(view[1], {})
        elif item := ITEM.match(line):
            parameters[item[1]] = (item[2] or "").strip("`")
    return found


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_each_parameter_is_named_with_its_default(view: type) -> None:
    parameters = told()[view.__name__]
    fields = {field.name: field.default for field in dataclasses.fields(view) if field.init}
    assert set(parameters) == set(fields)
    for name, default in fields.items():
        if name in {"template", "context"} or default is dataclasses.MISSING:
            continue
        assert parameters[name] == str(default)
    assert ListView(hook=ClientQueries.use_get_clients_query).sorts is AGE_SORTS


def items_of(heading: str) -> set[str]:
    """The names that the lists of a section explain."""
    return {item[1] for line in section(PAGE, heading).splitlines() if (item := ITEM.match(line))}


def test_each_option_of_a_form_is_named() -> None:
    assert {field.name for field in dataclasses.fields(FormOptions)} <= items_of("`BackendForm`")


def test_each_member_of_a_form_is_named() -> None:
    named = set(re.findall(r"\w+", section(PAGE, "`BackendForm`")))
    assert {
        name for name in vars(BackendForm) if name in {"body", "show_backend_error", "outage", "was_rejected"}
    } <= named


def test_each_part_of_a_count_and_of_an_overview_is_named() -> None:
    assert {field.name for field in dataclasses.fields(Count)} <= items_of("Numbers of an overview")
    named = set(re.findall(r"`(\w+)`", section(PAGE, "Numbers of an overview")))
    assert {field.name for field in dataclasses.fields(OverviewData)} <= named
