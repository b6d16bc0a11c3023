"""The page of the endpoints says which calls a backend has to have, and what pages do without each of the others."""

from __future__ import annotations

import re

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


def test_the_required_calls_are_those_of_the_requirements_and_the_sign_in() -> None:
    assert set(re.findall(r"^- ([A-Z]+ `[^`]+`)[.,].*\*\*Required\*\*", markdown(), flags=re.MULTILINE)) == REQUIRED


def test_a_backends_team_reads_of_the_same_required_calls() -> None:
    page = (ROOT / "docs" / "reference" / "what-we-ask-of-a-backend.md").read_text()
    required = page.partition("## Required")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| ([A-Z]+ `[^`]+`) \|", required, flags=re.MULTILINE)) == REQUIRED
