"""Declared pages and forms that type checkers reject: each marked line, and no other."""

from __future__ import annotations

from portal.services.energy.clients import Client, ClientMutations, ClientQueries
from portal.services.energy.stations import Station, StationQueries
from portal.services.finance.summary import FinanceSummary
from portal.services.operations.work_orders import WorkOrderMutations
from portal_pages import (
    BackendForm,
    Count,
    CreateView,
    DeleteView,
    DetailView,
    EditView,
    ListView,
    resource_pages,
)


class ClientForm(BackendForm[Client]):
    """A form of clients."""


class StationForm(BackendForm[Station]):
    """A form of another row."""


def show(*values: object) -> None:
    """So that each value is used."""
    raise NotImplementedError(values)


def declarations() -> None:
    """A hook of another kind, or of another resource."""
    show(ListView(hook=ClientQueries.use_get_client_query))  # wrong: the hook of a detail
    show(DetailView(hook=ClientQueries.use_get_clients_query))  # wrong: the hook of a list
    show(DeleteView(mutation=ClientMutations.use_update_client_mutation))  # wrong: it needs a body
    show(CreateView(mutation=ClientMutations.use_update_client_mutation, form=ClientForm))  # wrong: it needs an id
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
    show(form, WorkOrderMutations.use_update_work_order_mutation.mutate)  # wrong: a hook is called with a request first
    show(Count[FinanceSummary](label="A", route="a", hook=ClientQueries.use_get_client_query))  # wrong: no list
