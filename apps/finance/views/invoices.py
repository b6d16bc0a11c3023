"""Invoices: list and detail."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.config.contract_names import SORT_BY_NAME
from portal.services.finance.invoices import HIGHEST_AMOUNT_FIRST, InvoiceQueries, InvoiceStatus
from portal.web.present import Badge, utc_day
from portal_pages import (
    AGE_SORTS,
    NUMBER_SORTS,
    Column,
    DateRange,
    DetailView,
    Filter,
    ListView,
    QuickView,
    resource_pages,
)

STATUSES: Final = {
    InvoiceStatus.DRAFT: Badge(label=_("Draft")),
    InvoiceStatus.SENT: Badge(label=_("Sent"), tone="info"),
    InvoiceStatus.PAID: Badge(label=_("Paid"), tone="good"),
    InvoiceStatus.OVERDUE: Badge(label=_("Overdue"), tone="bad"),
    InvoiceStatus.CANCELLED: Badge(label=_("Cancelled")),
}

invoice_pages = resource_pages(
    "finance/invoices",
    name="invoice",
    title=_("Invoices"),
    list=ListView(
        hook=InvoiceQueries.use_get_invoices_query,
        columns={
            "number": Column(_("Invoice"), sort=SORT_BY_NAME),
            "client_name": Column(_("Client")),
            "issued_at": Column(_("Issued"), sort="-issuedAt", format="calendar_day"),
            "due_at": Column(_("Due"), sort="dueAt", format="calendar_day"),
            "amount": Column(_("Amount"), sort=HIGHEST_AMOUNT_FIRST, kind="number"),
            "status": Column(_("Status"), kind="corner", words=STATUSES),
        },
        counts=InvoiceQueries.use_get_invoices_counts_query,
        filters=(
            Filter("status", _("Status"), choices=STATUSES),
            Filter("clientId", _("Client"), named_by="client_name"),
        ),
        ranges=(
            DateRange("issuedAt", _("Issued"), calendar=True),
            DateRange("dueAt", _("Due"), calendar=True, ahead=True),
            DateRange("paidAt", _("Paid"), calendar=True),
        ),
        views=(QuickView(_("Overdue"), {"status": InvoiceStatus.OVERDUE, "sort": "dueAt"}),),
        exported={
            "issued_at": Column(_("Issued"), value=lambda invoice: utc_day(invoice.issued_at)),
            "due_at": Column(_("Due"), value=lambda invoice: utc_day(invoice.due_at)),
            "net_amount": Column(_("Net")),
            "vat_amount": Column(_("VAT")),
            "currency": Column(_("Currency")),
        },
        search_hint=_("Number or client"),
        sorts=AGE_SORTS | NUMBER_SORTS | {HIGHEST_AMOUNT_FIRST: _("Highest amount first")},
    ),
    detail=DetailView(hook=InvoiceQueries.use_get_invoice_query),
    context={"statuses": STATUSES},
    key="i",
)
