"""The page with the edge's rules has each rule in the table's order, with requests on which it decides."""

from __future__ import annotations

import re

from portal.edge.rules import RULES
from portal_dev.reference.edge_table import REQUEST_EXAMPLES, markdown


def test_each_rule_has_its_section_in_the_order_of_the_table() -> None:
    assert re.findall(r"^## (.*)$", markdown(), flags=re.MULTILINE) == [rule.name for rule in RULES]


def test_each_section_has_examples_and_each_example_is_in_one() -> None:
    sections = re.split(r"^## .*$", markdown(), flags=re.MULTILINE)[1:]
    rows = [len(re.findall(r"^- `", section, flags=re.MULTILINE)) for section in sections]
    assert min(rows) >= 1
    assert sum(rows) == len(REQUEST_EXAMPLES) == len(set(EXAMPLES_AS_TEXT))


EXAMPLES_AS_TEXT = [f"{example.line} {example.user[0]} {example.sender[0]}" for example in REQUEST_EXAMPLES]


def test_an_outcome_is_the_edges_own_answer() -> None:
    assert (
        "- `GET https://energy.example.com/en`, nobody: 302, `Location: https://auth.example.com/en/login`"
        in markdown().splitlines()
    )
