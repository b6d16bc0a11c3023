"""Fill an empty database, or empty it first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.hashers import make_password
from django.db import transaction

from sandbox_api.auth.models import Account
from sandbox_api.demo_accounts import DEMO_ACCOUNTS, PASSWORD
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, MeterReading, Station
from sandbox_api.finance.models import Invoice
from sandbox_api.operations.models import WorkOrder
from sandbox_api.seed.billing import plan_invoices
from sandbox_api.seed.charging import plan_charging_sessions
from sandbox_api.seed.dice import Dice
from sandbox_api.seed.grid import plan_chargers, plan_meters, plan_stations
from sandbox_api.seed.people import plan_clients
from sandbox_api.seed.work import plan_work_orders

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import Model

_BATCH = 2_000
# Rows that point to others come after them.
_FILLED: tuple[type[Model], ...] = (
    Client,
    Station,
    Charger,
    ChargingSession,
    Meter,
    MeterReading,
    WorkOrder,
    Invoice,
)


def is_filled() -> bool:
    """Tell whether there is data already."""
    return Station.objects.exists()


@transaction.atomic
def empty() -> None:
    """Delete all data and the demonstration accounts; other accounts stay."""
    for model in reversed(_FILLED):
        model._default_manager.all().delete()  # noqa: SLF001 - Django's documented API
    Account.objects.filter(is_demo=True).delete()


@transaction.atomic
def fill(*, until: datetime) -> dict[str, int]:
    """Write all rows, or none; gives how many of each kind.

    :param until: the hour that the data ends at.
    """
    clients = plan_clients(until=until)
    stations = plan_stations(until=until)
    chargers = plan_chargers(stations=stations)
    meters, readings = plan_meters(stations=stations, until=until)
    planned: dict[type[Model], list[Model]] = {
        Client: [*clients],
        Station: [*stations],
        Charger: [*chargers],
        ChargingSession: [*plan_charging_sessions(chargers=chargers, clients=clients, until=until)],
        Meter: [*meters],
        MeterReading: [*readings],
        WorkOrder: [*plan_work_orders(stations=stations, until=until)],
        Invoice: [*plan_invoices(clients=clients, until=until)],
    }
    for model in _FILLED:
        model._default_manager.bulk_create(planned[model], batch_size=_BATCH)  # noqa: SLF001 - as above
    return {str(model._meta.verbose_name_plural): len(rows) for model, rows in planned.items()}  # noqa: SLF001  Django documents _meta


@transaction.atomic
def add_demo_accounts(*, until: datetime) -> int:
    """Add the demonstration accounts that are missing; gives how many."""
    dice = Dice("demonstration accounts")
    password = make_password(PASSWORD)  # once for all: it is public, and hashing is slow by design
    added = 0
    for demo in DEMO_ACCOUNTS:
        _, is_new = Account.objects.get_or_create(
            email=demo.email,
            defaults={
                "id": dice.row_id("acc"),
                "name": demo.name,
                "password": password,
                "permissions": list(demo.permissions),
                "is_demo": True,
                "created_at": until,
            },
        )
        added += is_new
    return added
