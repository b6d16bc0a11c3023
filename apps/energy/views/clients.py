"""Clients: list, create, show, edit, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.energy.forms import ClientForm
from apps.energy.presenters.clients import present_client
from portal.config.wire_names import (
    ID_FIELD,
    SORT_BY_NAME,
    SORT_BY_NAME_DESCENDING,
    SORT_NEWEST_FIRST,
    SORT_OLDEST_FIRST,
)
from portal.services.energy.clients import (
    ClientCreateReq,
    ClientMutations,
    ClientQueries,
    ClientsListParams,
    ClientUpdateReq,
)
from portal.web.pages.form_pages import form_page, refused, submission_key
from portal.web.pages.guards import see_other
from portal.web.pages.list_pages import ListView
from portal.web.present.results import record_beside_form, record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

CLIENTS = ListView(
    title=gettext_lazy("Clients"),
    search_hint=gettext_lazy("Name, email, phone or city"),
    template="energy/clients/list.html",
    table_template="energy/clients/table.html",
    sorts={
        SORT_NEWEST_FIRST: gettext_lazy("Newest first"),
        SORT_OLDEST_FIRST: gettext_lazy("Oldest first"),
        SORT_BY_NAME: gettext_lazy("Name, A to Z"),
        SORT_BY_NAME_DESCENDING: gettext_lazy("Name, Z to A"),
    },
    present=present_client,
)


@require_safe
def client_list(request: HttpRequest) -> HttpResponse:
    """The list, or with a cursor one further page of it."""
    controls = CLIENTS.controls(request)
    params = ClientsListParams(q=controls.q or None, sort=controls.sort or None)
    result = ClientQueries.use_get_clients_query(request, params, cursor=controls.cursor or None)
    return CLIENTS.render(request, controls=controls, result=result)


@require_http_methods(["GET", "HEAD", "POST"])
def client_new(request: HttpRequest) -> HttpResponse:
    """An empty form; POST creates the client, which then stands at the top of the list."""
    form = ClientForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        body = cast("ClientCreateReq", form.body())
        key = submission_key(request)
        result = ClientMutations.use_create_client_mutation(request, idempotency_key=key).mutate(body=body)
        if result.is_success:
            messages.success(request, _("%(name)s was created.") % {"name": body["name"]})
            return see_other("clients")
        refused(form, result)
    return form_page(
        request,
        form,
        title=_("New client"),
        submit_label=_("Create client"),
        back_url=reverse("clients"),
        back_label=_("Clients"),
    )


@require_safe
def client_detail(request: HttpRequest, client_id: str) -> HttpResponse:
    """One client."""
    record = record_of(ClientQueries.use_get_client_query(request, {"id": client_id}))
    return render(request, "energy/clients/detail.html", {"client": present_client(record)})


@require_http_methods(["GET", "HEAD", "POST"])
def client_edit(request: HttpRequest, client_id: str) -> HttpResponse:
    """The form with the client's fields; POST changes them."""
    form = ClientForm(request.POST) if request.method == "POST" else None
    if form is not None and form.is_valid():
        body = cast("ClientUpdateReq", form.body())
        result = ClientMutations.use_update_client_mutation(request).mutate(body=body, params={"id": client_id})
        if result.is_success:
            messages.success(request, _("Your changes were saved."))
            return see_other("client", client_id)
        refused(form, result)
    found = ClientQueries.use_get_client_query(request, {"id": client_id})
    record = record_of(found) if form is None else record_beside_form(found)
    client = present_client({ID_FIELD: client_id, **record})
    return form_page(
        request,
        form or ClientForm(initial=dict(record)),
        title=_("Edit %(name)s") % {"name": client.title},
        submit_label=_("Save changes"),
        back_url=reverse("client", args=[client_id]),
        back_label=client.title,
    )


@require_POST
def client_delete(request: HttpRequest, client_id: str) -> HttpResponse:
    """Delete the client. One that is gone already is a 404 page."""
    ClientMutations.use_delete_client_mutation(request).mutate(params={"id": client_id}).unwrap()
    messages.success(request, _("The client was deleted."))
    return see_other("clients")
