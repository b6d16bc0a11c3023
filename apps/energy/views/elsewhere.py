"""What stations, chargers and clients have on other platforms: work orders, invoices."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.services.energy.charger_work_orders import ChargerWorkOrderQueries
from portal.services.energy.chargers import Charger
from portal.services.finance.invoices import InvoiceQueries, InvoiceStatus
from portal.services.operations.work_orders import (
    WorkOrderMutations,
    WorkOrderPriority,
    WorkOrderQueries,
    WorkOrderStatus,
)
from portal.web.present import Badge
from portal_pages import Related, Totals

ORDER_STATUSES: Final = {
    WorkOrderStatus.OPEN: Badge(label=_("Open"), tone="info"),
    WorkOrderStatus.IN_PROGRESS: Badge(label=_("In progress"), tone="warn"),
    WorkOrderStatus.DONE: Badge(label=_("Done"), tone="good"),
    WorkOrderStatus.CANCELLED: Badge(label=_("Cancelled")),
}
ORDERS_IN_HAND: Final = (WorkOrderStatus.OPEN, WorkOrderStatus.IN_PROGRESS)
INVOICE_STATUSES: Final = {
    InvoiceStatus.DRAFT: Badge(label=_("Draft")),
    InvoiceStatus.SENT: Badge(label=_("Sent"), tone="info"),
    InvoiceStatus.PAID: Badge(label=_("Paid"), tone="good"),
    InvoiceStatus.OVERDUE: Badge(label=_("Overdue"), tone="bad"),
    InvoiceStatus.CANCELLED: Badge(label=_("Cancelled")),
}

work_orders: Related[Any] = Related(
    title=_("Work orders"),
    hook=WorkOrderQueries.use_get_work_orders_query,
    by="station_id",
    page="/operations/work-orders",
    template="energy/stations/work_orders.html",
    create=_("New work order"),
    create_by=WorkOrderMutations.use_create_work_order_mutation,
    context={"statuses": ORDER_STATUSES},
)


def about_fault(charger: Charger) -> Mapping[str, str]:
    """What the form of a work order for a charger is told, beside its id."""
    title = gettext("Fault: %(charger)s") % {"charger": charger}
    return {"stationId": charger.station_id, "title": title, "priority": WorkOrderPriority.HIGH}


charger_work_orders: Related[Any] = replace(
    work_orders,
    hook=ChargerWorkOrderQueries.use_get_charger_work_orders_query,
    by="charger_id",
    page_shows=WorkOrderQueries.use_get_work_orders_query,
    create_with=about_fault,
    create_page="charger-report",
    create_is_main=True,
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
