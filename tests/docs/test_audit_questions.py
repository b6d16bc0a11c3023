"""The questions to the audit log and their answers by jq: each filter of the page, on lines as servers write them."""

from __future__ import annotations

import json
import logging
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from portal.telemetry import audit
from portal.telemetry.audit.audit_log import LOGGER_NAME
from portal.telemetry.audit.lines import AuditFile, JsonLine
from tests.support.doc_blocks import blocks_of
from tests.support.harness import ROOT, require_tool

PAGE: Final = ROOT / "docs" / "reference" / "audit-log.md"
USER, OTHER = audit.tag_of("acc_1"), audit.tag_of("acc_2")
#: What stands in a filter for a value that somebody looks for.
GIVEN: Final = {"user": USER, "entered": "name-of-the-user", "sign_in": "sign-in-of-the-user"}
ADDRESS: Final = "203.0.113.7"


def filters() -> dict[str, str]:
    """Return the filter of each question on the page."""
    rows = re.findall(r"^- (.+?): `(.+)`$", PAGE.read_text(), flags=re.MULTILINE)
    return {question: asked for question, asked in rows if asked.startswith(("select(", "map("))}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file with what happened to two accounts, and what somebody tried from an address."""
    file = tmp_path_factory.mktemp("audit") / "audit.jsonl"
    handler = AuditFile(path=str(file))
    handler.setFormatter(JsonLine(app="auth_app"))
    logger = logging.getLogger(LOGGER_NAME)
    before, propagates = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel("INFO")
    logger.propagate = False
    event, reason = audit.AuditEvent, audit.Reason
    try:
        known = {"user": USER, "entered_name": GIVEN["entered"], "sign_in": GIVEN["sign_in"]}
        audit.write(event.SIGN_IN, address="198.51.100.1", user_agent="a browser", **known)
        audit.write(event.SIGN_IN, user=OTHER, address="198.51.100.2", sign_in="another", entered_name="other")
        audit.write(event.REFRESH, reason.TOKEN_REUSED, sign_in=GIVEN["sign_in"])
        audit.write(event.PERMISSIONS, user=OTHER, target_user=USER, before=["ENERGY_APP"], after=["IAM_ADMIN"])
        audit.write(event.PERMISSIONS, user=OTHER, target_user=USER, before=["IAM_ADMIN"], after=["IAM_ADMIN"])
        audit.write(event.PERMISSIONS, user=OTHER, target_user=OTHER, after=["IAM_ADMIN"])
        for number in range(21):
            audit.write(
                event.SIGN_IN, reason.WRONG_CREDENTIALS, entered_name=GIVEN["entered"], address=f"192.0.2.{number}"
            )
        for number in range(11):
            audit.write(event.SIGN_IN, reason.WRONG_CREDENTIALS, entered_name=f"name-{number}", address=ADDRESS)
        yield file
    finally:
        logger.removeHandler(handler)
        logger.setLevel(before)
        logger.propagate = propagates
        handler.close()


#: The beginning of each question to what its filter finds; of a line, these fields.
ANSWERS: Final[dict[str, list[object]]] = {
    "who signed in as this account": [
        {"outcome": "success", "address": "198.51.100.1", "user_agent": "a browser", "sign_in": GIVEN["sign_in"]}
    ],
    "all tries from an address": [{"address": ADDRESS, "entered_name": f"name-{number}"} for number in range(11)],
    "failed tries for the same name": [{"outcome": "failure", "address": f"192.0.2.{number}"} for number in range(21)],
    "one sign-in": [{"event": "sign-in"}, {"event": "refresh"}],
    "names with more than 20": [{"name": GIVEN["entered"], "tries": 21}],
    "addresses that tried more than 10": [ADDRESS],
    "who gave somebody the right": [
        {"user": OTHER, "target_user": USER, "before": ["ENERGY_APP"]},
        {"user": OTHER, "target_user": OTHER},
    ],
    "stolen cookies": [{"event": "refresh", "sign_in": GIVEN["sign_in"]}],
}


@pytest.mark.parametrize("begin", ANSWERS)
def test_a_filter_of_the_page_finds_the_lines_that_answer_its_question(begin: str, log: Path) -> None:
    assert len(filters()) == len(ANSWERS), "each question of the page has an answer here"
    ((question, asked),) = [each for each in filters().items() if each[0].startswith(begin)]
    given = [word for name, value in GIVEN.items() for word in ("--arg", name, value)]
    slurp = ["--slurp"] if "`jq -s`" in question else []
    done = subprocess.run(
        [require_tool("jq"), "-c", *slurp, *given, asked, str(log)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    expected = ANSWERS[begin]
    assert len(found) == len(expected)
    for line, fields in zip(found, expected, strict=True):
        assert line == fields if not isinstance(fields, dict) else fields.items() <= line.items()


def test_the_lines_of_an_account_are_found_by_the_block_of_the_page(log: Path) -> None:
    require_tool("jq")
    (block,) = [block for block in blocks_of(PAGE) if block.code.startswith("user=")]
    done = subprocess.run(["bash", "-ec", block.code], cwd=log.parent, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["event"] for line in found] == ["sign-in", "permissions", "permissions"]
