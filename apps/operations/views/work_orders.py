"""Work orders: list, create, show, edit; assign, start, complete."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from portal.config.contract_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST
from portal.services.operations.stations import OperationsStationQueries
from portal.services.operations.work_orders import (
    WorkOrder,
    WorkOrderMutations,
    WorkOrderPriority,
    WorkOrderQueries,
    WorkOrderStatus,
)
from portal.web.frame import use_app_essentials
from portal.web.present import Badge
from portal_pages import (
    AGE_SORTS,
    BackendForm,
    Column,
    CreateView,
    DateRange,
    DetailView,
    EditView,
    Filter,
    ListView,
    QuickView,
    RowAction,
    RowChoiceField,
    SuggestedField,
    resource_pages,
)

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.services import Partial
    from portal.web import PortalRequest

STATUSES: Final = {
    WorkOrderStatus.OPEN: Badge(label=_("Open"), tone="info"),
    WorkOrderStatus.IN_PROGRESS: Badge(label=_("In progress"), tone="warn"),
    WorkOrderStatus.DONE: Badge(label=_("Done"), tone="good"),
    WorkOrderStatus.CANCELLED: Badge(label=_("Cancelled")),
}
PRIORITIES: Final = {
    WorkOrderPriority.LOW: Badge(label=_("Low")),
    WorkOrderPriority.NORMAL: Badge(label=_("Normal"), tone="info"),
    WorkOrderPriority.HIGH: Badge(label=_("High"), tone="warn"),
    WorkOrderPriority.URGENT: Badge(label=_("Urgent"), tone="bad"),
}
FINISHED: Final = frozenset({WorkOrderStatus.DONE, WorkOrderStatus.CANCELLED})
UNFINISHED: Final = [status for status in STATUSES if status not in FINISHED]


class WorkOrderForm(BackendForm[WorkOrder]):
    """Create and edit a work order. It checks what the backend checks."""

    station_id = RowChoiceField(
        hook=OperationsStationQueries.use_get_operations_stations_query,
        record=OperationsStationQueries.use_get_operations_station_query,
        hint=lambda station: station.city,
        required=False,
        max_length=64,
        help_text=_("Begin to type its name."),
    )

    class Meta:
        fields = {
            "title": _("Title"),
            "priority": _("Priority"),
            "station_id": _("Station"),
            "due_at": _("Due"),
        }
        optional = ("due_at",)
        choices = {"priority": PRIORITIES}
        initial = {"priority": WorkOrderPriority.NORMAL}
        max_lengths = {"title": 200}
        error_messages = {
            "title": {"required": _("Say what is to be done.")},
            "priority": {"required": _("Choose a priority.")},
        }


class PriorityForm(BackendForm[WorkOrder]):
    """How soon it is to be done."""

    class Meta:
        fields = {"priority": _("Priority")}
        choices = {"priority": PRIORITIES}


class AssigneeForm(BackendForm[WorkOrder]):
    """Who does it."""

    assignee = SuggestedField(
        label=_("Assigned to"),
        counts=WorkOrderQueries.use_get_work_orders_counts_query,
        by="assignee",
        required=False,
        max_length=100,
    )


def assigned_to_me(request: PortalRequest) -> Partial[WorkOrder] | None:
    """The user's own name, if it is known."""
    me = use_app_essentials(request)
    return WorkOrder.partial(assignee=me.name) if me else None


def mine(request: PortalRequest) -> dict[str, object] | None:
    """The parameters of the list of what the user has to do; None if the user's name is not known."""
    me = use_app_essentials(request)
    return {"status": UNFINISHED, "assignee": me.name, "sort": "dueAt"} if me else None


def late(_request: HttpRequest) -> dict[str, object]:
    """The parameters of the list of what was due before today, and is not finished."""
    return {"status": UNFINISHED, "dueAtTo": timezone.localdate() - timedelta(days=1), "sort": "dueAt"}


ACTIONS: Final = (
    RowAction(
        name="start",
        label=_("Start"),
        values=WorkOrder.partial(status=WorkOrderStatus.IN_PROGRESS),
        message=_("Work on “%(name)s” has begun."),
        offered=lambda order: order.status == WorkOrderStatus.OPEN,
        icon="arrow-right",
        is_main=True,
    ),
    RowAction(
        name="complete",
        label=_("Mark as done"),
        values=WorkOrder.partial(status=WorkOrderStatus.DONE),
        message=_("“%(name)s” is done."),
        offered=lambda order: order.status not in FINISHED,
        icon="check",
        is_main=True,
    ),
    RowAction(
        name="reopen",
        label=_("Reopen"),
        # The time too: what a button sets is what its undo brings back.
        values=WorkOrder.partial(status=WorkOrderStatus.OPEN, completed_at=None),
        message=_("“%(name)s” is open again."),
        offered=lambda order: order.status in FINISHED,
        icon="refresh",
        is_main=True,
    ),
    RowAction(
        name="take",
        label=_("Assign to me"),
        values=assigned_to_me,
        message=_("“%(name)s” is yours."),
        offered=lambda order: order.status not in FINISHED,
    ),
    RowAction(
        name="assign",
        label=_("Assign"),
        form=AssigneeForm,
        message=_("The assignment was changed."),
        offered=lambda order: order.status not in FINISHED,
    ),
    RowAction(
        name="prioritise",
        label=_("Change the priority"),
        form=PriorityForm,
        message=_("The priority was changed."),
        offered=lambda order: order.status not in FINISHED,
    ),
    RowAction(
        name="cancel",
        label=_("Cancel the work order"),
        values=WorkOrder.partial(status=WorkOrderStatus.CANCELLED),
        message=_("“%(name)s” was cancelled."),
        offered=lambda order: order.status not in FINISHED,
    ),
)
work_order_pages = resource_pages(
    "operations/work-orders",
    name="work-order",
    title=_("Work orders"),
    list=ListView(
        hook=WorkOrderQueries.use_get_work_orders_query,
        columns={
            "title": Column(_("Title"), sort=SORT_BY_NAME),
            "priority": Column(_("Priority"), sort="-priority", words=PRIORITIES),
            "assignee": Column(_("Assigned to")),
            "due_at": Column(_("Due"), sort="dueAt"),
            "created_at": Column(_("Created"), sort=SORT_NEWEST_FIRST),
            "status": Column(_("Status"), sort="status", kind="corner", words=STATUSES),
        },
        counts=WorkOrderQueries.use_get_work_orders_counts_query,
        filters=(
            Filter("status", _("Status"), choices=STATUSES),
            Filter("priority", _("Priority"), choices=PRIORITIES),
            Filter("assignee", _("Assigned to")),
            Filter("stationId", _("Station"), named_by="station_name"),
        ),
        ranges=(
            DateRange("createdAt", _("Created")),
            DateRange("dueAt", _("Due"), ahead=True),
            DateRange("completedAt", _("Finished")),
        ),
        views=(QuickView(_("Mine"), mine), QuickView(_("Late"), late)),
        search_hint=_("Title, person or station"),
        sorts=AGE_SORTS | {SORT_BY_NAME: _("Title, A to Z"), SORT_BY_NAME_DESCENDING: _("Title, Z to A")},
    ),
    create=CreateView(
        mutation=WorkOrderMutations.use_create_work_order_mutation,
        form=WorkOrderForm,
        title=_("New work order"),
        submit_label=_("Create work order"),
    ),
    detail=DetailView(
        hook=WorkOrderQueries.use_get_work_order_query,
        mutation=WorkOrderMutations.use_update_work_order_mutation,
        actions=ACTIONS,
    ),
    edit=EditView(
        query=WorkOrderQueries.use_get_work_order_query,
        mutation=WorkOrderMutations.use_update_work_order_mutation,
        form=WorkOrderForm,
    ),
    context={"statuses": STATUSES, "priorities": PRIORITIES},
    key="w",
)
