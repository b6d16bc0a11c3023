"""The names of contract, section 1, each imported from where its table says, in a process that has imported nothing."""

import functools
import importlib
import inspect
import sys

import pytest

from portal.query import PaginatedRes, PaginatedResult, create_query_client
from tests.support.harness import run_program

NAMES = """
portal.api ApiSession set_tokens clear_tokens
portal.query create_query_group create_mutation_group query_endpoint paginated_query_endpoint mutation_endpoint
portal.query create_query_client PaginatedRes
portal.identity get_user_from_token derive_platforms_from_me
portal.web resolve_post_login_path
portal.web.frame.essentials fetch_user_essentials use_app_essentials
portal.web.context_processors essentials
portal.edge.middleware ProxyMiddleware
"""
#: Each line in a fork of its own.
IMPORTS = """
import importlib, os, sys
for line in sys.stdin.read().strip().split("\\n"):
    if os.fork() == 0:
        module, *names = line.split()
        for name in names:
            print(module, name * callable(getattr(importlib.import_module(module), name)), flush=True)
        os._exit(0)
    os.wait()
"""


def run(code: str, *, reads: str = "") -> list[str]:
    return run_program(sys.executable, "-c", code, input=reads).stdout.splitlines()


def test_each_name_of_the_contract_is_imported_from_where_it_says() -> None:
    lines = [line.split() for line in NAMES.strip().splitlines()]
    assert run(IMPORTS, reads=NAMES) == [f"{module} {name}" for module, *names in lines for name in names]


def test_the_edge_is_imported_without_the_calls_to_the_backend() -> None:
    code = "import sys, portal.edge.middleware; print([m for m in sys.modules if m in {'portal.api', 'requests'}])"
    assert run(code) == ["[]"]


def test_the_members_of_lists_and_of_a_query_client_have_the_names_of_the_contract() -> None:
    assert {"items", "raw_res", "has_next", "next_cursor"} <= set(PaginatedRes.__dataclass_fields__)
    for member in ("fetch_next_page", "has_next_page", "is_loading_more"):
        assert hasattr(PaginatedResult, member)
    assert {"tokens", "api"} <= set(inspect.signature(create_query_client).parameters)


@pytest.mark.parametrize(
    ("owner", "method", "keywords"),
    [
        ("portal.query", "paginated_query_endpoint", "unique_by"),
        ("portal.query.hooks.mutations", "MutationHook.remove_from_paginated_list", "list_query_key get_deleted_id"),
        *(
            ("portal.query.hooks.mutations", f"MutationHook.{name}_paginated_list", "list_query_key select_list_item")
            for name in ("add_created_to", "merge_updated_in")
        ),
        ("portal.web", "resolve_post_login_path", "request access_token"),
    ],
)
def test_an_option_has_the_name_of_the_contract(owner: str, method: str, keywords: str) -> None:
    found = functools.reduce(getattr, method.split("."), importlib.import_module(owner))
    assert set(keywords.split()) <= set(inspect.signature(found).parameters)
