"""`manage.py check_services`: one line for each difference; ends with 0, 1 or 2."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.portal_dev.openapi.small_schemas import answers, document
from tests.support.harness import ROOT


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    file = tmp_path / "schema.json"
    summary = {"type": "object", "properties": {"currency": {"type": "string"}, "totals": {"type": "integer"}}}
    file.write_text(json.dumps(document(paths={"/finance/summary": {"get": answers(summary)}})))
    return file


def test_differences_are_printed_and_counted(schema: Path) -> None:
    out = io.StringIO()
    with pytest.raises(CommandError, match=r"^2 differences, and 10 absent$") as caught:
        call_command("check_services", schema=str(schema), path="/finance/summary", stdout=out)
    assert caught.value.returncode == 1
    places = "packages/portal/services/finance/summary.py:"
    for line in out.getvalue().splitlines():
        assert line.startswith(places)
        assert re.search(r": finance\.get_summary: (absent: )?FinanceSummary", line)
    assert "absent: FinanceSummaryParams.time_zone: the schema has no parameter timeZone" in out.getvalue()
    assert "FinanceSummary.total: the schema has no field total; did you mean 'totals'?" in out.getvalue()


@pytest.mark.parametrize(
    ("text", "path", "told"),
    [
        ("{", "", "it is neither JSON nor YAML: "),
        (json.dumps(document()), "/nowhere", "no call is declared at /nowhere or below it"),
    ],
)
def test_what_can_not_be_compared_ends_with_2(tmp_path: Path, text: str, path: str, told: str) -> None:
    file = tmp_path / "schema.json"
    file.write_text(text)
    with pytest.raises(CommandError) as caught:
        call_command("check_services", schema=str(file), path=path)
    assert caught.value.returncode == 2
    assert str(caught.value).startswith(f"{file}: {told}")


def test_it_runs_without_an_app(schema: Path) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "check_services", "--schema", "-", "--path", "/finance"]
    done = subprocess.run(command, input=schema.read_text(), capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1, done.stderr
    assert "the schema has no GET /finance/invoices" in done.stdout
    assert done.stderr.startswith("CommandError: ")
