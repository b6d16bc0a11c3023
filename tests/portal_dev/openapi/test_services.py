"""The sandbox's own schema becomes what stands in `portal/services`, but for what a person chose; and both agree."""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.support.harness import ROOT
from tests.support.sandbox_schema import sandbox_schema

SERVICES = ROOT / "packages" / "portal" / "services"
#: Modules that a person named otherwise.
MODULES = {"iam/sessions.py": "iam/sign_ins.py"}
#: Modules that a person has divided: what is generated, and where the rest of it stands.
DIVIDED = {"energy/chargers.py": ("energy/charger_work_orders.py",)}
#: Modules that stand otherwise for a reason: what decides about a sign-in is JSON as it came.
BY_HAND = {"auth.py", "me.py"}
#: Names of the generated source, and what a person chose in their place.
NAMES = {
    "SignIn": "ActiveSignIn",
    "use_delete_sign_in_mutation": "use_end_sign_in_mutation",
    "_charging_sessions": "_sessions",
    "Health": "StationHealth",
    "use_get_positions_query": "use_get_station_positions_query",
    "use_reminders_invoice_mutation": "use_remind_of_invoice_mutation",
    "OperationsWorkOrderPriority": "WorkOrderPriority",
    "OperationsWorkOrderStatus": "WorkOrderStatus",
}
#: What no schema says.
OPTIONS = {
    "stale_time_s",
    "stale_while_revalidate",
    "invalidates",
    "invalidates_tags",
    "placeholder",
    "cache",
    "required",
    "without",
    "filter_fields",
    "tags",
}
#: What a history is made of; a person has written `resource(…).activity` and `.note` in its place.
HISTORY = re.compile(r"Activit|FieldChange|Kind(Enum)?$|NoteReq")
#: Where a person chose another type: what is counted by kind is a dictionary, in which a count may be missing; and the
#: version of a row has the name that `portal.config.contract_names` gives it.
TYPES = {
    ("energy/clients.py", "class Client"),
    ("energy/state.py", "class EnergyState"),
    ("energy/summary.py", "class EnergyCounts"),
    ("energy/summary.py", "class EnergySummary"),
    ("finance/invoices.py", "class Invoice"),
    ("iam/accounts.py", "class Account"),
    ("operations/summary.py", "class OperationsSummary"),
    ("operations/work_orders.py", "class WorkOrder"),
}
#: Where a person wrote less: histories and notes are `resource(…).activity` and `.note`, a fault is a row of its own in a
#: module of its own, and lists that are only searched in have no orders.
SHORTER = {
    ("energy/chargers.py", "class ChargerMutations"),
    ("energy/chargers.py", "class ChargerQueries"),
    ("energy/chargers.py", "class ChargerWorkOrder"),
    ("energy/chargers.py", "class ChargerWorkOrderMutations"),
    ("energy/chargers.py", "class ChargerWorkOrderQueries"),
    ("energy/chargers.py", "class ChargerWorkOrderReq"),
    ("energy/chargers.py", "class ChargerWorkOrdersListParams"),
    ("energy/chargers.py", "class ReportedOrder"),
    ("energy/chargers.py", "class WorkOrderPriority"),
    ("energy/chargers.py", "class WorkOrderStatus"),
    ("energy/clients.py", "class ClientMutations"),
    ("energy/clients.py", "class ClientQueries"),
    ("finance/invoices.py", "class InvoiceMutations"),
    ("finance/invoices.py", "class InvoiceQueries"),
    ("operations/chargers.py", "_operations_chargers"),
    ("operations/chargers.py", "class OperationsChargersListParams"),
    ("operations/people.py", "_people"),
    ("operations/people.py", "class PeopleListParams"),
    ("operations/work_orders.py", "class WorkOrderMutations"),
    ("operations/work_orders.py", "class WorkOrderQueries"),
}


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sandbox_schema(tmp_path_factory.mktemp("schema"))


def test_services_agree_with_the_sandbox(schema: Path) -> None:
    out = io.StringIO()
    call_command("check_services", schema=str(schema), stdout=out)
    assert out.getvalue() == ""


@pytest.mark.parametrize(
    ("profile", "absent", "there"),
    [
        ("document", {"GET /energy/state", "PATCH /energy/clients/{id}", "GET /energy/stations"}, set()),
        (
            "contract",
            {"GET /energy/state", "GET /energy/summary"},
            {"PATCH /energy/clients/{id}", "GET /energy/stations"},
        ),
    ],
)
def test_optional_call_may_be_absent(profile: str, absent: set[str], there: set[str], tmp_path: Path) -> None:
    out, counted = io.StringIO(), io.StringIO()
    schema = sandbox_schema(tmp_path, SANDBOX_PROFILE=profile)
    call_command("check_services", schema=str(schema), stdout=out, stderr=counted)
    lines = out.getvalue().splitlines()
    assert {line.split(": ")[2] for line in lines} == {"absent"}
    told = {call for call in absent | there if any(re.search(rf"has no {re.escape(call)}[.;]", line) for line in lines)}
    assert told == absent
    assert counted.getvalue().strip() == f"no difference, and {len(lines)} absent"


def statements(file: Path, *, names: dict[str, str]) -> dict[str, str]:
    """Return the statements of a module by name, without docstrings, constants and options that no schema gives."""
    found = {}
    for node in ast.parse(file.read_text()).body:
        for part in ast.walk(node):
            if isinstance(part, ast.Call):
                part.keywords = [each for each in part.keywords if each.arg not in OPTIONS]
            for field in ("id", "name"):
                if getattr(part, field, None) in names:
                    setattr(part, field, names[getattr(part, field)])
        match node:
            case ast.ClassDef(name=name, body=[ast.Expr(), *body]):
                # What people call a row, `__str__`, is a person's choice too.
                node.body = [each for each in body if not isinstance(each, ast.FunctionDef)] or [ast.Pass()]
                found[f"class {name}"] = ast.unparse(node)
            case ast.Assign(targets=[ast.Name(id=name)]):
                found[name] = ast.unparse(node)
    return found


def declared(path: str) -> dict[str, str]:
    """Return the statements of the services that stand for a generated module."""
    parts = (MODULES.get(path, path), *DIVIDED.get(path, ()))
    return {name: text for part in parts for name, text in statements(SERVICES / part, names={}).items()}


def test_sandbox_schema_becomes_the_services(schema: Path, tmp_path: Path) -> None:
    folder = tmp_path / "services"
    call_command("services_from_openapi", str(schema), output=folder, stdout=io.StringIO(), stderr=io.StringIO())
    generated = {str(path.relative_to(folder)) for path in folder.rglob("*.py") if path.name != "__init__.py"}
    by_hand = {MODULES.get(path, path) for path in generated - BY_HAND}
    kept = {str(path.relative_to(SERVICES)) for path in SERVICES.rglob("*/*.py") if "QueryGroup" in path.read_text()}
    assert by_hand | {part for parts in DIVIDED.values() for part in parts} == kept
    differences = {
        (path, name)
        for path in generated - BY_HAND
        for ours, theirs in [(declared(path), statements(folder / path, names=NAMES))]
        for name in {*ours, *theirs}
        if ours.get(name) != theirs.get(name) and not HISTORY.search(name)
    }
    assert differences == TYPES | SHORTER
