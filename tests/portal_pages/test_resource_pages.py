"""The pages of one resource, from their declarations; any of them may be a function instead."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client as Browser
from django.urls import reverse
from django.utils import translation

from portal.testing import Backend, SignedIn, row_ids
from portal_pages import (
    EditView,
    ListView,
    resource_pages,
)
from tests.portal_pages.customers import (
    ALL_PAGES,
    CREATE,
    CUSTOMERS,
    DELETE,
    DETAIL,
    EDIT,
    LIST,
    CustomerForm,
    CustomerMutations,
    CustomerQueries,
    customer_pages,
    served,
)


@pytest.fixture
def browser(signed_in: SignedIn) -> Any:
    with served(*ALL_PAGES):
        yield signed_in("ENERGY_APP")


ADA = {"id": "c1", "name": "Ada", "plan": "flat"}


def test_a_resource_has_the_usual_paths_and_names_and_no_url_of_a_page_that_is_not_given() -> None:
    def paths(**pages: Any) -> dict[str | None, str]:
        made = resource_pages("energy/tariff-plans", name="tariff-plan", title="Plans", **pages)
        return {page.name: str(page.pattern) for page in made}

    listed = {"tariff-plans": "energy/tariff-plans", "tariff-plans-export": "energy/tariff-plans/export"}
    assert paths(list=LIST) == listed
    assert paths(list=LIST, detail=DETAIL, create=CREATE, edit=EDIT, delete=DELETE) == listed | {
        "tariff-plan-new": "energy/tariff-plans/new",
        "tariff-plan": "energy/tariff-plans/<str:row_id>",
        "tariff-plan-edit": "energy/tariff-plans/<str:row_id>/edit",
        "tariff-plan-delete": "energy/tariff-plans/<str:row_id>/delete",
    }
    without_columns = ListView(hook=CustomerQueries.use_get_customers_query)
    assert list(paths(list=without_columns)) == ["tariff-plans"]


def test_a_view_is_named_after_its_class_and_its_call() -> None:
    """`explain_route` prints this name."""
    page, export = resource_pages("energy/clients", name="client", title="Clients", list=LIST)
    assert page.callback.__qualname__ == "ListView(energy.get_customers)"
    assert export.callback.__qualname__ == "ExportView(energy.get_customers)"


def test_texts_that_an_app_does_not_give_are_the_portals_in_each_language(backend: Backend, browser: Browser) -> None:
    backend.lists(CUSTOMERS, [ADA])
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA)
    assert ">Neuer Eintrag</a>" in browser.get("/de/energy/clients").content.decode()
    new = browser.get("/de/energy/clients/new").content.decode()
    assert "<h1>Neuer Eintrag</h1>" in new
    assert ">Anlegen</button>" in new
    detail = browser.get("/de/energy/clients/c1").content.decode()
    assert "Ada löschen?" in detail
    assert "Das lässt sich nicht rückgängig machen." in detail
    assert "<h1>Ada bearbeiten</h1>" in browser.get("/de/energy/clients/c1/edit").content.decode()


@pytest.mark.parametrize(
    ("path", "method", "allowed"),
    [
        ("", "post", "GET, HEAD"),
        ("/c1", "post", "GET, HEAD"),
        ("/new", "delete", "GET, HEAD, POST"),
        ("/c1/edit", "put", "GET, HEAD, POST"),
        ("/c1/delete", "get", "POST"),
    ],
)
def test_any_other_method_is_a_405_page(browser: Browser, path: str, method: str, allowed: str) -> None:
    response = getattr(browser, method)(f"/en/energy/clients{path}")
    assert (response.status_code, response["Allow"]) == (405, allowed)
    assert 'data-status="405"' in response.content.decode()


def test_a_created_row_is_named_and_stands_in_the_list(backend: Backend, browser: Browser) -> None:
    backend.lists(CUSTOMERS, [ADA])
    browser.get("/en/energy/clients")
    backend.answers("POST", CUSTOMERS, json={"id": "c2", "name": "<Ida>", "plan": "payg"}, status=201)
    response = browser.post("/en/energy/clients/new", {"name": "Ida", "plan": "payg"})
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients")
    [call] = backend.calls_to(CUSTOMERS, method="POST")
    assert call.body == {"name": "Ida", "plan": "payg"}
    page = browser.get("/en/energy/clients")
    assert "&lt;Ida&gt; was created." in page.content.decode()
    assert row_ids(page) == ["c2", "c1"]


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ({"id": "c2", "name": "Ida Rhodes"}, "Ida Rhodes"),
        ({"id": "c2"}, "Ida"),
        ({}, "Ida"),
        (None, "Ida"),
        (["c2"], "Ida"),
    ],
)
def test_a_created_row_is_called_as_it_was_typed_if_the_response_has_no_name(
    backend: Backend, browser: Browser, answer: Any, name: str
) -> None:
    backend.lists(CUSTOMERS, [])
    backend.answers("POST", CUSTOMERS, json=answer, status=201)
    assert browser.post("/en/energy/clients/new", {"name": "Ida", "plan": "payg"}).status_code == 303
    assert f">{name} was created." in browser.get("/en/energy/clients").content.decode()


def test_a_deleted_row_is_gone_and_the_list_says_so(backend: Backend, browser: Browser) -> None:
    backend.lists(CUSTOMERS, [ADA])
    browser.get("/en/energy/clients")
    backend.answers("DELETE", f"{CUSTOMERS}/c1", status=204)
    assert browser.post("/en/energy/clients/c1/delete")["Location"] == "/en/energy/clients"
    page = browser.get("/en/energy/clients")
    assert "The entry was deleted." in page.content.decode()
    assert row_ids(page) == []


@pytest.mark.parametrize(("status", "shown"), [(409, 409), (412, 409), (422, 422)])
def test_a_delete_that_the_backend_refuses_says_why_in_its_words(
    backend: Backend, browser: Browser, status: int, shown: int
) -> None:
    problem = {"title": "Conflict", "detail": "Ada has <3> open invoices."}
    backend.answers("DELETE", f"{CUSTOMERS}/c1", json=problem, status=status)
    page = browser.post("/en/energy/clients/c1/delete")
    assert page.status_code == shown
    assert "<li>Ada has &lt;3&gt; open invoices.</li>" in page.content.decode()


def test_a_row_that_is_not_there_leads_back_to_the_list(backend: Backend, browser: Browser) -> None:
    backend.lists(CUSTOMERS, [])
    backend.refuses("DELETE", f"{CUSTOMERS}/c1", status=404)
    for response in (
        browser.get("/en/energy/clients/c1"),
        browser.get("/en/energy/clients/c1/edit"),
        browser.post("/en/energy/clients/c1/delete"),
    ):
        assert response.status_code == 404
        assert 'href="/en/energy/clients"' in response.content.decode()


def selected(page: str) -> list[str]:
    return re.findall(r'<option value="([^"]*)" selected>', page)


def test_a_value_of_a_newer_backend_stays_when_another_field_is_edited(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA | {"plan": "gold"})
    assert selected(browser.get("/en/energy/clients/c1/edit").content.decode()) == ["gold"]
    backend.answers("PATCH", f"{CUSTOMERS}/c1", json=ADA | {"plan": "gold"})
    response = browser.post("/en/energy/clients/c1/edit", {"name": "Ida", "plan": "gold"})
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients/c1")
    assert [call.body for call in backend.calls_to(f"{CUSTOMERS}/c1", method="PATCH")] == [
        {"name": "Ida", "plan": "gold"}
    ]


def inputs(page: str) -> dict[str, str]:
    """What a browser sends of the form on a page, if nobody changes it."""
    form = page[page.index('<form class="card-body form"') :]
    sent = dict(re.findall(r'<input type="(?:text|hidden)" name="([^"]*)"(?: value="([^"]*)")?', form))
    chosen = re.findall(r'<select name="([^"]*)".*?<option value="([^"]*)" selected>', form, re.DOTALL)
    return sent | dict(chosen)


def test_an_edit_sends_what_was_changed_alone(backend: Backend, browser: Browser) -> None:
    """Another field may have changed since the row was fetched, and a value that no row can hold is not shown."""
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA | {"name": {"odd": "Ada"}, "plan": "flat"})
    sent = inputs(browser.get("/en/energy/clients/c1/edit").content.decode())
    assert (sent["name"], sent["plan"]) == ("", "flat")
    backend.answers("PATCH", f"{CUSTOMERS}/c1", json=ADA)
    assert browser.post("/en/energy/clients/c1/edit", {**sent, "plan": "payg", "name": "Ada"}).status_code == 303
    assert browser.post("/en/energy/clients/c1/edit", {**sent, "initial-name": "Ada", "name": "Ida"}).status_code == 303
    bodies = [call.body for call in backend.calls_to(f"{CUSTOMERS}/c1", method="PATCH")]
    assert bodies == [{"name": "Ada", "plan": "payg"}, {"name": "Ida"}]


def test_an_edit_of_nothing_asks_for_no_change(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA)
    sent = inputs(browser.get("/en/energy/clients/c1/edit").content.decode())
    response = browser.post("/en/energy/clients/c1/edit", sent)
    assert (response.status_code, response["Location"]) == (303, "/en/energy/clients/c1")
    assert backend.calls_to(f"{CUSTOMERS}/c1", method="PATCH") == []


def test_an_edit_that_is_shown_again_still_knows_what_it_showed_at_first(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA)
    sent = inputs(browser.get("/en/energy/clients/c1/edit").content.decode())
    backend.refuses("PATCH", f"{CUSTOMERS}/c1", errors={"plan": ["Not now."]})
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA | {"name": "Grace"})
    for changes in ({"name": ""}, {"name": "Ida"}, {}):
        page = browser.post("/en/energy/clients/c1/edit", sent | {"plan": "payg"} | changes)
        assert page.status_code == 422
        sent = inputs(page.content.decode())
        assert (sent["initial-name"], sent["initial-plan"]) == ("Ada", "flat")
    backend.answers("PATCH", f"{CUSTOMERS}/c1", json=ADA)
    assert browser.post("/en/energy/clients/c1/edit", sent).status_code == 303
    assert backend.calls_to(f"{CUSTOMERS}/c1", method="PATCH")[-1].body == {"name": "Ida", "plan": "payg"}


def test_a_form_without_the_first_values_sends_all_of_its_fields(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA)
    page = browser.post("/en/energy/clients/c1/edit", {"name": "", "plan": "flat"})
    assert page.status_code == 422
    assert not [name for name in inputs(page.content.decode()) if name.startswith("initial-")]
    backend.answers("PATCH", f"{CUSTOMERS}/c1", json=ADA)
    browser.post("/en/energy/clients/c1/edit", {"name": "Ada", "plan": "flat"})
    assert backend.calls_to(f"{CUSTOMERS}/c1", method="PATCH")[-1].body == {"name": "Ada", "plan": "flat"}


def test_a_put_sends_all_fields_of_the_form(backend: Backend, signed_in: SignedIn) -> None:
    put = EditView(
        query=CustomerQueries.use_get_customer_query,
        mutation=CustomerMutations.use_replace_customer_mutation,
        form=CustomerForm,
    )
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA)
    backend.answers("PUT", f"{CUSTOMERS}/c1", json=ADA)
    with served(*customer_pages(edit=put)):
        browser = signed_in("ENERGY_APP")
        sent = inputs(browser.get("/en/energy/clients/c1/edit").content.decode())
        assert browser.post("/en/energy/clients/c1/edit", sent | {"name": "Ida"}).status_code == 303
    assert [call.body for call in backend.calls_to(f"{CUSTOMERS}/c1", method="PUT")] == [
        {"name": "Ida", "plan": "flat"}
    ]


def test_a_value_that_neither_the_form_nor_the_row_has_is_refused(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{CUSTOMERS}/c1", json=ADA)
    response = browser.post("/en/energy/clients/c1/edit", {"name": "Ida", "plan": "gold"})
    assert response.status_code == 422
    assert 'id="id_plan_error"' in response.content.decode()
    assert backend.calls_to(f"{CUSTOMERS}/c1", method="PATCH") == []


def test_a_row_that_stands_in_for_its_detail_is_shown_and_not_edited(backend: Backend, browser: Browser) -> None:
    # Fields that only the detail has would be sent as empty.
    backend.lists(CUSTOMERS, [ADA])
    browser.get("/en/energy/clients")
    backend.fails("refused", path=f"{CUSTOMERS}/c1")
    assert "Ada" in browser.get("/en/energy/clients/c1").content.decode()
    assert browser.get("/en/energy/clients/c1/edit").status_code == 503


def test_a_page_may_be_a_function(signed_in: SignedIn) -> None:
    def detail(request: HttpRequest, row_id: str) -> HttpResponse:
        del request
        return HttpResponse(f"the row {row_id}")

    pages = customer_pages(detail=detail, edit=EDIT)
    page = next(page for page in pages if page.name == "client")
    with served(*pages):
        response = signed_in("ENERGY_APP").get("/en/energy/clients/c1")
        with translation.override("en"):
            assert reverse("client-edit", args=["c1"]) == "/en/energy/clients/c1/edit"
    assert response.content == b"the row c1"
    assert response["Cache-Control"] == "private, no-store"
    assert page.callback.__name__ == "detail"


def test_buttons_that_lead_to_functions_have_the_portals_words(backend: Backend, signed_in: SignedIn) -> None:
    def any_page(request: HttpRequest, row_id: str = "") -> HttpResponse:
        return HttpResponse(f"{request.method} {row_id}")

    backend.lists(CUSTOMERS, [ADA])
    with served(*customer_pages(create=any_page, delete=any_page)):
        browser = signed_in("ENERGY_APP")
        assert "New entry</a>" in browser.get("/en/energy/clients").content.decode()
        assert ">Delete</button>" in browser.get("/en/energy/clients/c1").content.decode()
