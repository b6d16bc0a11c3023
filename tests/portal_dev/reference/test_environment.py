"""The page of the environment and `.env.example` have the declared variables."""

from __future__ import annotations

import re

from portal.config.environment import VARIABLES
from portal_dev.reference import env_example, environment


def test_every_variable_has_its_place_on_the_page() -> None:
    rows = [line.split("|")[1] for line in environment.markdown().splitlines() if line.startswith("| `")]
    named = re.findall(r"`([A-Z_][A-Z0-9_]*)`", "".join(rows))
    assert sorted(named) == sorted(variable.name for variable in VARIABLES)


def test_the_example_has_every_variable_that_a_person_sets() -> None:
    named = re.findall(r"^#(\w+)=", env_example.markdown(), flags=re.MULTILINE)
    assert sorted(named) == sorted(variable.name for variable in VARIABLES if variable.in_env_file)
