"""The rows of the examples, and who may see them."""

from datetime import datetime

from django.db.models import Model

from sandbox_api.activity.models import Activity
from sandbox_api.auth.models import Account
from sandbox_api.auth.permissions import ENERGY_APP, FINANCE_APP, IAM_ADMIN, OPERATIONS_APP
from sandbox_api.demo_accounts import DemoAccount
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, MeterReading, Station
from sandbox_api.finance.models import Invoice
from sandbox_api.operations.models import WorkOrder
from sandbox_api.seed.billing import plan_invoices
from sandbox_api.seed.charging import plan_charging_sessions
from sandbox_api.seed.grid import plan_chargers, plan_meters, plan_stations
from sandbox_api.seed.history import plan_activity
from sandbox_api.seed.people import plan_clients
from sandbox_api.seed.work import TECHNICIANS, plan_technicians, plan_work_orders

ACCOUNTS = (
    DemoAccount(email="energy@example.com", name="Elif Yıldız", permissions=(ENERGY_APP,)),
    DemoAccount(email="operations@example.com", name="Ole Nordahl", permissions=(OPERATIONS_APP,)),
    DemoAccount(email="finance@example.com", name="Franziska Köhler", permissions=(FINANCE_APP,)),
    DemoAccount(
        email="all@example.com",
        name="Aylin Brandt",
        permissions=(ENERGY_APP, OPERATIONS_APP, FINANCE_APP),
    ),
    DemoAccount(email="none@example.com", name="Nils Öztürk", permissions=()),
    # Beside those of the contract: who gives the others their permissions.
    DemoAccount(email="iam@example.com", name="Ayşe Lindqvist", permissions=(IAM_ADMIN,)),
)

PLANNED_ACCOUNTS = tuple(TECHNICIANS)

# Rows that point to others come after them.
MODELS: tuple[type[Model], ...] = (
    Client,
    Station,
    Charger,
    ChargingSession,
    Meter,
    MeterReading,
    WorkOrder,
    Invoice,
    Activity,
)


def plan(*, until: datetime) -> dict[type[Model], list[Model]]:
    """Plan all rows.

    :param until: the hour that the data ends at.
    """
    clients = plan_clients(until=until)
    stations = plan_stations(until=until)
    chargers = plan_chargers(stations=stations)
    meters, readings = plan_meters(stations=stations, until=until)
    technicians = plan_technicians(until=until)
    work_orders = plan_work_orders(stations=stations, chargers=chargers, technicians=technicians, until=until)
    invoices = plan_invoices(clients=clients, until=until)
    return {
        Client: [*clients],
        Station: [*stations],
        Charger: [*chargers],
        ChargingSession: [*plan_charging_sessions(chargers=chargers, clients=clients, until=until)],
        Meter: [*meters],
        MeterReading: [*readings],
        Account: [*technicians],
        WorkOrder: [*work_orders],
        Invoice: [*invoices],
        Activity: [*plan_activity(clients=clients, orders=work_orders, invoices=invoices, until=until)],
    }
