"""Declared pages and forms that type checkers accept. test_typing checks this file; nothing runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_type

from portal.query import Partial
from portal.services.energy.clients import Client, ClientMutations, ClientQueries
from portal.services.energy.meters import MeterQueries
from portal_pages import BackendForm, CreateView, DeleteView, DetailView, EditView, ListView, resource_pages

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class ClientForm(BackendForm[Client]):
    """A form of clients."""


def client_detail(request: HttpRequest, row_id: str) -> HttpResponse:
    """A page of a team's own."""
    raise NotImplementedError(request, row_id)


client_pages = resource_pages(
    "energy/clients",
    name="client",
    title="Clients",
    list=ListView(hook=ClientQueries.use_get_clients_query),
    detail=client_detail,
    create=CreateView(mutation=ClientMutations.use_create_client_mutation, form=ClientForm),
    edit=EditView(
        query=ClientQueries.use_get_client_query, mutation=ClientMutations.use_update_client_mutation, form=ClientForm
    ),
    delete=DeleteView(mutation=ClientMutations.use_delete_client_mutation),
)
# A detail may have more fields than a row of the list.
meter_detail = DetailView(
    hook=MeterQueries.use_get_meter_query, context=lambda meter: {"readings": len(meter.readings)}
)
meter_pages = resource_pages(
    "energy/meters",
    name="meter",
    title="Meters",
    list=ListView(hook=MeterQueries.use_get_meters_query),
    detail=meter_detail,
)


def forms(client: Client) -> None:
    """A form makes the body of its own row, without a cast."""
    assert_type(ClientForm(row=client).body(), Partial[Client])
    assert_type(ClientForm({"name": "Ada"}).body().to_wire()["name"] is None, bool)
