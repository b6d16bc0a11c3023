"""Work orders: what is to be done at a station, or anywhere."""

from datetime import datetime
from typing import Literal

from portal.config.contract_names import VERSION_FIELD
from portal.query import CommonSort, ListParams, MutationGroup, OpenEnum, QueryGroup, Row, Values, field, resource
from portal.services.operations.summary import WORK_ORDERS


class WorkOrderPriority(OpenEnum):
    """How soon it is to be done."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


class WorkOrderStatus(OpenEnum):
    """How far it is. A new one is open."""

    OPEN = "open"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    CANCELLED = "cancelled"


class WorkOrder(Row):
    """A work order. `assignee`: the name of the person, or any text where the backend knows no people."""

    title: str = ""
    description: str = ""
    station_id: str | None = None
    station_name: str | None = None
    charger_id: str | None = None
    charger_name: str | None = None
    priority: WorkOrderPriority | None = None
    status: WorkOrderStatus | None = None
    assignee: str | None = None
    assignee_id: str | None = None
    due_at: datetime | None = None
    completed_at: datetime | None = None
    version: int | None = field(default=None, name=VERSION_FIELD)

    def __str__(self) -> str:
        return self.title or self.id


class WorkOrdersListParams(ListParams):
    """A row has one of a filter's values; `none` among those of `assignee_id` stands for nobody. `…_from` and `…_to`
    limit a time, as ISO 8601: not before, and before.
    """

    sort: (
        CommonSort | Literal["dueAt", "-dueAt", "priority", "-priority", "status", "-status", "title", "-title"] | None
    ) = None
    station_id: Values | None = None
    charger_id: Values | None = None
    status: Values | None = None
    priority: Values | None = None
    assignee: Values | None = None
    assignee_id: Values | None = None
    created_at_from: str | None = None
    created_at_to: str | None = None
    due_at_from: str | None = None
    due_at_to: str | None = None
    completed_at_from: str | None = None
    completed_at_to: str | None = None


_work_orders = resource(
    "/operations/work-orders",
    item=WorkOrder,
    params=WorkOrdersListParams,
    optional=True,
    invalidates_tags=[WORK_ORDERS],
)


class WorkOrderQueries(QueryGroup):
    """`use_get_work_orders_query`, `…_counts_query`, `…_work_order_query` and `…_work_order_activity_query`."""

    use_get_work_orders_query = _work_orders.list
    use_get_work_orders_counts_query = _work_orders.counts
    use_get_work_order_query = _work_orders.detail
    use_get_work_order_activity_query = _work_orders.activity


class WorkOrderMutations(MutationGroup):
    """`use_create_work_order_mutation`, `use_update_work_order_mutation` and `use_note_work_order_mutation`."""

    use_create_work_order_mutation = _work_orders.create
    use_update_work_order_mutation = _work_orders.update
    use_note_work_order_mutation = _work_orders.note
