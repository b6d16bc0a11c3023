"""Uses of hooks that type checkers accept, and the types they find. test_typing checks this file; nothing runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, assert_type

from portal.query import (
    ListParams,
    MutationGroup,
    MutationResult,
    PaginatedRes,
    PaginatedResult,
    Partial,
    QueryClient,
    QueryGroup,
    QueryResult,
    RowParams,
    create_mutation_group,
    create_query_group,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    use_queries,
)
from portal.services.energy.clients import Client, ClientMutations, ClientQueries
from portal.services.user import Profile, UserQueries
from portal_pages import BackendForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.http import HttpRequest


def reads(request: HttpRequest, client: QueryClient) -> None:
    """Data, items and parameters have the types that the endpoint declares."""
    assert_type(UserQueries.use_get_me_query(request), QueryResult[Profile])
    assert_type(UserQueries.use_get_me_query(client).data, Profile | None)
    assert_type(ClientQueries.use_get_client_query(request, id="c1").unwrap(), Client)
    assert_type(ClientQueries.use_get_client_query(request, RowParams(id="c1")).unwrap(), Client)
    clients = ClientQueries.use_get_clients_query(request, q="oslo", city="Oslo", sort=None, pages=2)
    assert_type(clients, PaginatedResult[Client])
    assert_type(clients.data, PaginatedRes[Client])
    assert_type(clients.data.items, tuple[Client, ...])
    assert_type(clients.data.raw_res[0], dict[str, Any])
    ClientQueries.use_get_clients_query.invalidate(request, params={"q": "oslo"})
    ClientQueries.use_get_client_query.prefetch(request, id="c1")


def side_by_side(request: HttpRequest, client: QueryClient) -> None:
    """Each result has its own type; those of a list have one."""
    me, one = UserQueries.use_get_me_query.spec(), ClientQueries.use_get_client_query.spec(id="c1")
    many = ClientQueries.use_get_clients_query.spec(q="oslo", pages=2)
    assert_type(use_queries(request, me, many), tuple[QueryResult[Profile], PaginatedResult[Client]])
    assert_type(use_queries(client, [many, many]), list[PaginatedResult[Client]])
    results = use_queries(request, me, one, many, me, one, many)
    assert_type(results[1].unwrap(), Client)
    assert_type(results[5].data.items, tuple[Client, ...])


def writes(request: HttpRequest) -> None:
    """Each of the four call shapes (requirements, "Client-side hook generators")."""
    created = ClientMutations.use_create_client_mutation(request, on_success=lambda row: row.id.upper())
    assert_type(created.mutate(body=Client.partial(name="Ada", email="ada@example.com")), MutationResult[Client])
    deleted = ClientMutations.use_delete_client_mutation(request).mutate(params={"id": "c1"})
    assert_type(deleted, MutationResult[None])
    updated = ClientMutations.use_update_client_mutation(request)
    assert_type(updated.mutate(body=Client.partial(city="Oslo"), params=RowParams(id="c1")).unwrap(), Client)
    assert_type(ThingMutations.use_reset_things_mutation(request).mutate(), MutationResult[None])
    assert_type(ThingMutations.use_count_things_mutation(request).mutate().data, int | None)


class Thing(TypedDict, total=False):
    """A row of a team's own, as JSON."""

    id: str
    name: str


def thing_url(params: Mapping[str, str]) -> str:
    """Address of one thing."""
    return f"/things/{params['id']}"


class ThingQueries(QueryGroup, domain="things"):
    """A team's own queries."""

    use_get_things_query = paginated_query_endpoint(item=Thing, url="/things", unique_by=False)
    use_get_thing_query = query_endpoint(data=Thing, params=RowParams, url=thing_url, stale_time_s=10)


class ThingMutations(MutationGroup, domain="things"):
    """A team's own mutations."""

    use_reset_things_mutation = mutation_endpoint(url="/things/reset", method="POST")
    use_count_things_mutation = mutation_endpoint(data=int, url="/things/count", method="POST")
    use_update_thing_mutation = (
        mutation_endpoint(data=Thing, body=Thing, params=RowParams, url=thing_url, method="PUT")
        .merge_updated_in_paginated_list(list_query_key="get_things", select_list_item=lambda thing: thing)
        .set_answer(query_key=ThingQueries.use_get_thing_query, get_params=lambda sent, thing: {"id": thing.get("id")})
        .invalidates(query_key=ThingQueries.use_get_thing_query, get_params=lambda sent: sent.params)
        .invalidates(tag="things")
    )
    use_delete_thing_mutation = mutation_endpoint(
        params=RowParams, url=thing_url, method="DELETE"
    ).remove_from_paginated_list(
        list_query_key=ThingQueries.use_get_things_query, get_deleted_id=lambda sent: sent.params["id"]
    )


def from_mappings(request: HttpRequest) -> None:
    """`createQueryGroup` of a mapping: its hooks are known at run time only."""
    queries = create_query_group({"get_things": paginated_query_endpoint(item=Thing, url="/things")}, domain="more")
    mutations = create_mutation_group({"reset": mutation_endpoint(url="/things/reset", method="POST")}, domain="more")
    queries.use_get_things_query(request)
    mutations.use_reset_mutation(request).mutate()


class PlacesListParams(ListParams, rename="lower"):
    """A parameter that must be given stands after those that need not be."""

    in_country: str


class ClientForm(BackendForm[Client]):
    """A form of clients."""


def records_and_forms(client: Client) -> None:
    """Attributes have their types; a form makes the body of its own row, without a cast."""
    assert_type(client.city, str | None)
    assert_type(Client.partial(city="Oslo"), Partial[Client])
    assert_type(PlacesListParams(in_country="no", q="oslo").sort, str | None)
    assert_type(ClientForm(row=client).body(), Partial[Client])
