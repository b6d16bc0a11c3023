"""Questions to the audit log: the block and each filter of the page find lines as servers write them."""

import json
import logging
import re
import subprocess
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
#: Words of a filter, and the values that an operator looks for.
GIVEN: Final = {"user": USER, "entered": "name-of-the-user", "sign_in": "sign-in-of-the-user"}
#: Each question to the number of lines that answer it.
ANSWERS: Final = {
    "who signed in as this account, from where": 1,
    "all tries from an address": 11,
    "failed tries for the same name as in a known line": 21,
    "one sign-in, from beginning to end": 2,
    "names with more than 20 failed tries (`jq -s`)": 1,
    "addresses that tried more than 10 names (`jq -s`)": 1,
    "who gave somebody the right to administer accounts": 1,
    "stolen cookies, perhaps": 1,
}


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the acts of two accounts, and many tries from an address and for a name."""
    file = tmp_path / "audit.jsonl"
    handler = AuditFile(path=str(file))
    handler.setFormatter(JsonLine(app="auth_app"))
    logger = logging.getLogger(LOGGER_NAME)
    for name, value in (("handlers", [handler]), ("level", logging.INFO), ("propagate", False)):
        monkeypatch.setattr(logger, name, value)
    event, wrong = audit.AuditEvent, audit.Reason.WRONG_CREDENTIALS
    audit.write(event.SIGN_IN, user=USER, entered_name=GIVEN["entered"], sign_in=GIVEN["sign_in"])
    audit.write(event.SIGN_IN, user=OTHER, sign_in="another", entered_name="other")
    audit.write(event.REFRESH, audit.Reason.TOKEN_REUSED, sign_in=GIVEN["sign_in"])
    audit.write(event.PERMISSIONS, user=OTHER, target_user=USER, before=["ENERGY_APP"], after=["IAM_ADMIN"])
    audit.write(event.PERMISSIONS, user=OTHER, target_user=OTHER, before=["IAM_ADMIN"], after=["IAM_ADMIN"])
    for number in range(21):
        audit.write(event.SIGN_IN, wrong, entered_name=GIVEN["entered"], address=f"192.0.2.{number}")
    for number in range(11):
        audit.write(event.SIGN_IN, wrong, entered_name=f"name-{number}", address="203.0.113.7")
    handler.close()
    return file


def test_filters_find_the_lines_that_answer_their_question(log: Path) -> None:
    questions = dict(re.findall(r"^- (.+?): `((?:select|map)\(.+)`$", PAGE.read_text(), flags=re.MULTILINE))
    given = [word for name, value in GIVEN.items() for word in ("--arg", name, value)]
    found = {}
    for question, asked in questions.items():
        slurp = ["--slurp"] if "`jq -s`" in question else []
        command = [require_tool("jq"), "-c", *slurp, *given, asked, str(log)]
        found[question] = len(subprocess.check_output(command, text=True).splitlines())
    assert found == ANSWERS


def test_block_of_the_page_finds_an_accounts_lines(log: Path) -> None:
    require_tool("jq")
    (block,) = [block for block in blocks_of(PAGE) if block.code.startswith("user=")]
    done = subprocess.check_output(["bash", "-ec", block.code], cwd=log.parent, text=True)
    assert [json.loads(line)["event"] for line in done.splitlines()] == ["sign-in", "permissions"]
