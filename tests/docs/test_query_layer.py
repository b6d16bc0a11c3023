"""The reference of the query layer names all that a team may use, and nothing that is not there."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

import portal.errors
import portal.query
from portal.errors import ApiError
from portal.query import (
    DeclaredMutation,
    ListParams,
    MutationResult,
    OpenEnum,
    PaginatedRes,
    PaginatedResult,
    Partial,
    QueryClient,
    QueryEvent,
    QueryResult,
    Resource,
    RowParams,
    create_query_client,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    resource,
)
from portal.query.endpoints import ReadOptions
from portal.query.hooks import checks, groups, lists, mutations, queries
from tests.support.harness import ROOT

TEXT = "\n".join(page.read_text() for page in sorted((ROOT / "docs" / "reference").glob("query-layer*.md")))
#: Names in backticks: whole, or as parts of a call.
SPANS = re.findall(r"`([^`\n]+)`", TEXT)
NAMED = {name for span in SPANS for name in re.findall(r"\w+", span)}


def options(function: object) -> set[str]:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]  any callable
    return {one.name for one in parameters if one.kind is inspect.Parameter.KEYWORD_ONLY}


def members(kind: type) -> set[str]:
    fields = {field.name for field in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    return {name for name in {*fields, *dir(kind)} if not name.startswith("_")}


#: What a team may write, by where it writes it.
OFFERED = {
    "portal.query": {name for name in vars(portal.query) if not name.startswith("_")}
    - {name for name, value in vars(portal.query).items() if inspect.ismodule(value) or name == "annotations"},
    "read options": set(ReadOptions.__annotations__),
    "query_endpoint": options(query_endpoint),
    "paginated_query_endpoint": options(paginated_query_endpoint),
    "mutation_endpoint": options(mutation_endpoint),
    "resource": options(resource),
    "members of a resource": {field.name for field in dataclasses.fields(Resource)},
    "effects": {
        name for name in vars(DeclaredMutation) if name.endswith("_list") or name in {"invalidates", "set_answer"}
    },
    "options of effects": {
        option
        for name, method in vars(DeclaredMutation).items()
        if inspect.isfunction(method) and not name.startswith("_")
        for option in options(method)
    },
    "hook": {name for name in vars(queries.QueryHook) if name in {"prefetch", "spec"}} | {"invalidate", "key"},
    "invalidate": options(queries.ReadHook.invalidate),
    "mutation": options(mutations.MutationHook.__call__),
    "mutate": options(mutations.Mutation.mutate),
    "parameters": set(ListParams.__struct_fields__) | set(RowParams.__struct_fields__),
    "enumeration": {"is_known"},
    "partial": members(Partial),
    "one-shot result": members(QueryResult),
    "list result": members(PaginatedResult),
    "list": members(PaginatedRes),
    "result of a write": members(MutationResult),
    "event": members(QueryEvent) - {"count", "index"},
    "client": members(QueryClient),
    "create_query_client": options(create_query_client),
    "errors": {
        name
        for name, value in vars(portal.errors).items()
        if isinstance(value, type) and issubclass(value, ApiError) and value is not ApiError
    }
    | {"ApiError", "UsageError", "SignInEndedError"},
}


def test_everything_is_named() -> None:
    assert all(OFFERED.values())
    assert {where: missing for where, names in OFFERED.items() if (missing := names - NAMED)} == {}


def test_every_check_is_named_and_none_else() -> None:
    told = {f"portal.query.{code}" for code in re.findall(r"\bE\d{3}\b", Path(checks.__file__).read_text())}
    assert set(re.findall(r"portal\.query\.E\d+", TEXT)) == told


def test_the_tables_of_options_name_none_that_is_not_there() -> None:
    """The first cell of a row names options, members, classes, or types of attributes."""
    cells = re.findall(r"^\| (`[^|]*`) \|", TEXT, flags=re.MULTILINE)
    named = {re.split(r"\W", span.strip("."))[0] for cell in cells for span in re.findall(r"`([^`]+)`", cell)}
    modules = {name for module in (groups, lists, mutations, queries) for name in vars(module)}
    types = {"str", "int", "float", "bool", "Decimal", "datetime", "date", "tuple", "dict"}
    known = set().union(*OFFERED.values(), modules, types, {"body", "partial", "portal", "url"}, dir(OpenEnum))
    assert sorted(named - known) == []
