"""Clients: who charges cars, or has them charged (requirements, "Client record")."""

from typing import Literal

from portal.config.contract_names import VERSION_FIELD
from portal.query import CommonSort, ListParams, MutationGroup, QueryGroup, Row, Values, field, resource
from portal.services.energy.summary import EnergySummaryQueries


class Client(Row):
    """`TClient` (requirements, "Client record")."""

    name: str = ""
    email: str = ""
    phone: str | None = None
    city: str | None = None
    version: int | None = field(default=None, name=VERSION_FIELD)

    def __str__(self) -> str:
        return self.name or self.id


class ClientsListParams(ListParams):
    """`TClientsListParams`. A row has one of the values of `city`.

    The last two limit a time, as ISO 8601: not before, and before.
    """

    sort: CommonSort | Literal["city", "-city", "email", "-email"] | None = None
    city: Values | None = None
    created_at_from: str | None = None
    created_at_to: str | None = None


_clients = resource(
    "/energy/clients",
    item=Client,
    params=ClientsListParams,
    optional=True,
    required=("list", "detail", "create", "delete"),
    invalidates=[EnergySummaryQueries.use_get_summary_query],
)


class ClientQueries(QueryGroup):
    """`use_get_clients_query`, `…_clients_counts_query`, `…_client_query` and `…_client_activity_query`."""

    use_get_clients_query = _clients.list
    use_get_clients_counts_query = _clients.counts
    use_get_client_query = _clients.detail
    use_get_client_activity_query = _clients.activity


class ClientMutations(MutationGroup):
    """`use_create_client_mutation`, and for update, delete, restore and note."""

    use_create_client_mutation = _clients.create
    use_update_client_mutation = _clients.update
    use_delete_client_mutation = _clients.delete
    use_restore_client_mutation = _clients.restore
    use_note_client_mutation = _clients.note
