"""Clients: who charges cars, or has them charged (requirements, "Client record")."""

from __future__ import annotations

from portal.query import ListParams, MutationGroup, QueryGroup, Row, resource
from portal.services.energy.summary import EnergySummaryQueries


class Client(Row):
    """`TClient` (requirements, "Client record")."""

    name: str = ""
    email: str = ""
    phone: str | None = None
    city: str | None = None

    def __str__(self) -> str:
        return self.name or self.id


class ClientsListParams(ListParams):
    """`TClientsListParams`. `sort`: also `name`, `email`, `city`; `city`: an exact match."""

    city: str | None = None


_clients = resource(
    "/energy/clients",
    item=Client,
    params=ClientsListParams,
    invalidates=[EnergySummaryQueries.use_get_summary_query],
)


class ClientQueries(QueryGroup):
    """`use_get_clients_query` and `use_get_client_query`."""

    use_get_clients_query = _clients.list
    use_get_client_query = _clients.detail


class ClientMutations(MutationGroup):
    """`use_create_client_mutation`, `use_update_client_mutation` and `use_delete_client_mutation`."""

    use_create_client_mutation = _clients.create
    use_update_client_mutation = _clients.update
    use_delete_client_mutation = _clients.delete
