"""Two schemas in the style of well-known public APIs become packages that both type checkers and the linter accept.

`payments_api.yaml` is after the APIs of payment companies, `tracker_api.json` after those of issue trackers. They have
what is odd there: `allOf`, `oneOf`, null in five ways, enumerations of all kinds, several content types, odd names.
"""

from __future__ import annotations

import importlib
import io
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from portal.query import REGISTRY, QueryClient
from portal.testing import Backend, NewQueryClient
from portal_dev.openapi import differences
from tests.support.harness import ROOT

HERE = Path(__file__).parent
SCHEMAS = {"payments_services": HERE / "payments_api.yaml", "tracker_services": HERE / "tracker_api.json"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both packages."""
    folder = tmp_path_factory.mktemp("written")
    for package, schema in SCHEMAS.items():
        call_command(
            "services_from_openapi",
            str(schema),
            output=folder / package,
            stdout=io.StringIO(),
            stderr=io.StringIO(),
        )
    return folder


def run(*command: str, cwd: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env={"PATH": "", "PYTHONPATH": f"{ROOT}:{ROOT / 'packages'}", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_linter_and_the_formatter_accept_them(written: Path) -> None:
    for command in (("check",), ("format", "--check")):
        done = run("ruff", *command, "--config", str(ROOT / "pyproject.toml"), "--no-cache", str(written))
        assert done.returncode == 0, done.stdout


def test_mypy_accepts_them(written: Path) -> None:
    packages = [word for package in SCHEMAS for word in ("-p", package)]
    done = run("mypy", "--no-pretty", *packages, MYPYPATH=f"{ROOT / 'packages'}:{written}", HOME=str(written))
    assert done.returncode == 0, done.stdout + done.stderr


def test_basedpyright_accepts_them(written: Path) -> None:
    settings = {
        "include": list(SCHEMAS),
        "extraPaths": [str(ROOT / "packages")],
        "pythonVersion": "3.11",
        "typeCheckingMode": "strict",
    }
    (written / "pyrightconfig.json").write_text(json.dumps(settings))
    done = run(
        "basedpyright", "--outputjson", "--pythonpath", sys.executable, "--project", str(written), HOME=str(written)
    )
    report = json.loads(done.stdout)
    assert report["generalDiagnostics"] == []
    assert report["summary"]["filesAnalyzed"] >= 10


# --- calls ---


@pytest.fixture
def imported(written: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both packages can be imported. What they declare is forgotten afterwards."""
    queries, mutations, duplicates = dict(REGISTRY.queries), dict(REGISTRY.mutations), list(REGISTRY.duplicates)
    monkeypatch.syspath_prepend(str(written))
    yield
    REGISTRY.queries, REGISTRY.mutations, REGISTRY.duplicates = queries, mutations, duplicates
    for name in [name for name in sys.modules if name.partition(".")[0] in SCHEMAS]:
        del sys.modules[name]


@pytest.fixture
def client(imported: None, query_client: NewQueryClient) -> QueryClient:
    return query_client("ENERGY_APP")


def module(name: str) -> Any:
    return importlib.import_module(name)


def test_a_charge_is_read(client: QueryClient, backend: Backend) -> None:
    charge = {
        "id": "ch_1",
        "object": "charge",
        "amount": "9.90",
        "created": 1_700_000_000,
        "currency": "no",
        "customer": {"id": "cus_1"},
        "billing_details": {"address": {"city": "Oslo", "postal_code": None}},
        "failure_code": "3d_secure",
        "livemode": True,
        "metadata": {"order": "6735"},
        "outcome": None,
        "payment_method_details": {"type": "card", "last4": "4242", "exp_month": 12},
        "status": "disputed",
        "captured_on": "2026-03-09",
        "class": "gold",
        "class_": "silver",
        "date": "2026-03-09T10:00:00Z",
        "3d_secure": True,
        "statement-descriptor": "ACME",
        "Überweisung": "ja",
    }
    backend.answers("GET", "/v1/charges/ch_1", json=charge)
    charges = module("payments_services.charges")
    found = charges.ChargeQueries.use_get_charge_query(client, id="ch_1").unwrap()
    assert (found.amount, found.object_, found.created) == (Decimal("9.90"), "charge", 1_700_000_000)
    assert found.currency is charges.Currency.NO
    assert found.customer == {"id": "cus_1"}
    assert found.billing_details.address.city == "Oslo"
    assert found.failure_code is charges.ChargeFailureCode.VALUE_3D_SECURE
    assert found.payment_method_details.type is charges.PaymentMethodDetailsType.CARD
    assert found.payment_method_details.exp_month == 12
    assert (found.status, found.status.is_known) == ("disputed", False)
    assert found.captured_on == date(2026, 3, 9)
    assert (found.class_, found.class__) == ("gold", "silver")
    assert found.date_ == datetime(2026, 3, 9, 10, tzinfo=UTC)
    assert (found.number_3d_secure, found.statement_descriptor, found.uberweisung) == (True, "ACME", "ja")
    assert (found.outcome, found.refunds) == (None, ())


def test_a_payout_is_created_and_comes_first_in_the_list(client: QueryClient, backend: Backend) -> None:
    backend.lists("/v1/payouts", [{"id": "po_1", "amount": "1.00"}])
    made = {"id": "po_2", "amount": "2.50", "arrivalDate": "2026-03-09", "destination": {"iban": "NO93"}}
    backend.answers("POST", "/v1/payouts", json=made, status=201)
    payouts = module("payments_services.payouts")
    assert len(payouts.PayoutQueries.use_get_payouts_query(client, is_manual=True).unwrap().items) == 1
    assert backend.calls_to("/v1/payouts")[-1].query["is-manual"] == "true"
    payouts.PayoutQueries.use_get_payouts_query(client).unwrap()
    body = payouts.Payout.partial(amount=Decimal("2.50"), arrival_date=date(2026, 3, 9))
    created = payouts.PayoutMutations.use_create_payout_mutation(client).mutate(body=body).unwrap()
    assert created.destination == payouts.PayoutDestination(iban="NO93")
    assert backend.calls_to("/v1/payouts", method="POST")[-1].body == {"amount": "2.50", "arrivalDate": "2026-03-09"}
    items = payouts.PayoutQueries.use_get_payouts_query(client).unwrap().items
    assert [item.id for item in items] == ["po_2", "po_1"]


def test_issues_are_read_with_what_is_odd_in_them(client: QueryClient, backend: Backend) -> None:
    issue = {
        "id": 1,
        "number": 42,
        "state": "open",
        "state_reason": None,
        "user": {"login": "ada", "id": 7, "plan": None},
        "labels": ["bug", {"name": "ui"}],
        "created_at": "2026-03-09T10:00:00Z",
        "reactions": {"+1": 3, "-1": 1, "total_count": 4},
        "subIssues": [{"id": 2, "number": 43}],
        "sub_issues": 1,
        "from": "mail",
        "@context": "https://schema.example",
        "日付": "2026",
        "x.y": {"S_a": 1},
        "tree": [[], [[]]],
    }
    backend.answers("GET", "/repos/acme/app/issues", json=[issue])
    repos = module("tracker_services.repos")
    [found] = repos.RepositoryQueries.use_get_issues_query(
        client, owner="acme", repo="app", state="open", per_page=5
    ).unwrap()
    assert backend.calls_to("/repos/acme/app/issues")[-1].query == {"state": "open", "per_page": "5"}
    assert (found.id, found.number, found.user.login, found.labels) == (1, 42, "ada", ("bug", {"name": "ui"}))
    assert (found.reactions.plus_1, found.reactions.minus_1) == (3, 1)
    assert [each.number for each in found.sub_issues] == [43]
    assert (found.sub_issues_, found.from_, found.context, found.unnamed) == (
        1,
        "mail",
        "https://schema.example",
        "2026",
    )
    assert found.x_y == {"S_a": 1}
    assert found.created_at == datetime(2026, 3, 9, 10, tzinfo=UTC)


def test_what_was_written_from_a_schema_differs_from_it_where_no_row_can_say_it(client: QueryClient) -> None:
    for package, schema in SCHEMAS.items():
        for info in pkgutil.iter_modules([str(Path(module(package).__file__).parent)]):
            module(f"{package}.{info.name}")
        hooks = [hook for hook in (*REGISTRY.queries.values(), *REGISTRY.mutations.values()) if _is_of(hook, package)]
        assert len(hooks) > 10
        found = [each.message for each in differences(schema.read_text(), hooks) if not each.is_absent]
        assert found == (
            ["Team.created_at is datetime here, and an integer in the schema"] if "tracker" in package else []
        )


def _is_of(hook: Any, package: str) -> bool:
    return hook.hook_name.partition(".")[0] == package
