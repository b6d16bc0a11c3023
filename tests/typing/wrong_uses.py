"""Uses of hooks that type checkers reject: on each marked line, and on no other. Checked by test_typing, never run."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from portal.query import (
    ListParams,
    MutationGroup,
    Partial,
    QueryGroup,
    Record,
    create_query_group,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    use_queries,
)
from portal.services.energy.clients import Client, ClientMutations, ClientQueries
from portal.services.energy.stations import Station, StationQueries
from portal.services.user import UserQueries

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
    ClientQueries.use_get_clients_query("ada")  # wrong: a name is no request
    ClientQueries.use_get_clients_query(request, serch="oslo")  # wrong: no such parameter
    ClientQueries.use_get_clients_query(request, q=5)  # wrong: a parameter's type
    ClientQueries.use_get_clients_query(request, pages="2")  # wrong: pages is a number
    ClientQueries.use_get_client_query(request)  # wrong: the id is missing
    ClientQueries.use_get_client_query(request, idd="c1")  # wrong: the id is missing
    ClientQueries.use_get_client_query(request, id="c1", pages=2)  # wrong: not a list
    UserQueries.use_get_me_query(request, id="c1")  # wrong: it has no parameters
    ClientQueries.use_get_cleints_query(request)  # wrong: no such hook
    name: str = ClientQueries.use_get_clients_query(request).data  # wrong: a list is no string
    show(name, ClientQueries.use_get_clients_query(request).data.items[0].nmae)  # wrong: no such field
    show(ClientQueries.use_get_client_query(request, id="c1").data.id)  # wrong: it may be None
    ClientQueries.use_get_client_query(request, id="c1").fetch_next_page()  # wrong: not a list
    station: Station = ClientQueries.use_get_client_query(request, id="c1").unwrap()  # wrong: not a station
    show(station)


def writes(request: HttpRequest, client: QueryClient) -> None:
    """Wrong writes."""
    ClientMutations.use_create_client_mutation(request).mutate()  # wrong: the body is missing
    ClientMutations.use_create_client_mutation(request).mutate(params={"id": "c1"})  # wrong: it takes no params
    ClientMutations.use_create_client_mutation(request).mutate(Client.partial(name="Ada"))  # wrong: by position
    ClientMutations.use_create_client_mutation(request).mutate(body=Client.partial(nmae="Ada"))  # wrong: no such field
    ClientMutations.use_create_client_mutation(request).mutate(body=Client.partial(name=5))  # wrong: a field's type
    ClientMutations.use_create_client_mutation(request).mutate(body=Station.partial(name="A"))  # wrong: another's row
    ClientMutations.use_delete_client_mutation(request).mutate()  # wrong: the params are missing
    ClientMutations.use_delete_client_mutation(request).mutate(body={"id": "c1"})  # wrong: it takes no body
    ClientMutations.use_update_client_mutation(request).mutate(body=Client.partial())  # wrong: which one?
    ClientMutations.use_create_client_mutation(request, on_success=lambda: None)  # wrong: it gets the data
    ClientQueries.use_get_client_query.prefetch(client, q="oslo")  # wrong: another query's parameter
    ClientQueries.use_get_clients_query.invalidate(params={"q": "oslo"})  # wrong: whose data?
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
    use_e_mutation = mutation_endpoint(url="/e", method="POST").invalidates(tag=5)  # wrong: a tag is a name
    use_c_mutation = mutation_endpoint(body=Partial[Client], url="/c", method="POST").remove_from_paginated_list(
        list_query_key="get_clients",
        get_deleted_id=lambda sent: sent.parms["id"],  # wrong: no such attribute
    )


create_query_group({"a": mutation_endpoint(url="/a", method="POST")})  # wrong: a write is no query


class Place(Record):
    """A part of a row."""

    city: str = ""


class PlacesListParams(ListParams, rename="lower"):
    """A parameter that must be given stands after those that need not be."""

    in_country: str


def records(place: Place) -> None:
    """Wrong uses of records and parameters."""
    place.city = "Oslo"  # wrong: a record is frozen
    show(Place("Oslo"))  # wrong: by position
    show(Place(city=5))  # wrong: a field's type
    show(Place.partial("Oslo"))  # wrong: by position
    show(Place.partial(town="Oslo"))  # wrong: no such field
    show(PlacesListParams(q="oslo"))  # wrong: in_country is missing
