"""Clients: list, create, show, edit, delete."""

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.energy.views.elsewhere import invoices
from apps.energy.views.sessions import sessions_of
from portal.config.contract_names import SORT_BY_NAME, SORT_NEWEST_FIRST
from portal.services.energy.clients import Client, ClientMutations, ClientQueries
from portal_pages import (
    AGE_SORTS,
    NAME_SORTS,
    BackendForm,
    Column,
    CreateView,
    DateRange,
    DeleteView,
    DetailView,
    EditView,
    Filter,
    ListView,
    resource_pages,
    telephone,
)


class ClientForm(BackendForm[Client]):
    """Create and edit a client. It checks what the backend checks."""

    email = forms.EmailField(max_length=254, error_messages={"required": _("Enter an email address.")})
    phone = forms.CharField(
        max_length=40,
        required=False,
        validators=[telephone],
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "tel"}),
    )

    class Meta:
        fields = {"name": _("Name"), "email": _("Email"), "phone": _("Phone"), "city": _("City")}
        optional = ("city",)
        max_lengths = {"name": 200, "city": 100}
        error_messages = {"name": {"required": _("Enter the client’s name.")}}


client_pages = resource_pages(
    "energy/clients",
    name="client",
    title=_("Clients"),
    list=ListView(
        hook=ClientQueries.use_get_clients_query,
        columns={
            "name": Column(_("Name"), sort=SORT_BY_NAME),
            "email": Column(_("Email"), sort="email", kind="wide"),
            "phone": Column(_("Phone"), kind="nowrap"),
            "city": Column(_("City"), sort="city"),
            "created_at": Column(_("Client since"), sort=SORT_NEWEST_FIRST),
        },
        counts=ClientQueries.use_get_clients_counts_query,
        filters=(Filter("city", _("City")),),
        ranges=(DateRange("createdAt", _("Client since")),),
        search_hint=_("Name, email, phone or city"),
        sorts=AGE_SORTS | NAME_SORTS,
    ),
    create=CreateView(
        mutation=ClientMutations.use_create_client_mutation,
        form=ClientForm,
        unique=("email",),
        title=_("New client"),
        submit_label=_("Create client"),
    ),
    detail=DetailView(
        hook=ClientQueries.use_get_client_query,
        activity=ClientQueries.use_get_client_activity_query,
        note=ClientMutations.use_note_client_mutation,
        related=(
            sessions_of("client_id"),
            invoices,
        ),
    ),
    edit=EditView(
        query=ClientQueries.use_get_client_query,
        mutation=ClientMutations.use_update_client_mutation,
        form=ClientForm,
    ),
    delete=DeleteView(
        mutation=ClientMutations.use_delete_client_mutation,
        restore=ClientMutations.use_restore_client_mutation,
        text=_("The client disappears from every list. Charging sessions and invoices stay."),
        label=_("Delete client"),
    ),
    key="c",
)
