"""The page of the endpoints says which calls a backend has to have, and what pages do without each of the others."""

from __future__ import annotations

import re

from portal.query import DeclaredMutation
from portal.query.endpoints import parameter_names
from portal.services.endpoint_list import declared_hooks
from portal_dev.reference.endpoints import markdown
from tests.support.harness import ROOT

#: Those of the requirements, and the sign-in.
REQUIRED = {
    "POST `/auth/login`",
    "POST `/refresh`",
    "GET `/me`",
    "GET `/energy/clients`",
    "POST `/energy/clients`",
    "GET `/energy/clients/{id}`",
    "DELETE `/energy/clients/{id}`",
}


def rows() -> dict[str, list[str]]:
    """Call to the other cells of its row."""
    lines = [line for line in markdown().splitlines() if re.match(r"\| (GET|POST|PUT|PATCH|DELETE) ", line)]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {call: others for call, *others in cells}


def test_the_required_calls_are_those_of_the_requirements_and_the_sign_in() -> None:
    assert {call for call, (*_, without) in rows().items() if without.startswith("**required**")} == REQUIRED


def test_each_declared_call_has_its_row_with_its_hook_and_its_parameters() -> None:
    intro = markdown().partition("\n## auth\n")[0]
    for hook in declared_hooks():
        method = hook.method if isinstance(hook, DeclaredMutation) else "GET"
        name, used, without = rows()[f"{method} `{hook.path_shape}`"]
        assert hook.hook_name.endswith(f".{name.strip('`')}")
        assert hook.without in (without or intro) or f"{method} `{hook.path_shape}`" in REQUIRED
        for parameter in (parameter_names(hook.params) or frozenset()) - {"pages"}:
            in_path = f"{{{parameter}}}" in hook.path_shape or hook.path_shape.endswith("/counts")
            assert in_path or f"`{parameter}`" in used or parameter in {"q", "sort", "cursor"}, (hook.key, parameter)


def test_a_backends_team_reads_of_the_same_required_calls() -> None:
    page = (ROOT / "docs" / "reference" / "what-we-ask-of-a-backend.md").read_text()
    required = page.partition("## Required")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| ([A-Z]+ `[^`]+`) \|", required, flags=re.MULTILINE)) == REQUIRED
