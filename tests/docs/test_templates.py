"""The pages on templates name every name that a template has, and none else; their examples hold."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import pytest
from django.contrib.messages.storage.base import BaseStorage
from django.template import engines
from django.test import RequestFactory
from jinja2 import nodes, pass_context
from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_NAMESPACE
from jinja2.runtime import Context

from portal.web.frame.essentials import Essentials
from portal.web.frame.shell import Shell
from portal.web.present import Badge
from portal.web.templating.backend import PageTemplates
from portal.web.templating.environment import MACROS, PageEnvironment
from portal_pages.lists.list_views import ListPage
from portal_pages.page_names import PageNames
from tests.support.harness import ROOT
from tests.support.how_to import section

PAGE = ROOT / "docs" / "reference" / "templates.md"
LAYOUTS = (ROOT / "packages" / "portal" / "web" / "templates", ROOT / "packages" / "portal_pages" / "templates")

#: What the examples of the filters write: a value for each.
VALUES: dict[str, Any] = {
    **dict.fromkeys(
        ("day", "moment", "short_moment", "clock", "as_of", "calendar_day"), datetime(2026, 3, 9, 7, 5, tzinfo=UTC)
    ),
    **dict.fromkeys(("amount", "quantity", "kwh", "kw"), 1234.5),
    **dict.fromkeys(("geo", "geo_text", "map_url"), (59.91273, 10.74609)),
    **dict.fromkeys(("mailto", "urlencode"), "ada@example.com"),
    **dict.fromkeys(("link", "platform_link"), "Ada"),
    "tel": "+49 30 1234567",
    "ago": datetime.now(UTC) - timedelta(days=3),
    "listed": ("Name", "City", "Phone"),
    "money": Decimal("1234.5"),
    "offered": "/en/energy/chargers",
    "badge": Badge(label="Paid", tone="good"),
}
#: Of `page_class`: they are no blocks.
CLASSES = {"narrow", "wide"}
TAGS = {nodes.Extends: "extends", nodes.Block: "block", nodes.If: "if", nodes.For: "for", nodes.Include: "include"}


@pytest.fixture
def environment() -> PageEnvironment:
    return cast("PageTemplates", engines["pages"]).environment("en")


def rows_of(heading: str) -> list[list[str]]:
    """The rows of the tables of a section, each as its cells; and the items of its lists, as name and text."""
    lines = section(PAGE, heading).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line.startswith("| `")]
    return rows + [line.removeprefix("- ").split(": ", 1) for line in lines if line.startswith("- `")]


def first_names(heading: str) -> list[str]:
    """What the first cells of a section's table name: `link("client", row.id)` is `link`."""
    return [re.match(r"`(\w+)", row[0])[1] for row in rows_of(heading)]  # type: ignore[index]  # rows begin with a name


def names_in(environment: PageEnvironment, text: str) -> set[str]:
    """The tags, functions, filters and variables of a template."""
    tree = environment.parse(text)
    return set(_names_in(tree))


def _names_in(tree: nodes.Template) -> Iterator[str]:
    yield from (TAGS[type(node)] for node in tree.find_all(nodes.Stmt) if type(node) in TAGS)
    yield from (node.name for node in tree.find_all(nodes.Name))
    yield from (node.name for node in tree.find_all(nodes.Filter))


def test_the_functions_constants_and_filters_are_those_of_the_environment(environment: PageEnvironment) -> None:
    ours = {name: value for name, value in environment.globals.items() if DEFAULT_NAMESPACE.get(name) is not value}
    macros = set(first_names("Macros"))
    constants = set(re.findall(r"`(\w+)`", section(PAGE, "Functions").split("\nConstants: ")[1]))
    assert constants == {name for name, value in ours.items() if not callable(value)}
    assert sorted(first_names("Functions")) == sorted(ours.keys() - macros - constants)
    filters = {name for name, each in environment.filters.items() if DEFAULT_FILTERS.get(name) is not each}
    assert sorted(first_names("Filters")) == sorted(name for name in filters if not name.startswith("_"))


def test_the_macros_are_those_of_their_file_with_their_arguments(environment: PageEnvironment) -> None:
    macros = environment.get_template(MACROS).module
    assert sorted(first_names("Macros")) == sorted(name for name in vars(macros) if not name.startswith("_"))
    for call, *_ in rows_of("Macros"):
        written = environment.parse(f"{{{{ {call.strip('`')} }}}}").find(nodes.Call)
        assert written is not None
        arguments = getattr(macros, re.match(r"`(\w+)", call)[1]).arguments  # type: ignore[index]  # as above
        assert len(written.args) + len(written.kwargs) <= len(arguments)
        assert {each.key for each in written.kwargs} <= set(arguments)


def test_the_variables_are_those_that_every_template_gets() -> None:
    seen: set[str] = set()

    @pass_context
    def look(context: Context) -> str:
        seen.update(context.get_all().keys() - context.environment.globals.keys())
        return ""

    request = RequestFactory().get("/en/energy")
    request._messages = BaseStorage(request)  # type: ignore[attr-defined]  # as Django's middleware does
    engines["pages"].from_string("{{ look() }}").render({"look": look}, request)
    assert sorted(first_names("Variables")) == sorted(seen - {"look"})


def test_the_fields_of_the_variables_are_named() -> None:
    named = set(re.findall(r"`(\w+)`", section(PAGE, "Variables")))
    for kind in (Shell, Essentials, ListPage, PageNames):
        fields = {field.name for field in dataclasses.fields(kind)}
        assert fields | {name for name, value in vars(kind).items() if isinstance(value, property)} <= named, kind


def test_the_layouts_have_these_blocks(environment: PageEnvironment) -> None:
    rows = rows_of("Layouts and their blocks")
    layouts = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[2])) - CLASSES for row in rows}
    assert layouts == {
        name: {block.name for block in environment.parse(path.read_text()).find_all(nodes.Block)}
        for layouts in LAYOUTS
        for path in layouts.glob("portal/*.html")
        if (name := str(path.relative_to(layouts))) != MACROS
    }


@pytest.mark.parametrize("row", rows_of("Filters"), ids=first_names("Filters"))
def test_a_filter_writes_what_the_page_says(row: list[str]) -> None:
    call, result = row[0].strip("`"), row[2]
    request = RequestFactory().get("/en/energy")
    template = engines["pages"].from_string(f"{{{{ value|{call} }}}}")
    text = re.sub(r"<[^>]+>", "", template.render({"value": VALUES[call.partition("(")[0]]}, request))
    assert html.unescape(text).replace("\N{NO-BREAK SPACE}", " ") == result


def test_there_are_eleven_names(environment: PageEnvironment) -> None:
    examples = re.findall(r"^\d+\. `(.+?)`[,:]", section(PAGE, "The eleven names of a list template"), re.MULTILINE)
    eleven = {next(iter(names_in(environment, each) - {"row", "statuses"}), "row") for each in examples}
    assert len(eleven) == len(examples) == 11
