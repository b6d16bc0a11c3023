"""The reference pages name, in backticks, all that a team may write in services, pages and templates."""

from __future__ import annotations

import dataclasses
import html
import inspect
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, cast

import pytest
from django.template import engines
from django.test import RequestFactory
from jinja2 import nodes
from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_NAMESPACE

import portal.errors
import portal_pages as pages
from portal import query
from portal.query.endpoints import ReadOptions
from portal.query.hooks import checks, mutations, queries
from portal.web.frame.essentials import Essentials
from portal.web.frame.shell import Shell
from portal.web.present import Badge
from portal.web.templating.backend import PageTemplates
from portal.web.templating.environment import MACROS
from portal_pages.forms.form_fields import FormOptions
from portal_pages.lists.list_views import ListPage
from portal_pages.overviews.summaries import OverviewData
from portal_pages.page_names import PageNames
from tests.support.harness import ROOT
from tests.support.how_to import section

REFERENCE: Final = ROOT / "docs" / "reference"
QUERY_LAYER: Final = "\n".join(page.read_text() for page in sorted(REFERENCE.glob("query-layer*.md")))
PAGES, TEMPLATES = REFERENCE / "pages.md", REFERENCE / "templates.md"


def options(function: Any) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}


def fields(*kinds: Any) -> set[str]:
    return {each.name for kind in kinds for each in dataclasses.fields(kind) if each.init and each.name[0] != "_"}


def members(*kinds: type) -> set[str]:
    return {name for kind in kinds for name in dir(kind) if not name.startswith("_")}


EFFECTS: Final = {name for name in vars(query.DeclaredMutation) if name.endswith("_list")} | {
    "invalidates",
    "set_answer",
}
VIEWS: Final = (pages.ListView, pages.DetailView, pages.CreateView, pages.EditView, pages.DeleteView)
#: Where a team writes names, to the text that has them, and the names.
OFFERED: Final[dict[str, tuple[str, set[str]]]] = {
    "portal.query": (
        QUERY_LAYER,
        {name for name, each in vars(query).items() if name[0] != "_" and not inspect.ismodule(each)} - {"annotations"},
    ),
    "declarations": (
        QUERY_LAYER,
        {
            *options(query.query_endpoint),
            *options(query.paginated_query_endpoint),
            *options(query.mutation_endpoint),
            *options(query.resource),
            *fields(query.Resource),
            *EFFECTS,
            *(option for name in EFFECTS for option in options(getattr(query.DeclaredMutation, name))),
        },
    ),
    "calls": (
        QUERY_LAYER,
        {
            *("prefetch", "spec", "invalidate", "key", "is_known"),
            *ReadOptions.__annotations__,
            *options(queries.ReadHook.invalidate),
            *options(mutations.MutationHook.__call__),
            *options(mutations.Mutation.mutate),
            *options(query.create_query_client),
            *query.ListParams.__struct_fields__,
            *query.RowParams.__struct_fields__,
        },
    ),
    "results": (
        QUERY_LAYER,
        fields(query.QueryResult, query.PaginatedResult, query.MutationResult)
        | members(query.QueryResult, query.PaginatedResult, query.PaginatedRes, query.MutationResult)
        | members(query.Partial, query.QueryClient)
        | (members(query.QueryEvent) - {"count", "index"}),
    ),
    "errors": (
        QUERY_LAYER,
        {
            name
            for name, each in vars(portal.errors).items()
            if inspect.isclass(each) and issubclass(each, portal.errors.ApiError)
        }
        | {"UsageError", "SignInEndedError"},
    ),
    "views": (section(PAGES, "The five pages"), fields(*VIEWS)),
    "forms": (
        section(PAGES, "`BackendForm`"),
        fields(FormOptions) | {"body", "show_backend_error", "outage", "was_rejected"},
    ),
    "overviews": (section(PAGES, "Numbers of an overview"), fields(pages.Count, OverviewData, pages.Figure)),
    "related rows": (section(PAGES, "What belongs to a row"), fields(pages.Related)),
    "actions": (section(PAGES, "What people do with a row"), fields(pages.RowAction)),
    "columns and filters": (
        section(PAGES, "Columns, filters, ranges"),
        fields(pages.Column, pages.Filter) - {"param", "label"},  # have no names in a call
    ),
    "variables of templates": (section(TEMPLATES, "Variables"), fields(Shell, Essentials, ListPage, PageNames)),
}


def missing(text: str, names: Iterable[str]) -> set[str]:
    """Return the names that do not stand in backticks."""
    return set(names) - {name for span in re.findall(r"`([^`\n]+)`", text) for name in re.findall(r"\w+", span)}


@pytest.mark.parametrize("where", OFFERED)
def test_reference_names_all_that_is_offered(where: str) -> None:
    text, names = OFFERED[where]
    assert names
    assert missing(text, names) == set()


def test_query_layer_names_the_checks_and_no_other() -> None:
    told = {f"portal.query.{code}" for code in re.findall(r"\bE\d{3}\b", Path(checks.__file__).read_text())}
    assert set(re.findall(r"portal\.query\.E\d+", QUERY_LAYER)) == told


def test_templates_page_names_functions_filters_macros_and_blocks() -> None:
    environment = cast("PageTemplates", engines["pages"]).environment("en")
    ours = {name for name, each in environment.globals.items() if DEFAULT_NAMESPACE.get(name) is not each}
    ours |= {name for name, each in environment.filters.items() if DEFAULT_FILTERS.get(name) is not each}
    ours |= set(vars(environment.get_template(MACROS).module))
    for layout in (ROOT / "packages").glob("portal*/**/templates/portal/*.html"):
        ours |= {block.name for block in environment.parse(layout.read_text()).find_all(nodes.Block)}
    assert missing(TEMPLATES.read_text(), {name for name in ours if name[0] != "_"}) == set()


#: A value for each filter whose example the page has.
VALUES: Final[dict[str, Any]] = {
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


def test_filters_write_what_the_page_says() -> None:
    rows = re.findall(r"^\| `((\w+).*?)` \| .* \| (.+?) \|$", section(TEMPLATES, "Filters"), flags=re.MULTILINE)
    assert {name for _, name, _ in rows} == VALUES.keys()
    for call, name, result in rows:
        template = engines["pages"].from_string(f"{{{{ value|{call} }}}}")
        text = template.render({"value": VALUES[name]}, RequestFactory().get("/en/energy"))
        assert html.unescape(re.sub(r"<[^>]+>", "", text)).replace("\N{NO-BREAK SPACE}", " ") == result
