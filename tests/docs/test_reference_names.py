"""Reference pages name, in backticks, all that a team may write in services, pages and templates."""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any, Final, cast

import pytest
from django.template import engines
from jinja2 import nodes
from jinja2.defaults import DEFAULT_FILTERS, DEFAULT_NAMESPACE

import portal.errors
import portal_pages as pages
from portal import query
from portal.query.endpoints import ReadOptions
from portal.query.hooks import checks, mutations, queries
from portal.web.frame.essentials import Essentials
from portal.web.frame.shell import Shell
from portal.web.templating.backend import PageTemplates
from portal.web.templating.environment import MACROS
from portal_pages.forms.form_fields import FormOptions
from portal_pages.lists.list_views import ListPage
from portal_pages.overviews.summaries import OverviewData
from portal_pages.page_names import PageNames
from tests.support.harness import ROOT

REFERENCE: Final = ROOT / "docs" / "reference"
QUERY_LAYER: Final = "\n".join(page.read_text() for page in sorted(REFERENCE.glob("query-layer*.md")))


def options(*functions: Any) -> set[str]:
    parameters = (parameter for function in functions for parameter in inspect.signature(function).parameters.values())
    return {parameter.name for parameter in parameters if parameter.kind is inspect.Parameter.KEYWORD_ONLY}


def fields(*kinds: Any) -> set[str]:
    return {field.name for kind in kinds for field in dataclasses.fields(kind) if field.init}


def members(*kinds: type) -> set[str]:
    return {name for kind in kinds for name in dir(kind)}


def offered_by_the_query_layer() -> set[str]:
    effects = {name for name in vars(query.DeclaredMutation) if name.endswith("_list")} | {"invalidates", "set_answer"}
    declarations = (query.query_endpoint, query.paginated_query_endpoint, query.mutation_endpoint, query.resource)
    calls = (queries.ReadHook.invalidate, mutations.MutationHook.__call__, mutations.Mutation.mutate)
    results = (query.QueryResult, query.PaginatedResult, query.MutationResult)
    errors = inspect.getmembers(portal.errors, inspect.isclass)
    return {
        *(name for name, value in vars(query).items() if not inspect.ismodule(value) and name != "annotations"),
        *options(*declarations, *(getattr(query.DeclaredMutation, name) for name in effects), *calls),
        *options(query.create_query_client),
        *fields(query.Resource, *results),
        *effects,
        *("prefetch", "spec", "invalidate", "key", "is_known", "UsageError", "SignInEndedError"),
        *ReadOptions.__annotations__,
        *query.ListParams.__struct_fields__,
        *query.RowParams.__struct_fields__,
        *members(*results, query.PaginatedRes, query.Partial, query.QueryClient),
        *(members(query.QueryEvent) - {"count", "index"}),
        *(name for name, error in errors if issubclass(error, portal.errors.ApiError)),
    }


def offered_by_pages() -> set[str]:
    views = (pages.ListView, pages.DetailView, pages.CreateView, pages.EditView, pages.DeleteView)
    # Two fields of filters have no names in a call.
    filters = fields(pages.Column, pages.Filter) - {"param", "label"}
    others = (FormOptions, pages.Count, OverviewData, pages.Figure, pages.Related, pages.RowAction)
    return fields(*views, *others) | filters | {"body", "show_backend_error", "outage", "was_rejected"}


def offered_by_templates() -> set[str]:
    environment = cast("PageTemplates", engines["pages"]).environment("en")
    layouts = (ROOT / "packages").glob("portal*/**/templates/portal/*.html")
    trees = [environment.parse(layout.read_text()) for layout in layouts]
    return {
        *fields(Shell, Essentials, ListPage, PageNames),
        *(name for name, value in environment.globals.items() if DEFAULT_NAMESPACE.get(name) is not value),
        *(name for name, value in environment.filters.items() if DEFAULT_FILTERS.get(name) is not value),
        *vars(environment.get_template(MACROS).module),
        *(block.name for tree in trees for block in tree.find_all(nodes.Block)),
    }


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (QUERY_LAYER, offered_by_the_query_layer),
        ((REFERENCE / "pages.md").read_text(), offered_by_pages),
        ((REFERENCE / "templates.md").read_text(), offered_by_templates),
    ],
    ids=["query layer", "pages", "templates"],
)
def test_reference_names_all_that_is_offered(text: str, offered: Any) -> None:
    named = {name for span in re.findall(r"`([^`\n]+)`", text) for name in re.findall(r"\w+", span)}
    assert {name for name in offered() if name[0] != "_"} - named == set()


def test_query_layer_names_the_checks_and_no_other() -> None:
    told = {f"portal.query.{code}" for code in re.findall(r"\bE\d{3}\b", Path(checks.__file__).read_text())}
    assert set(re.findall(r"portal\.query\.E\d+", QUERY_LAYER)) == told
