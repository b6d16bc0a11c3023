"""Threat model: each of its rows names tests that exist."""

import re

from tests.support.harness import ROOT

PAGE = ROOT / "docs" / "explanation" / "threat-model.md"
PROOF = r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`"


def test_each_row_names_tests_that_exist() -> None:
    rows = re.findall(r"^- [STRIDE]-\d+\. \*.+$", PAGE.read_text(), flags=re.MULTILINE)
    assert len(rows) > 20
    for row in rows:
        proofs = re.findall(PROOF, row)
        assert proofs
        for file, name in proofs:
            assert f"def {name or 'test_'}" in (ROOT / file).read_text(), row
