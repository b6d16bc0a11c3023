"""A page that can't work is told where it is declared, or when the URLs are made."""

from functools import partial
from typing import Any

import pytest
from django import forms
from django.urls import URLPattern
from django.utils.translation import gettext_lazy

from portal.errors import UsageError
from portal.query import Row
from portal.services.energy.meters import MeterQueries
from portal_pages import (
    BackendForm,
    Column,
    CreateView,
    DeleteView,
    DetailView,
    EditView,
    ListView,
    QuickView,
    Related,
    RowAction,
    platform_page,
    resource_pages,
)
from portal_pages.urls import platform_patterns
from tests.portal_pages.customers import (
    CREATE,
    DELETE,
    DETAIL,
    EDIT,
    LIST,
    Customer,
    CustomerForm,
    CustomerMutations,
    CustomerQueries,
    blank,
)


class Note(Row):
    text: str = ""


class NoteForm(BackendForm[Note]):
    class Meta:
        fields = {"text": "Text"}


ROWS, ONE = CustomerQueries.use_get_customers_query, CustomerQueries.use_get_customer_query
CREATES = CustomerMutations.use_create_customer_mutation
UPDATES, DELETES = CustomerMutations.use_update_customer_mutation, CustomerMutations.use_delete_customer_mutation
METERS = MeterQueries.use_get_meters_query
create = partial(CreateView, mutation=CREATES, form=CustomerForm)
edit = partial(EditView, query=ONE, mutation=UPDATES)
related = partial(Related, title="", hook=METERS, by="station_id", page="x")
action = partial(RowAction, name="go", label="", message="", values=Customer.partial(city="Rome"))
detail = partial(DetailView, hook=ONE, mutation=UPDATES)
GO = action()


@pytest.mark.parametrize(
    ("declare", "given", "words"),
    [
        (ListView, {"hook": ONE}, "ListView: hook should be the hook of a list, not the hook of one row .*query"),
        (DetailView, {"hook": ROWS}, "DetailView: hook should be the hook of one row, not the hook of a list .*query"),
        (ListView, {"hook": ROWS, "sorts": {}}, "ListView: sorts should have one order at least"),
        (ListView, {"hook": METERS, "columns": {"serial": Column("", sort="x")}}, "'-x' is no sort order of .*serial"),
        (ListView, {"hook": ROWS, "columns": {"name": Column("", format="mony")}}, "has no format 'mony'; .*ago"),
        (ListView, {"hook": ROWS, "views": (QuickView("", {"town": "Ulm"}),)}, "views: the list has no parameter town"),
        (DetailView, {"hook": ONE, "facts": {"prize": Column("")}}, "'prize' is no attribute of Customer"),
        (create, {"mutation": UPDATES}, r"CreateView: .*\(body=…, params=…\), and this page calls mutate\(body=…\)"),
        (create, {"form": NoteForm}, "CreateView: the form is one of Note, which .*mutation does not take"),
        (create, {"message": gettext_lazy("%(title)s.")}, r"message has no value %\(title\)s: the row is %\(name\)s"),
        (DeleteView, {"mutation": DELETES, "restore": ONE}, "restore should be the hook of a mutation"),
        (DetailView, {"hook": ONE, "note": DELETES}, "a note stands in the history: give activity=… too"),
        (create, {"unique": ("colour",)}, "unique names 'colour', which is no field of the form"),
        (create, {"form": forms.Form}, "CreateView: form should be a BackendForm of the row, not <class 'django.forms"),
        (related, {"by": "colour"}, "has no parameter 'colour'; it has"),
        (related, {"page": "/nowhere/meters"}, "/nowhere/meters is no path of a platform"),
        (related, {"page": "/finance/meters"}, "give the template of its rows"),
        (action, {"name": "undo"}, "is no name of an action"),
        (action, {"values": None}, "give it values, a form or a mutation"),
        (action, {"form": CustomerForm}, "give it values, a form or a mutation"),
        (detail, {"mutation": None, "actions": (GO,)}, "give it actions and the mutation"),
        (detail, {"actions": (GO, GO)}, "two actions have one name"),
    ],
)
def test_what_can_t_work_is_told_when_it_is_declared(declare: Any, given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        declare(**given)


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ({"detail": DETAIL, "delete": DELETE}, "energy/clients: DeleteView leads to the page 'list', which is not giv"),
        ({"list": LIST, "edit": EDIT}, "energy/clients: EditView leads to the page 'detail', which is not given"),
        ({"list": LIST, "context": {"row": 1}}, "energy/clients: the views give row to the templates"),
        ({"list": LIST, "detail": DETAIL, "edit": CREATE}, r"edit should be EditView\(…\) or a func.*, not CreateView"),
        ({"list": ListView}, r"list should be ListView\(…\) or a function, not the class ListView"),
        ({"list": LIST, "path": "energy/clients/"}, "neither begins nor ends with a slash"),
    ],
)
def test_what_is_no_page_or_leads_to_none_is_told_when_the_urls_are_made(pages: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        resource_pages(**{"path": "energy/clients", "name": "client", "title": "Clients", **pages})


def test_two_pages_of_one_route_or_of_one_name_are_told_when_the_urls_are_made() -> None:
    """Of two namesakes, all links would lead to one."""
    home = platform_page("energy", blank, name="home")

    def pages(path: str, name: str) -> list[URLPattern]:
        return resource_pages(path, name=name, title="Notes", list=LIST, detail=DETAIL)

    with pytest.raises(UsageError, match="two pages have the name 'notes': energy/a/notes and energy/b/notes"):
        platform_patterns(pages=[home, *pages("energy/a/notes", "a-note"), *pages("energy/b/notes", "b-note")])
    with pytest.raises(UsageError, match="two pages have the route energy/notes: notes and notes"):
        platform_patterns(pages=[home, *pages("energy/notes", "note"), *pages("energy/notes", "letter")])
    assert platform_patterns(pages=[home, *pages("energy/sheep", "sheep")])
