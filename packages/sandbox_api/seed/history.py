"""What has been done with work orders, invoices and the newest clients, as their rows tell it; and some notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sandbox_api.activity.models import Activity
from sandbox_api.finance.models import Invoice
from sandbox_api.operations.models import WorkOrder
from sandbox_api.seed.dice import Dice

if TYPE_CHECKING:
    from sandbox_api.energy.models import Client

_CLIENTS = 300
_DISPATCHERS = ("Ole Nordahl", "Aylin Brandt")
_ACCOUNTANTS = ("Franziska Köhler", "Aylin Brandt")
_SALES = ("Elif Yıldız", "Aylin Brandt")
_ORDER_NOTES = (
    "Called the site manager: access from 8 to 18, the key is at the kiosk.",
    "The spare part is ordered.\nDelivery takes about a week.",
    "Two bays are blocked until this is done.",
    "Was the same a month ago. Please look at the cause, too.",
)
_INVOICE_NOTES = (
    "The client asks for a copy by post.",
    "Called: payment is promised for the end of the month.",
    "The cost centre is missing. Sent again with it.",
)
_CLIENT_NOTES = ("Prefers to be called in the afternoon.", "Wants a quote for ten more charging cards.")


def plan_activity(
    *, clients: Sequence[Client], orders: Sequence[WorkOrder], invoices: Sequence[Invoice], until: datetime
) -> list[Activity]:
    """Plan all entries, those of one row oldest first."""
    dice = Dice("activity")
    planned = [
        *(each for order in orders for each in _of_order(order, dice, until=until)),
        *(each for invoice in invoices for each in _of_invoice(invoice, dice)),
        *(each for client in clients[-_CLIENTS:] for each in _of_client(client, dice)),
    ]
    return [each for each in planned if each.created_at <= until]


def _of_order(order: WorkOrder, dice: Dice, *, until: datetime) -> Iterator[Activity]:
    who, kind = dice.choice(_DISPATCHERS), Activity.Kind
    yield _entry(dice, order.id, kind.CREATED, who, order.created_at)
    end = order.completed_at or until
    begun = order.created_at + (end - order.created_at) * dice.uniform(0.1, 0.4)
    if order.assignee:
        change = _change("assignee", None, order.assignee)
        yield _entry(
            dice, order.id, kind.CHANGED, who, order.created_at + (begun - order.created_at) / 2, changes=[change]
        )
    if order.status in {WorkOrder.Status.IN_PROGRESS, WorkOrder.Status.DONE}:
        change = _change("status", WorkOrder.Status.OPEN, WorkOrder.Status.IN_PROGRESS)
        yield _entry(dice, order.id, kind.CHANGED, order.assignee or who, begun, changes=[change])
    if dice.chance(0.3):
        text = dice.choice(_ORDER_NOTES)
        yield _entry(dice, order.id, kind.NOTE, dice.choice(_DISPATCHERS), begun + timedelta(hours=1), text=text)
    if order.completed_at:
        done = [
            _change("status", WorkOrder.Status.IN_PROGRESS, WorkOrder.Status.DONE),
            _change("completedAt", None, _on_the_wire(order.completed_at)),
        ]
        yield _entry(dice, order.id, kind.CHANGED, order.assignee or who, order.completed_at, changes=done)


def _of_invoice(invoice: Invoice, dice: Dice) -> Iterator[Activity]:
    who, kind = dice.choice(_ACCOUNTANTS), Activity.Kind
    yield _entry(dice, invoice.id, kind.CREATED, who, invoice.issued_at)
    if invoice.status == Invoice.Status.DRAFT:
        return
    sent = _change("status", Invoice.Status.DRAFT, Invoice.Status.SENT)
    yield _entry(dice, invoice.id, kind.CHANGED, who, invoice.issued_at + timedelta(hours=2), changes=[sent])
    if dice.chance(0.2):
        text = dice.choice(_INVOICE_NOTES)
        yield _entry(
            dice, invoice.id, kind.NOTE, dice.choice(_ACCOUNTANTS), invoice.issued_at + timedelta(1), text=text
        )
    if invoice.status == Invoice.Status.OVERDUE:
        late = _change("status", Invoice.Status.SENT, invoice.status)
        yield _entry(dice, invoice.id, kind.CHANGED, who, invoice.due_at, changes=[late])
    elif invoice.paid_at:
        paid = [
            _change("status", Invoice.Status.SENT, invoice.status),
            _change("paidAt", None, _on_the_wire(invoice.paid_at)),
        ]
        yield _entry(dice, invoice.id, kind.CHANGED, who, invoice.paid_at, changes=paid)


def _of_client(client: Client, dice: Dice) -> Iterator[Activity]:
    who, kind = dice.choice(_SALES), Activity.Kind
    yield _entry(dice, client.id, kind.CREATED, who, client.created_at)
    later = client.created_at + timedelta(days=dice.uniform(1, 30))
    if client.phone and dice.chance(0.4):
        yield _entry(dice, client.id, kind.CHANGED, who, later, changes=[_change("phone", None, client.phone)])
    if dice.chance(0.25):
        yield _entry(dice, client.id, kind.NOTE, dice.choice(_SALES), later, text=dice.choice(_CLIENT_NOTES))


def _entry(dice: Dice, row_id: str, kind: Activity.Kind, who: str, at: datetime, **fields: Any) -> Activity:
    return Activity(id=dice.row_id("act"), row_id=row_id, kind=kind, account_name=who, created_at=at, **fields)


def _change(field: str, before: str | None, after: str | None) -> dict[str, Any]:
    return {"field": field, "before": before, "after": after}


def _on_the_wire(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
