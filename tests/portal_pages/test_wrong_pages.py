"""A page that can't work is told where it is declared, or when the URLs are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django import forms
from django.urls import URLPattern
from django.utils.translation import gettext_lazy

from portal.errors import UsageError
from portal.query import Row
from portal_pages import (
    BackendForm,
    CreateView,
    DeleteView,
    DetailView,
    EditView,
    ListView,
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
    CustomerForm,
    CustomerMutations,
    CustomerQueries,
    blank,
)


class Note(Row):
    text: str = ""


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        (
            {"detail": DETAIL, "delete": DELETE},
            "energy/clients: DeleteView leads to the page 'list', which is not given",
        ),
        ({"create": CREATE}, "energy/clients: CreateView leads to the page 'list', which is not given"),
        ({"list": LIST, "edit": EDIT}, "energy/clients: EditView leads to the page 'detail', which is not given"),
        ({"list": LIST, "context": {"row": 1}}, "energy/clients: the views give row to the templates"),
    ],
)
def test_what_can_t_work_is_told_when_the_urls_are_made(pages: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        resource_pages("energy/clients", name="client", title="Clients", **pages)


class NoteForm(BackendForm[Note]):
    class Meta:
        fields = {"text": "Text"}


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        (
            lambda: ListView(hook=CustomerQueries.use_get_customer_query),
            "ListView: hook should be the hook of a list, not the hook of one row .*CustomerQueries.use_get_customer_query",
        ),
        (
            lambda: DetailView(hook=CustomerQueries.use_get_customers_query),
            "DetailView: hook should be the hook of one row, not the hook of a list .*CustomerQueries.use_get_customers_query",
        ),
        (
            lambda: ListView(hook=CustomerMutations.use_create_customer_mutation),
            "ListView: hook should be the hook of a list, not the hook of a mutation .*use_create_customer_mutation",
        ),
        (lambda: DetailView(hook=None), "DetailView: hook should be the hook of one row, not None"),
        (
            lambda: ListView(hook=CustomerQueries.use_get_customers_query, sorts={}),
            "ListView: sorts should have one order at least",
        ),
        (
            lambda: CreateView(mutation=CustomerMutations.use_update_customer_mutation, form=CustomerForm),
            r"CreateView: .* takes mutate\(body=…, params=…\), and this page calls mutate\(body=…\)",
        ),
        (
            lambda: DeleteView(mutation=CustomerMutations.use_update_customer_mutation),
            r"DeleteView: .* and this page calls mutate\(params=…\)",
        ),
        (
            lambda: CreateView(mutation=CustomerMutations.use_create_customer_mutation, form=NoteForm),
            "CreateView: the form is one of Note, which .*use_create_customer_mutation does not take",
        ),
        (
            lambda: CreateView(
                mutation=CustomerMutations.use_create_customer_mutation,
                form=CustomerForm,
                message=gettext_lazy("%(title)s is there."),
            ),
            r"CreateView: message has no value %\(title\)s: the row is %\(name\)s",
        ),
        (
            lambda: DeleteView(mutation=CustomerMutations.use_delete_customer_mutation, message="%(name)s is gone."),
            r"DeleteView: message has no value %\(name\)s",
        ),
        (
            lambda: CreateView(mutation=CustomerMutations.use_create_customer_mutation, form=forms.Form),
            "CreateView: form should be a BackendForm of the row, not <class 'django.forms.forms.Form'>",
        ),
        (
            lambda: EditView(
                query=CustomerQueries.use_get_customer_query,
                mutation=CustomerMutations.use_update_customer_mutation,
                form=NoteForm,
            ),
            "EditView: the form is one of Note, which .*use_get_customer_query does not return",
        ),
    ],
)
def test_a_hook_or_form_of_another_kind_is_told_when_the_page_is_declared(
    declare: Callable[[], object], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        declare()


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        (
            {"list": LIST, "detail": DETAIL, "edit": CREATE},
            r"edit should be EditView\(…\) or a function, not CreateView",
        ),
        ({"list": LIST, "detail": LIST}, r"detail should be DetailView\(…\) or a function, not ListView"),
        ({"list": ListView}, r"list should be ListView\(…\) or a function, not the class ListView"),
        ({"list": CustomerQueries.use_get_customers_query}, r"list should be .*, not PaginatedQueryHook"),
        ({"list": LIST, "path": "energy/clients/"}, "neither begins nor ends with a slash"),
        ({"list": LIST, "path": "/energy/clients"}, "neither begins nor ends with a slash"),
    ],
)
def test_what_is_no_page_is_told_when_the_urls_are_made(pages: dict[str, Any], words: str) -> None:
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
