"""A year of invoices."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from sandbox_api.finance.models import Invoice
from sandbox_api.finance.vat import included_vat
from sandbox_api.seed.addresses import address_and_vat_id
from sandbox_api.seed.dice import Dice
from sandbox_api.seed.places import COUNTRY_OF_CITY

if TYPE_CHECKING:
    from sandbox_api.energy.models import Client

COUNT = 540
_HISTORY = timedelta(days=365)
_PAYMENT_TERM = timedelta(days=30)
_DRAFTED = timedelta(days=3)
_REMINDED_EVERY = timedelta(days=21)
_MOST_REMINDERS = 3
_CENT = Decimal("0.01")
_PRICES = {"AC charging, kWh": Decimal("0.49"), "DC charging, kWh": Decimal("0.59")}
_ALWAYS = "AC charging, kWh"
_FEES = {
    "Charging cards": Decimal("4.90"),
    "Fleet portal, vehicles": Decimal("7.50"),
    "Roaming sessions": Decimal("0.35"),
}


def plan_invoices(*, clients: Sequence[Client], until: datetime) -> list[Invoice]:
    """Plan all invoices, the oldest first."""
    dice = Dice("invoices")
    issued = sorted(dice.moment(before=until, within=_HISTORY) for _ in range(COUNT))
    numbers: dict[int, int] = {}
    invoices = []
    for issued_at in issued:
        client = dice.choice(clients)
        lines = _lines(dice, vat_rate=COUNTRY_OF_CITY[str(client.city)].vat_rate)
        amount = sum((Decimal(line["amount"]) for line in lines), Decimal(0))
        vat = included_vat(lines)
        status = _status(dice, age=until - issued_at)
        year = issued_at.year
        numbers[year] = numbers.get(year, 0) + 1
        paid_after = timedelta(days=dice.uniform(2, 28))
        due_at = issued_at + _PAYMENT_TERM
        late = until - due_at if status == Invoice.Status.OVERDUE else timedelta(0)
        reminders = min(late // _REMINDED_EVERY, _MOST_REMINDERS)
        address, vat_id = address_and_vat_id(client)
        invoices.append(
            Invoice(
                id=dice.row_id("inv"),
                number=f"INV-{year}-{numbers[year]:05d}",
                client=client,
                client_name=client.name,
                client_address=address,
                client_vat_id=vat_id,
                amount=amount,
                net_amount=amount - vat,
                vat_amount=vat,
                status=status,
                issued_at=issued_at,
                due_at=due_at,
                reminder_count=reminders,
                reminded_at=due_at + reminders * _REMINDED_EVERY if reminders else None,
                paid_at=min(issued_at + paid_after, until) if status == Invoice.Status.PAID else None,
                lines=lines,
                created_at=issued_at,
            )
        )
    return invoices


def _status(dice: Dice, *, age: timedelta) -> Invoice.Status:
    if dice.chance(0.02):
        return Invoice.Status.CANCELLED
    if age < _DRAFTED and dice.chance(0.5):
        return Invoice.Status.DRAFT
    if age < _PAYMENT_TERM:
        return Invoice.Status.PAID if dice.chance(0.4) else Invoice.Status.SENT
    return Invoice.Status.OVERDUE if dice.chance(0.06) else Invoice.Status.PAID


def _lines(dice: Dice, *, vat_rate: str) -> list[dict[str, Any]]:
    lines = [
        _line(name, round(dice.lognormvariate(5.2, 0.8), 1), price, vat_rate)
        for name, price in _PRICES.items()
        if name == _ALWAYS or dice.chance(0.7)
    ]
    fees = dice.sample(list(_FEES), k=dice.randrange(3))
    return lines + [_line(name, dice.randrange(1, 40), _FEES[name], vat_rate) for name in fees]


def _line(description: str, quantity: float, unit_price: Decimal, vat_rate: str) -> dict[str, Any]:
    return {
        "description": description,
        "quantity": quantity,
        "unitPrice": str(unit_price),
        "vatRate": vat_rate,
        "amount": str((Decimal(str(quantity)) * unit_price).quantize(_CENT)),
    }
