"""Invoices: list and detail."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.finance.invoices import HIGHEST_AMOUNT_FIRST, InvoiceQueries, InvoiceStatus
from portal.web.pages import AGE_SORTS, NUMBER_SORTS, DetailView, ListView, resource_pages
from portal.web.present import Badge

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
        search_hint=_("Number or client"),
        sorts=AGE_SORTS | NUMBER_SORTS | {HIGHEST_AMOUNT_FIRST: _("Highest amount first")},
    ),
    detail=DetailView(hook=InvoiceQueries.use_get_invoice_query),
    context={"statuses": STATUSES},
)
