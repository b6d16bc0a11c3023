"""Work orders: list, create, show, edit; assign, start, complete."""

from datetime import timedelta
from typing import Final

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.operations.views.work_order_forms import (
    PRIORITIES,
    AssigneeForm,
    NewWorkOrderForm,
    PriorityForm,
    WorkOrderForm,
)
from portal.config.contract_names import NONE_VALUE, SORT_BY_NAME, SORT_BY_NAME_DESCENDING
from portal.services import Partial, offers
from portal.services.operations.people import PersonQueries
from portal.services.operations.stations import OperationsStationQueries
from portal.services.operations.work_orders import (
    WorkOrder,
    WorkOrderMutations,
    WorkOrderQueries,
    WorkOrderStatus,
)
from portal.web import PortalRequest
from portal.web.frame import use_app_essentials
from portal.web.present import NO_VALUE, Badge
from portal_pages import (
    AGE_SORTS,
    Column,
    CreateView,
    DateRange,
    DetailView,
    EditView,
    Filter,
    ListView,
    QuickView,
    RowAction,
    resource_pages,
    usable_form,
)

STATUSES: Final = {
    WorkOrderStatus.OPEN: Badge(label=_("Open"), tone="info"),
    WorkOrderStatus.IN_PROGRESS: Badge(label=_("In progress"), tone="warn"),
    WorkOrderStatus.DONE: Badge(label=_("Done"), tone="good"),
    WorkOrderStatus.CANCELLED: Badge(label=_("Cancelled")),
}
FINISHED: Final = frozenset({WorkOrderStatus.DONE, WorkOrderStatus.CANCELLED})
UNFINISHED: Final = [status for status in STATUSES if status not in FINISHED]


def is_late(order: WorkOrder) -> bool:
    """Whether its due day is over and it is not finished."""
    return (
        order.due_at is not None
        and order.status not in FINISHED
        and timezone.localdate(order.due_at) < timezone.localdate()
    )


def assigned_to_me(request: PortalRequest) -> Partial[WorkOrder] | None:
    """The user's own id where the backend knows people, else the name, if it is known."""
    me = use_app_essentials(request)
    if me and me.id and "assignee_id" in usable_form(request, AssigneeForm).base_fields:
        return WorkOrder.partial(assignee_id=me.id)
    return WorkOrder.partial(assignee=me.name) if me and me.name != NO_VALUE else None


def mine(request: PortalRequest) -> dict[str, object] | None:
    """The parameters of the list of what the user has to do; None if the user's name is not known."""
    me = use_app_essentials(request)
    by_id = bool(me and me.id and _follows_ids())
    if me is None or (not by_id and me.name == NO_VALUE):
        return None
    whose = {"assigneeId": [me.id]} if by_id else {"assignee": [me.name]}
    return {"status": UNFINISHED, **whose, "sort": "dueAt"}


def mine_by_id(request: PortalRequest) -> dict[str, object] | None:
    """The same; None where the backend knows the user by name alone, as others may be called."""
    params = mine(request)
    return params if params and "assigneeId" in params else None


def unassigned(_request: PortalRequest) -> dict[str, object] | None:
    """The parameters of the list of what nobody does yet; None where the backend knows no people."""
    return {"status": UNFINISHED, "assigneeId": NONE_VALUE, "sort": "dueAt"} if _follows_ids() else None


def _follows_ids() -> bool:
    """Return whether the backend offers the list of those of one person."""
    orders = WorkOrderQueries.use_get_work_orders_query
    return offers(PersonQueries.use_get_people_query) and offers(orders, "assigneeId")


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
        bulk=True,
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
        bulk=True,
    ),
    RowAction(
        name="assign",
        label=_("Assign"),
        form=AssigneeForm,
        message=_("The assignment was changed."),
        offered=lambda order: order.status not in FINISHED,
        bulk=True,
    ),
    RowAction(
        name="prioritise",
        label=_("Change the priority"),
        form=PriorityForm,
        message=_("The priority was changed."),
        offered=lambda order: order.status not in FINISHED,
        bulk=True,
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
            "title": Column(_("Title"), sort=SORT_BY_NAME, kind="wide"),
            "station_name": Column(
                _("Station"), kind="extra", value=lambda order: order.station_name or order.station_id
            ),
            "priority": Column(_("Priority"), sort="-priority", words=PRIORITIES),
            "assignee": Column(_("Assigned to")),
            "due_at": Column(_("Due"), sort="dueAt", late=is_late),
            "status": Column(_("Status"), sort="status", kind="corner", words=STATUSES),
        },
        counts=WorkOrderQueries.use_get_work_orders_counts_query,
        filters=(
            Filter("status", _("Status"), choices=STATUSES),
            Filter("priority", _("Priority"), choices=PRIORITIES),
            Filter(
                "assigneeId",
                _("Assigned to"),
                rows=PersonQueries.use_get_people_query,
                named_by="assignee",
                none=_("Nobody"),
                otherwise="assignee",
            ),
            Filter("assignee", _("Assigned to")),
            Filter("stationId", _("Station"), named_by="station_name"),
            Filter("chargerId", _("Charger"), named_by="charger_name"),
        ),
        ranges=(
            DateRange("createdAt", _("Created")),
            DateRange("dueAt", _("Due"), ahead=True),
            DateRange("completedAt", _("Finished")),
        ),
        views=(QuickView(_("Mine"), mine), QuickView(_("Unassigned"), unassigned), QuickView(_("Late"), late)),
        search_hint=_("Title, person or station"),
        sorts=AGE_SORTS | {SORT_BY_NAME: _("Title, A to Z"), SORT_BY_NAME_DESCENDING: _("Title, Z to A")},
    ),
    create=CreateView(
        mutation=WorkOrderMutations.use_create_work_order_mutation,
        form=NewWorkOrderForm,
        title=_("New work order"),
        submit_label=_("Create work order"),
        unique=("charger_id",),
        among={"status": UNFINISHED},
    ),
    detail=DetailView(
        hook=WorkOrderQueries.use_get_work_order_query,
        mutation=WorkOrderMutations.use_update_work_order_mutation,
        actions=ACTIONS,
        context=lambda order: {"is_late": is_late(order)},
        beside={"station": (OperationsStationQueries.use_get_operations_station_query, "station_id")},
        activity=WorkOrderQueries.use_get_work_order_activity_query,
        note=WorkOrderMutations.use_note_work_order_mutation,
    ),
    edit=EditView(
        query=WorkOrderQueries.use_get_work_order_query,
        mutation=WorkOrderMutations.use_update_work_order_mutation,
        form=WorkOrderForm,
    ),
    context={"statuses": STATUSES, "priorities": PRIORITIES},
    key="w",
)
