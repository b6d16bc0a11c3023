"""What stations and clients have on other platforms: work orders, invoices."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.finance.invoices import InvoiceQueries, InvoiceStatus
from portal.services.operations.work_orders import WorkOrderQueries, WorkOrderStatus
from portal.web.present import Badge
from portal_pages import Related, Totals

ORDER_STATUSES: Final = {
    WorkOrderStatus.OPEN: Badge(label=_("Open"), tone="info"),
    WorkOrderStatus.IN_PROGRESS: Badge(label=_("In progress"), tone="warn"),
    WorkOrderStatus.DONE: Badge(label=_("Done"), tone="good"),
    WorkOrderStatus.CANCELLED: Badge(label=_("Cancelled")),
}
INVOICE_STATUSES: Final = {
    InvoiceStatus.DRAFT: Badge(label=_("Draft")),
    InvoiceStatus.SENT: Badge(label=_("Sent"), tone="info"),
    InvoiceStatus.PAID: Badge(label=_("Paid"), tone="good"),
    InvoiceStatus.OVERDUE: Badge(label=_("Overdue"), tone="bad"),
    InvoiceStatus.CANCELLED: Badge(label=_("Cancelled")),
}

work_orders = Related(
    title=_("Work orders"),
    hook=WorkOrderQueries.use_get_work_orders_query,
    by="station_id",
    page="/operations/work-orders",
    template="energy/stations/work_orders.html",
    create=_("New work order"),
    context={"statuses": ORDER_STATUSES},
)
invoices = Related(
    title=_("Invoices"),
    hook=InvoiceQueries.use_get_invoices_query,
    by="client_id",
    page="/finance/invoices",
    template="energy/clients/invoices.html",
    totals=Totals(InvoiceQueries.use_get_invoices_totals_query, {"amount": "money"}),
    context={"statuses": INVOICE_STATUSES},
)
