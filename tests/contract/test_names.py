"""The names of contract, section 1, each imported from where its table says, in an interpreter of its own."""

from __future__ import annotations

import functools
import importlib
import inspect
import subprocess
import sys

import pytest

from portal.query import PaginatedRes, PaginatedResult, create_query_client
from tests.support.harness import ROOT

NAMES = [
    ("portal.api", "ApiSession"),
    ("portal.api", "set_tokens"),
    ("portal.api", "clear_tokens"),
    ("portal.query", "create_query_group"),
    ("portal.query", "create_mutation_group"),
    ("portal.query", "query_endpoint"),
    ("portal.query", "paginated_query_endpoint"),
    ("portal.query", "mutation_endpoint"),
    ("portal.query", "create_query_client"),
    ("portal.query", "PaginatedRes"),
    ("portal.identity", "get_user_from_token"),
    ("portal.identity", "derive_platforms_from_me"),
    ("portal.web", "resolve_post_login_path"),
    ("portal.web.frame.essentials", "fetch_user_essentials"),
    ("portal.web.frame.essentials", "use_app_essentials"),
    ("portal.web.context_processors", "essentials"),
    ("portal.edge.middleware", "ProxyMiddleware"),
]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_name_of_the_contract_is_imported_from_where_it_says(module: str, name: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", f"from {module} import {name}; print({name}.__name__)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == name, result.stderr


def test_the_edge_is_imported_without_the_calls_to_the_backend() -> None:
    loaded = "import sys, portal.edge.middleware; print([m for m in sys.modules if m in {'portal.api', 'requests'}])"
    result = subprocess.run([sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.stdout.strip() == "[]", result.stderr


def test_the_members_of_lists_have_the_names_of_the_contract() -> None:
    assert {"items", "raw_res", "has_next", "next_cursor"} <= set(PaginatedRes.__dataclass_fields__)
    for member in ("fetch_next_page", "has_next_page", "is_loading_more"):
        assert hasattr(PaginatedResult, member)


@pytest.mark.parametrize(
    ("owner", "method", "keywords"),
    [
        ("portal.query", "paginated_query_endpoint", {"unique_by"}),
        (
            "portal.query.hooks.mutations",
            "MutationHook.remove_from_paginated_list",
            {"list_query_key", "get_deleted_id"},
        ),
        (
            "portal.query.hooks.mutations",
            "MutationHook.add_created_to_paginated_list",
            {"list_query_key", "select_list_item"},
        ),
        (
            "portal.query.hooks.mutations",
            "MutationHook.merge_updated_in_paginated_list",
            {"list_query_key", "select_list_item"},
        ),
        ("portal.web", "resolve_post_login_path", {"request", "access_token"}),
    ],
)
def test_an_option_has_the_name_of_the_contract(owner: str, method: str, keywords: set[str]) -> None:
    found = functools.reduce(getattr, method.split("."), importlib.import_module(owner))
    assert keywords <= set(inspect.signature(found).parameters)


def test_a_request_has_a_query_client_as_a_command_has_one() -> None:
    assert {"tokens", "api"} <= set(inspect.signature(create_query_client).parameters)
