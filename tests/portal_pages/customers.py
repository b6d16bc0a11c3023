"""Customers: a resource of a made-up energy app, whose clients have a plan."""

from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.test import override_settings
from django.urls import URLPattern

from apps.energy import urls as real_urls
from portal.query import MutationGroup, OpenEnum, QueryGroup, resource
from portal.services.energy.clients import Client
from portal_pages import (
    BackendForm,
    Column,
    CreateView,
    DeleteView,
    DetailView,
    EditView,
    ListView,
    RowAction,
    platform_page,
    resource_pages,
)
from portal_pages.urls import platform_patterns

CUSTOMERS = "/energy/customers"


class Plan(OpenEnum):
    FLAT = "flat"
    PAYG = "payg"


class Customer(Client):
    plan: Plan | None = None
    deposit: Decimal | None = None
    place_id: str | None = None


_customers = resource(CUSTOMERS, item=Customer, optional=True)


class CustomerQueries(QueryGroup, domain="energy"):
    use_get_customers_query = _customers.list
    use_get_customer_query = _customers.detail
    use_get_customers_counts_query = _customers.counts
    use_get_customer_activity_query = _customers.activity


class CustomerMutations(MutationGroup, domain="energy"):
    use_create_customer_mutation = _customers.create
    use_update_customer_mutation = _customers.update
    use_replace_customer_mutation = _customers.replace
    use_delete_customer_mutation = _customers.delete
    use_restore_customer_mutation = _customers.restore
    use_note_customer_mutation = _customers.note


class CustomerForm(BackendForm[Customer]):
    class Meta:
        fields = {"name": "Name", "plan": "Plan"}
        choices = {"plan": {Plan.FLAT: "Flat rate", Plan.PAYG: "Pay as you go"}}


class CityForm(BackendForm[Client]):
    class Meta:
        fields = {"city": "City"}


class PhoneForm(BackendForm[Client]):
    class Meta:
        fields = {"phone": "Phone"}
        optional = ("phone",)


#: Those of the template, which is that of clients.
COLUMNS = {
    "name": Column("Name", sort="name"),
    "email": Column("Email"),
    "phone": Column("Phone"),
    "city": Column("City"),
    "created_at": Column("Since"),
}
LIST = ListView(hook=CustomerQueries.use_get_customers_query, columns=COLUMNS)
NAMES = ListView(hook=CustomerQueries.use_get_customers_query, columns={"name": Column("Name")})
DETAIL = DetailView(hook=CustomerQueries.use_get_customer_query)
CREATE = CreateView(mutation=CustomerMutations.use_create_customer_mutation, form=CustomerForm)
EDIT = EditView(
    query=CustomerQueries.use_get_customer_query,
    mutation=CustomerMutations.use_update_customer_mutation,
    form=CustomerForm,
)
DELETE = DeleteView(mutation=CustomerMutations.use_delete_customer_mutation)


def acting(*actions: RowAction[Any], **given: Any) -> DetailView[Customer]:
    """Return the page of a row with these actions."""
    mutation = CustomerMutations.use_update_customer_mutation
    return DetailView(hook=CustomerQueries.use_get_customer_query, mutation=mutation, actions=actions, **given)


def blank(_request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def served(*pages: URLPattern) -> override_settings:
    """The settings in which the app has these pages and an empty home.

    Their paths are those of clients, since templates look addresses up among the URLs of the real app.
    """
    home = platform_page("energy", blank, name="home")
    urls = {"urlpatterns": platform_patterns(pages=[home, *pages]), "handler404": real_urls.handler404}
    return override_settings(ROOT_URLCONF=type("Urls", (), urls))


def customer_pages(**pages: Any) -> list[URLPattern]:
    """The pages of customers: a list, a row, and these."""
    return resource_pages(
        "energy/clients", name="client", title="Customers", **{"list": LIST, "detail": DETAIL, **pages}
    )


ALL_PAGES = customer_pages(create=CREATE, edit=EDIT, delete=DELETE)
