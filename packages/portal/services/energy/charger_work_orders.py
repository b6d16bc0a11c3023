"""The work orders of one charger, for those who may not open the operations platform: to report a fault."""

from portal.query import (
    ListParams,
    MutationGroup,
    Partial,
    QueryGroup,
    Row,
    RowParams,
    mutation_endpoint,
    paginated_query_endpoint,
)


class ReportedOrder(Row):
    """A work order, with the codes of the operations platform. `description` is only sent."""

    title: str = ""
    description: str = ""
    status: str | None = None
    priority: str | None = None
    assignee: str | None = None

    def __str__(self) -> str:
        return self.title or self.id


class ChargerWorkOrdersListParams(ListParams):
    """`charger_id` is part of the path."""

    charger_id: str


class ChargerWorkOrderQueries(QueryGroup):
    """`use_get_charger_work_orders_query`."""

    use_get_charger_work_orders_query = paginated_query_endpoint(
        item=ReportedOrder,
        params=ChargerWorkOrdersListParams,
        url="/energy/chargers/{chargerId}/work-orders",
        tags=("work-orders",),
        optional=True,
    )


class ChargerWorkOrderMutations(MutationGroup):
    """`use_report_fault_mutation`."""

    use_report_fault_mutation = mutation_endpoint(
        data=ReportedOrder,
        body=Partial[ReportedOrder],
        params=RowParams,
        url="/energy/chargers/{id}/work-orders",
        method="POST",
        optional=True,
    ).invalidates(tag="work-orders")
