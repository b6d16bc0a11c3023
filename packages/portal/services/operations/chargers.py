"""Chargers, as those need them who may not open the energy platform: to choose one."""

from portal.query import QueryGroup, Row, resource


class OperationsCharger(Row):
    """A charger."""

    name: str = ""
    station_id: str = ""
    station_name: str = ""

    def __str__(self) -> str:
        return self.name or self.id


_operations_chargers = resource(
    "/operations/chargers",
    item=OperationsCharger,
    optional=True,
)


class OperationsChargerQueries(QueryGroup):
    """`use_get_operations_chargers_query` and `use_get_operations_charger_query`."""

    use_get_operations_chargers_query = _operations_chargers.list
    use_get_operations_charger_query = _operations_chargers.detail
