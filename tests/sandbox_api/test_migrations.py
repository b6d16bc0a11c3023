"""A database that an earlier release has filled goes on with sensible values."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from rest_framework.test import APIClient

from sandbox_api.auth import sign_ins
from sandbox_api.auth.models import Account

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)


def migrate(name):
    """Give the models as they are after this migration."""
    executor = MigrationExecutor(connection)
    executor.migrate([("sandbox_api", name)])
    return executor.loader.project_state([("sandbox_api", name)]).apps


@pytest.fixture
def first_release(transactional_db):
    newest = max(name for app, name in MigrationExecutor(connection).loader.graph.leaf_nodes("sandbox_api"))
    yield migrate("0001_initial")
    migrate(newest)


def test_no_migration_is_missing(db):
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.mark.django_db(transaction=True)
def test_the_rows_of_the_first_release_are_filled(first_release):
    station = first_release.get_model("sandbox_api", "Station").objects.create(
        name="Oslo", city="Oslo", country="NO", latitude=0, longitude=0
    )
    charger = first_release.get_model("sandbox_api", "Charger").objects.create(
        name="C", station=station, max_power_kw=1
    )
    first_release.get_model("sandbox_api", "ChargingSession").objects.create(
        reference="CS-2026-000001", charger=charger, started_at=NOW, energy_kwh=1, cost=1, status="completed"
    )
    orders = first_release.get_model("sandbox_api", "WorkOrder").objects
    orders.create(title="low", priority="low", created_at=NOW)
    orders.create(title="urgent", priority="urgent", created_at=NOW, status="done")
    first_release.get_model("sandbox_api", "Invoice").objects.create(
        number="INV-1",
        client_name="Ada",
        amount=Decimal("119.00"),
        status="sent",
        issued_at=NOW,
        due_at=NOW,
        lines=[{"description": "AC", "quantity": 1, "unitPrice": "119.00", "amount": "119.00"}],
    )
    first_release.get_model("sandbox_api", "Client").objects.create(name="Ada", email="a@example.com")

    newest = max(name for app, name in MigrationExecutor(connection).loader.graph.leaf_nodes("sandbox_api"))
    migrate(newest)

    account = Account.objects.create(
        email="a@example.com", name="A", password="!", permissions=["ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP"]
    )
    client = APIClient()
    pair = sign_ins.begin_sign_in(account=account, user_agent="")
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair.access_token}")
    assert client.get("/energy/sessions?q=cs-2026").json()["total"] == 1
    assert client.get("/energy/clients").json()["items"][0]["version"] == 1
    due = client.get("/operations/work-orders?sort=dueAt").json()["items"]
    assert [(row["title"], row["dueAt"]) for row in due] == [
        ("urgent", "2026-03-18T15:00:00Z"),
        ("low", "2026-04-29T15:00:00Z"),
    ]
    by_rank = client.get("/operations/work-orders?sort=status").json()["items"]
    assert [row["title"] for row in by_rank] == ["low", "urgent"]
    [invoice] = client.get("/finance/invoices").json()["items"]
    assert (invoice["amount"], invoice["netAmount"], invoice["vatAmount"]) == ("119.00", "100.00", "19.00")
    assert invoice["lines"][0]["vatRate"] == "19.00"
