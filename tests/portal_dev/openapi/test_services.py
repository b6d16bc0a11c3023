"""The sandbox's own schema and the services agree; what is optional may be absent."""

import io
import re

import pytest
from django.core.management import call_command

from tests.support.sandbox_schema import sandbox_schema


@pytest.mark.parametrize(
    ("profile", "absent", "there"),
    [
        ("", set(), {"GET /energy/state"}),
        ("document", {"GET /energy/state", "PATCH /energy/clients/{id}", "GET /energy/stations"}, set()),
        (
            "contract",
            {"GET /energy/state", "GET /energy/summary"},
            {"PATCH /energy/clients/{id}", "GET /energy/stations"},
        ),
    ],
)
def test_optional_call_may_be_absent(profile: str, absent: set[str], there: set[str]) -> None:
    out, counted = io.StringIO(), io.StringIO()
    call_command("check_services", schema=str(sandbox_schema(profile)), stdout=out, stderr=counted)
    lines = out.getvalue().splitlines()
    assert {line.split(": ")[2] for line in lines} == ({"absent"} if profile else set())
    told = {call for call in absent | there if any(re.search(rf"has no {re.escape(call)}[.;]", line) for line in lines)}
    assert told == absent
    assert counted.getvalue().strip() == (f"0 different, {len(lines)} absent" if profile else "")
