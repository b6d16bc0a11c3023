"""Accounts, signed-in clients, and one row of each kind."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from rest_framework.test import APIClient
from rows import ADDRESS, NOON, PASSWORD, make_charger, make_session, make_station

from sandbox_api.auth import sign_ins
from sandbox_api.auth.models import Account
from sandbox_api.energy.models import Client, Meter, MeterReading
from sandbox_api.finance.models import Invoice


@pytest.fixture
def configure(settings: Any) -> Callable[..., None]:
    """Change what the environment says, for one test."""

    def change(**values: Any) -> None:
        settings.SANDBOX = replace(settings.SANDBOX, **values)

    return change


@pytest.fixture
def make_account(db: None) -> Callable[..., Account]:
    """Make accounts that can't sign in with a password: hashing one takes its time."""

    def make(*permissions: str, **fields: Any) -> Account:
        number = Account.objects.count() + 1
        values = {"email": f"a{number}@example.com", "name": f"Account {number}", "password": "!"}
        return Account.objects.create(**{**values, **fields}, permissions=list(permissions))

    return make


@pytest.fixture
def sign_in(make_account: Callable[..., Account]) -> Callable[..., APIClient]:
    """Give a client that is signed in with these permissions, or to this account."""

    def begin(*permissions: str, account: Account | None = None) -> APIClient:
        account = account or make_account(*permissions)
        pair = sign_ins.begin_sign_in(account=account, user_agent="tests")
        client = APIClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {pair.access_token}")
        client.account, client.pair = account, pair
        return client

    return begin


@pytest.fixture
def energy(sign_in: Callable[..., APIClient]) -> APIClient:
    return sign_in("ENERGY_APP")


@pytest.fixture
def anybody(sign_in: Callable[..., APIClient]) -> APIClient:
    """Account that may do everything."""
    return sign_in("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP", "IAM_ADMIN")


@pytest.fixture
def grid(db: None) -> dict[str, Any]:
    """One row of each kind."""
    client = Client.objects.create(name="Ada", email="ada@example.com")
    station = make_station(
        name="Łódź Rynek", address="Długa 1", city="Łódź", country="PL", latitude=51.75, longitude=19.45
    )
    charger = make_charger(name="Łódź Rynek #1", station=station)
    session = make_session(charger, client=client, energy_kwh=12.5, cost=Decimal("7.38"))
    meter = Meter.objects.create(serial="1EMH1", station=station, last_reading_kwh=2.5, last_reading_at=NOON)
    MeterReading.objects.create(meter=meter, read_at=NOON, energy_kwh=2.5)
    MeterReading.objects.create(meter=meter, read_at=NOON.replace(hour=1), energy_kwh=1.5)
    invoice = Invoice.objects.create(
        number="INV-1",
        client=client,
        client_name="Ada",
        amount=119,
        net_amount=100,
        vat_amount=19,
        status="sent",
        issued_at=NOON,
        due_at=NOON,
    )
    return {"stations": station, "chargers": charger, "sessions": session, "meters": meter, "invoice": invoice}


@pytest.fixture
def account(make_account: Callable[..., Account]) -> Account:
    """One that signs in with its password."""
    return make_account("ENERGY_APP", email=ADDRESS, name="Me", password=make_password(PASSWORD))


@pytest.fixture
def anyone(db: None) -> APIClient:
    return APIClient()


def is_problem(answer: Any, status: int, *fields: str) -> bool:
    """Tell whether an answer is a well-formed problem with this status, and errors for exactly these fields."""
    body = answer.json()
    return bool(
        answer.status_code == status
        and answer.headers["Content-Type"] == "application/problem+json"
        and body["status"] == status
        and body["type"]
        and body["title"]
        and body["detail"]
        and set(body.get("errors", {})) == set(fields)
        and all(messages and all(messages) for messages in body.get("errors", {}).values())
    )


@pytest.fixture
def problem() -> Callable[..., bool]:
    return is_problem
