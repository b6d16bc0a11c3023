"""Payments: a row with a field of each kind."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from django import forms

from portal.query import OpenEnum, Row
from portal.web.present import Badge
from portal_pages.forms.forms import BackendForm


class Method(OpenEnum):
    TRANSFER = "transfer"
    CARD = "card"


METHODS = {Method.TRANSFER: Badge(label="By transfer", tone="good"), Method.CARD: Badge(label="By card")}


class Stage(Enum):
    """An enumeration that is no text."""

    FIRST = 1
    LAST = 2


class Payment(Row):
    payer: str = ""
    note: str = ""
    phone: str | None = None
    amount: Decimal | None = None
    weight: float | None = None
    copies: int = 1
    is_late: bool = False
    method: Method | None = None
    currency: str | None = None
    due_on: date | None = None
    received_at: datetime | None = None
    tags: tuple[str, ...] = ()
    stage: Stage | None = None
    is_shared: bool | None = None


class FormOfPayments(BackendForm[Payment]):
    """Without fields of its own."""


def make_form(meta: dict[str, Any], **declared: forms.Field) -> type:
    return type(FormOfPayments)("OddForm", (FormOfPayments,), {**declared, "Meta": type("Meta", (), meta)})
