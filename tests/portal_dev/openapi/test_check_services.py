"""`manage.py check_services`: one line for each difference; ends with 0, 1 or 2."""

import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.portal_dev.openapi.small_schemas import answers, document, query


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    file = tmp_path / "schema.json"
    summary = {"type": "object", "properties": {"currency": {"type": "string"}, "totals": {"type": "integer"}}}
    stations = {"get": answers({}) | {"parameters": query("q")}}
    paths = {"/finance/summary": {"get": answers(summary)}, "/energy/stations": stations}
    file.write_text(json.dumps(document(paths=paths)))
    return file


def test_differences_are_printed_and_counted(schema: Path) -> None:
    out = io.StringIO()
    with pytest.raises(CommandError, match=r"^1 different, 12 absent$") as caught:
        call_command(
            "check_services", schema=str(schema), path="/finance/summary", stdout=out, write=schema.parent / "o"
        )
    offered = (schema.parent / "o").read_text().splitlines()[1:]
    untold = "# energy.get_stations:total  # can't be told from a schema"
    assert offered == ["energy.get_stations", untold, "energy.get_stations?q", "finance.get_summary"]
    assert caught.value.returncode == 1
    places = "packages/portal/services/finance/summary.py:"
    for line in out.getvalue().splitlines():
        assert line.startswith(places)
        assert re.search(r": finance\.get_summary: (absent: )?FinanceSummary", line)
    assert "absent: FinanceSummaryParams.timeZone: the schema has no parameter timeZone" in out.getvalue()
    assert "FinanceSummary.total: the schema has no field total; did you mean 'totals'?" in out.getvalue()


def test_failed_comparison_ends_with_2(schema: Path) -> None:
    for text, path, told in ((schema.read_text(), "/nowhere", "no call is declared"), ("{", "", "it is neither JSON")):
        schema.write_text(text)
        with pytest.raises(CommandError, match=f"^{schema}: {told}") as caught:
            call_command("check_services", schema=str(schema), path=path)
        assert caught.value.returncode == 2
