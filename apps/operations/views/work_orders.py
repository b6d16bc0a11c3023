"""Work orders: list, create, show, complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.contrib import messages
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING
from portal.services import RowParams
from portal.services.operations.work_orders import (
    WorkOrder,
    WorkOrderMutations,
    WorkOrderPriority,
    WorkOrderQueries,
    WorkOrderStatus,
)
from portal.web.pages import (
    AGE_SORTS,
    BackendForm,
    CreateView,
    DetailView,
    ListView,
    platform_page,
    resource_pages,
    see_other,
)
from portal.web.present import Badge

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

STATUSES: Final = {
    WorkOrderStatus.OPEN: Badge(label=gettext_lazy("Open"), tone="info"),
    WorkOrderStatus.IN_PROGRESS: Badge(label=gettext_lazy("In progress"), tone="warn"),
    WorkOrderStatus.DONE: Badge(label=gettext_lazy("Done"), tone="good"),
    WorkOrderStatus.CANCELLED: Badge(label=gettext_lazy("Cancelled")),
}
PRIORITIES: Final = {
    WorkOrderPriority.LOW: Badge(label=gettext_lazy("Low")),
    WorkOrderPriority.NORMAL: Badge(label=gettext_lazy("Normal"), tone="info"),
    WorkOrderPriority.HIGH: Badge(label=gettext_lazy("High"), tone="warn"),
    WorkOrderPriority.URGENT: Badge(label=gettext_lazy("Urgent"), tone="bad"),
}
FINISHED: Final = frozenset({WorkOrderStatus.DONE, WorkOrderStatus.CANCELLED})


class WorkOrderForm(BackendForm[WorkOrder]):
    """A new work order. It checks what the backend checks."""

    class Meta:
        fields = {
            "title": gettext_lazy("Title"),
            "priority": gettext_lazy("Priority"),
            "station_id": gettext_lazy("Station number"),
        }
        optional = ("station_id",)
        choices = {"priority": PRIORITIES}
        initial = {"priority": WorkOrderPriority.NORMAL}
        max_lengths = {"title": 200, "station_id": 64}
        help_texts = {"station_id": gettext_lazy("As it stands on the station’s page, such as sta_…")}
        error_messages = {
            "title": {"required": gettext_lazy("Say what is to be done.")},
            "priority": {"required": gettext_lazy("Choose a priority.")},
        }


@require_POST
def work_order_complete(request: HttpRequest, row_id: str) -> HttpResponse:
    """Mark the work order as done."""
    complete = WorkOrderMutations.use_update_work_order_mutation(request)
    complete.mutate(body=WorkOrder.partial(status=WorkOrderStatus.DONE), params=RowParams(id=row_id)).unwrap()
    messages.success(request, _("The work order is done."))
    return see_other("work-order", row_id)


work_order_pages = [
    *resource_pages(
        "operations/work-orders",
        name="work-order",
        title=gettext_lazy("Work orders"),
        list=ListView(
            hook=WorkOrderQueries.use_get_work_orders_query,
            search_hint=gettext_lazy("Title, person or station"),
            sorts=AGE_SORTS
            | {SORT_BY_NAME: gettext_lazy("Title, A to Z"), SORT_BY_NAME_DESCENDING: gettext_lazy("Title, Z to A")},
        ),
        create=CreateView(
            mutation=WorkOrderMutations.use_create_work_order_mutation,
            form=WorkOrderForm,
            title=gettext_lazy("New work order"),
            submit_label=gettext_lazy("Create work order"),
        ),
        detail=DetailView(hook=WorkOrderQueries.use_get_work_order_query),
        context={"statuses": STATUSES, "priorities": PRIORITIES, "finished": FINISHED},
    ),
    platform_page(
        "operations/work-orders/<str:row_id>/complete",
        work_order_complete,
        name="work-order-complete",
        part_of="work-orders",
    ),
]
