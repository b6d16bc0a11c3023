"""Invoices: list and detail; paid, reminded of, cancelled, reopened."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.config.contract_names import SORT_BY_NAME
from portal.services.finance.invoices import (
    HIGHEST_AMOUNT_FIRST,
    InvoiceDetail,
    InvoiceMutations,
    InvoiceQueries,
    InvoiceStatus,
)
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
    RowAction,
    Totals,
    resource_pages,
)

STATUSES: Final = {
    InvoiceStatus.DRAFT: Badge(label=_("Draft")),
    InvoiceStatus.SENT: Badge(label=_("Sent"), tone="info"),
    InvoiceStatus.PAID: Badge(label=_("Paid"), tone="good"),
    InvoiceStatus.OVERDUE: Badge(label=_("Overdue"), tone="bad"),
    InvoiceStatus.CANCELLED: Badge(label=_("Cancelled")),
}
OWED: Final = frozenset({InvoiceStatus.SENT, InvoiceStatus.OVERDUE})

ACTIONS: Final = (
    RowAction(
        name="pay",
        label=_("Mark as paid"),
        values=InvoiceDetail.partial(status=InvoiceStatus.PAID),
        message=_("%(name)s is paid."),
        offered=lambda invoice: invoice.status in OWED,
        icon="check",
        is_main=True,
    ),
    RowAction(
        name="reopen",
        label=_("Reopen"),
        # The time too: what a button sets is what its undo brings back.
        values=InvoiceDetail.partial(status=InvoiceStatus.SENT, paid_at=None),
        message=_("%(name)s is open again."),
        offered=lambda invoice: invoice.status in {InvoiceStatus.PAID, InvoiceStatus.CANCELLED},
        icon="refresh",
        is_main=True,
    ),
    RowAction(
        name="remind",
        label=_("Send a reminder"),
        mutation=InvoiceMutations.use_remind_of_invoice_mutation,
        question=_("%(client_name)s is asked once more to pay %(name)s. This can’t be undone."),
        message=_("%(client_name)s was reminded of %(name)s."),
        offered=lambda invoice: invoice.status in OWED,
    ),
    RowAction(
        name="cancel",
        label=_("Cancel the invoice"),
        values=InvoiceDetail.partial(status=InvoiceStatus.CANCELLED),
        message=_("%(name)s was cancelled."),
        offered=lambda invoice: invoice.status in {InvoiceStatus.DRAFT, *OWED},
    ),
)

invoice_pages = resource_pages(
    "finance/invoices",
    name="invoice",
    title=_("Invoices"),
    list=ListView(
        hook=InvoiceQueries.use_get_invoices_query,
        columns={
            "number": Column(_("Invoice"), sort=SORT_BY_NAME, kind="nowrap"),
            "client_name": Column(_("Client")),
            "issued_at": Column(_("Issued"), sort="-issuedAt", format="calendar_day"),
            "due_at": Column(
                _("Due"),
                sort="dueAt",
                format="calendar_day",
                late=lambda invoice: invoice.status == InvoiceStatus.OVERDUE,
            ),
            "amount": Column(_("Amount"), sort=HIGHEST_AMOUNT_FIRST, kind="number"),
            "status": Column(_("Status"), kind="corner", words=STATUSES),
        },
        counts=InvoiceQueries.use_get_invoices_counts_query,
        totals=Totals(InvoiceQueries.use_get_invoices_totals_query, {"amount": "money"}),
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
    detail=DetailView(
        hook=InvoiceQueries.use_get_invoice_query,
        mutation=InvoiceMutations.use_update_invoice_mutation,
        actions=ACTIONS,
        activity=InvoiceQueries.use_get_invoice_activity_query,
        note=InvoiceMutations.use_note_invoice_mutation,
        facts={
            "number": Column(_("Invoice")),
            "reminder_count": Column(_("Reminders")),
            "reminded_at": Column(_("Reminded on"), format="calendar_day"),
        },
    ),
    context={"statuses": STATUSES},
    key="i",
)
