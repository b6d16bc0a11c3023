"""Clients: list, create, show, edit, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.energy.forms import ClientForm
from apps.energy.presenters.clients import present_client
from portal.services.energy.clients import ClientMutations, ClientQueries
from portal.web.pages import AGE_SORTS, NAME_SORTS, ListPageConfig, form_page, see_other, submission_key
from portal.web.present import record_if_answered, record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

CLIENTS = ListPageConfig(
    title=gettext_lazy("Clients"),
    search_hint=gettext_lazy("Name, email, phone or city"),
    sorts=AGE_SORTS | NAME_SORTS,
    present=present_client,
    template="energy/clients/list.html",
)


@require_safe
def client_list(request: HttpRequest) -> HttpResponse:
    """The list: the first page, or the page that the URL's cursor names."""
    return CLIENTS.respond(request, ClientQueries.use_get_clients_query)


@require_http_methods(["GET", "HEAD", "POST"])
def client_new(request: HttpRequest) -> HttpResponse:
    """An empty form; POST creates the client, who then stands at the top of the list."""
    form = ClientForm(request.POST or None)
    if form.is_valid():
        create = ClientMutations.use_create_client_mutation(request, idempotency_key=submission_key(request))
        result = create.mutate(body=form.body())
        if result.is_success:
            messages.success(request, _("%(name)s was created.") % {"name": form.cleaned_data["name"]})
            return see_other("clients")
        form.show_backend_error(result)
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
    """A form with the client's fields; POST changes them."""
    sent = ClientForm(request.POST) if request.method == "POST" else None
    if sent and sent.is_valid():
        update = ClientMutations.use_update_client_mutation(request)
        result = update.mutate(body=sent.body(), params={"id": client_id})
        if result.is_success:
            messages.success(request, _("Your changes were saved."))
            return see_other("client", client_id)
        sent.show_backend_error(result)
    found = ClientQueries.use_get_client_query(request, {"id": client_id})
    record = record_if_answered(found) if sent else record_of(found)
    title = present_client(record).title or client_id
    return form_page(
        request,
        sent or ClientForm(initial=dict(record)),
        title=_("Edit %(name)s") % {"name": title},
        submit_label=_("Save changes"),
        back_url=reverse("client", args=[client_id]),
        back_label=title,
    )


@require_POST
def client_delete(request: HttpRequest, client_id: str) -> HttpResponse:
    """Delete the client. A client that is deleted already is a 404 page."""
    ClientMutations.use_delete_client_mutation(request).mutate(params={"id": client_id}).unwrap()
    messages.success(request, _("The client was deleted."))
    return see_other("clients")
