"""The threat model claims nothing without a proof: each of its rows names tests, and each of them exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "threat-model.md"
ROW = re.compile(r"^- ([STRIDE]-\d+)\. \*([^*]*)\*:(.*?)\. (`.*)$", re.MULTILINE)
PROOF = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")
ROWS = {
    number: (threat.strip(), answer.strip(), proofs.strip())
    for number, threat, answer, proofs in ROW.findall(PAGE.read_text())
}


def names_in(file: str) -> set[str]:
    """The names of the tests in a file, also of those in a class."""
    tree = ast.parse((ROOT / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def missing(proofs: str) -> list[str]:
    """The proofs of a row that are not there: the file, or the test in it. A file alone stands for all its tests."""
    return [
        f"{file}::{name}"
        for file, name in PROOF.findall(proofs)
        if not (ROOT / file).exists() or not (names_in(file) >= {name} if name else names_in(file))
    ]


def test_each_claim_names_its_threat_its_answer_and_tests_that_exist() -> None:
    for threat, answer, proofs in ROWS.values():
        assert threat
        assert answer
        assert PROOF.findall(proofs)
        assert PROOF.sub("", proofs).strip() == "", "only tests stand here"
        assert missing(proofs) == []


def test_every_kind_of_threat_has_rows_and_their_numbers_follow_each_other() -> None:
    for letter in "STRIDE":
        numbers = [int(number.partition("-")[2]) for number in ROWS if number.startswith(letter)]
        assert numbers == list(range(1, len(numbers) + 1)) != []
