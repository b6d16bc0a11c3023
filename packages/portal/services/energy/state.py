"""What chargers and meters do right now, for what renews itself on a page."""

from typing import Final

from portal.query import QueryGroup, Record, field, query_endpoint

#: The state of one user is asked for at most so often, seconds, in however many tabs it is shown.
STATE_FRESH_S: Final = 15


class FaultedCharger(Record):
    """A charger that is out of order, with the number of its work orders that are not finished."""

    id: str = ""
    name: str = ""
    station_name: str = ""
    open_orders: int | None = None


class EnergyState(Record):
    """What chargers and meters do right now; of the faulted chargers the first five."""

    chargers_by_status: dict[str, int | None] = field(default_factory=dict)
    meters_by_status: dict[str, int | None] = field(default_factory=dict)
    faulted_chargers: tuple[FaultedCharger, ...] = ()
    faulted_without_order: int | None = None


class EnergyStateQueries(QueryGroup):
    """`use_get_state_query`."""

    use_get_state_query = query_endpoint(
        data=EnergyState,
        url="/energy/state",
        tags=("work-orders",),
        stale_time_s=STATE_FRESH_S,
        stale_while_revalidate=False,
        optional=True,
    )
