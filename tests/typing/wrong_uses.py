"""Uses of hooks that type checkers reject: on each marked line, and on no other. test_typing and test_mistakes check it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from portal.query import (
    ListParams,
    MutationGroup,
    Partial,
    QueryGroup,
    create_query_group,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    use_queries,
)
from portal.services.energy.clients import Client, ClientMutations, ClientQueries
from portal.services.energy.stations import Station, StationQueries
from portal.services.finance.summary import FinanceSummary
from portal_pages import (
    AddView,
    BackendForm,
    Count,
    CreateView,
    DeleteView,
    DetailView,
    EditView,
    ListView,
    resource_pages,
)

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.query import QueryClient


class OtherParams(TypedDict):
    """Parameters that name nothing of a client."""

    number: int


def other_url(params: OtherParams) -> str:
    """An address of something else."""
    return f"/others/{params['number']}"


def show(*_: object) -> None:
    """Takes anything."""


def reads(request: HttpRequest) -> None:
    """Wrong reads."""
    ClientQueries.use_get_clients_query()  # wrong: whose data?
    ClientQueries.use_get_clients_query(request, serch="oslo")  # wrong: no such parameter
    ClientQueries.use_get_clients_query(request, q=5)  # wrong: a parameter's type
    ClientQueries.use_get_clients_query(request, sort="-citty")  # wrong: no such order
    ClientQueries.use_get_client_query(request)  # wrong: the id is missing
    ClientQueries.use_get_client_query(request, id="c1", pages=2)  # wrong: not a list
    name: str = ClientQueries.use_get_clients_query(request).data  # wrong: a list is no string
    show(name, ClientQueries.use_get_clients_query(request).data.items[0].nmae)  # wrong: no such field
    show(ClientQueries.use_get_client_query(request, id="c1").data.id)  # wrong: it may be None


def writes(request: HttpRequest, client: QueryClient) -> None:
    """Wrong writes."""
    ClientMutations.use_create_client_mutation(request).mutate()  # wrong: the body is missing
    ClientMutations.use_create_client_mutation(request).mutate(body=Client.partial(nmae="Ada"))  # wrong: no such field
    ClientMutations.use_create_client_mutation(request).mutate(body=Client.partial(name=5))  # wrong: a field's type
    ClientMutations.use_create_client_mutation(request).mutate(body=Station.partial(name="A"))  # wrong: another's row
    ClientMutations.use_delete_client_mutation(request).mutate()  # wrong: the params are missing
    ClientMutations.use_update_client_mutation(request).mutate(body=Client.partial())  # wrong: which one?
    ClientMutations.use_create_client_mutation(request, on_success=lambda: None)  # wrong: it gets the data
    ClientQueries.use_get_client_query.prefetch(client, q="oslo")  # wrong: another query's parameter
    use_queries(request, ClientQueries.use_get_clients_query, ClientQueries.use_get_clients_query)  # wrong: no specs
    ClientQueries.use_get_client_query.spec()  # wrong: params are missing


class WrongQueries(QueryGroup, domain="wrong"):
    """Wrong declarations."""

    use_get_a_query = query_endpoint(url="/a")  # wrong: data is missing
    use_get_b_query = query_endpoint(data=Client, url=other_url)  # wrong: its parameters are missing
    use_get_c_query = paginated_query_endpoint(item=Client, url="/c", unique_by=True)  # wrong: True is no field


class WrongMutations(MutationGroup, domain="wrong"):
    """Wrong declarations."""

    use_a_mutation = mutation_endpoint(url="/a", method="GET")  # wrong: GET writes nothing
    use_b_mutation = mutation_endpoint(
        data=Client, body=Partial[Client], url="/b", method="POST"
    ).add_created_to_paginated_list(
        list_query_key=StationQueries.use_get_station_query,  # wrong: no list
        select_list_item=lambda made: made,
    )
    use_d_mutation = mutation_endpoint(data=Client, url="/d", method="PUT").set_answer(
        query_key=StationQueries.use_get_station_query  # wrong: it answers with a client
    )


create_query_group({"a": mutation_endpoint(url="/a", method="POST")})  # wrong: a write is no query


class PlacesListParams(ListParams, rename="lower"):
    """A parameter that must be given stands after those that need not be."""

    in_country: str


def records(client: Client) -> None:
    """Wrong uses of records and parameters."""
    client.city = "Oslo"  # wrong: a record is frozen
    show(PlacesListParams(q="oslo"))  # wrong: in_country is missing


class ClientForm(BackendForm[Client]):
    """A form of clients."""


class StationForm(BackendForm[Station]):
    """A form of another row."""


def declarations() -> None:
    """A hook of another kind, or of another resource."""
    show(ListView(hook=ClientQueries.use_get_client_query))  # wrong: the hook of a detail
    show(DetailView(hook=ClientQueries.use_get_clients_query))  # wrong: the hook of a list
    show(DeleteView(mutation=ClientMutations.use_update_client_mutation))  # wrong: it needs a body
    show(CreateView(mutation=ClientMutations.use_update_client_mutation, form=ClientForm))  # wrong: it needs an id
    show(AddView(mutation=ClientMutations.use_create_client_mutation, form=ClientForm))  # wrong: it takes no id
    show(CreateView(mutation=ClientMutations.use_create_client_mutation, form=StationForm))  # wrong: another's form
    station, update = StationQueries.use_get_station_query, ClientMutations.use_update_client_mutation
    show(EditView(query=station, mutation=update, form=ClientForm))  # wrong: another's row
    show(DetailView(hook=station, context=lambda row: {"a": row.nmae}))  # wrong: no such field


def pages() -> None:
    """A page of another resource, or at another's place."""
    clients = ListView(hook=ClientQueries.use_get_clients_query)
    station = DetailView(hook=StationQueries.use_get_station_query)
    show(resource_pages("a/b", name="b", title="B", list=clients, detail=station))  # wrong: another's row
    show(resource_pages("a/b", name="b", title="B", list=station))  # wrong: the page of one row
    show(resource_pages("a/b", name="b", list=clients))  # wrong: the title is missing


def forms(station: Station) -> None:
    """A form of another row."""
    form = ClientForm(row=station)  # wrong: another's row
    show(form)
    show(Count[FinanceSummary](label="A", route="a", hook=ClientQueries.use_get_client_query))  # wrong: no list
