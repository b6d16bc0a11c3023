"""The page of the environment and `.env.example` are what the declared variables make of them."""

from __future__ import annotations

import re

import pytest

from portal.config.environment import VARIABLES
from portal.devtools.reference import env_example, environment
from tests.support.harness import ROOT


@pytest.mark.parametrize("module", [environment, env_example])
def test_the_page_is_the_one_that_the_code_makes(module) -> None:
    assert (ROOT / module.PAGE).read_text() == module.markdown()


def test_every_variable_has_its_place_on_the_page() -> None:
    rows = [line.split("|")[1] for line in environment.markdown().splitlines() if line.startswith("| `")]
    named = re.findall(r"`([A-Z_][A-Z0-9_]*)`", "".join(rows))
    assert sorted(named) == sorted(variable.name for variable in VARIABLES)


def test_the_example_has_every_variable_that_a_person_sets() -> None:
    named = re.findall(r"^#(\w+)=", env_example.markdown(), flags=re.MULTILINE)
    assert sorted(named) == sorted(variable.name for variable in VARIABLES if variable.in_env_file)
