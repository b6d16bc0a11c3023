"""The pages of one resource, from their declarations; any of them may be a function instead."""

from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation

from portal.testing import row_ids
from portal_pages import ListView, resource_pages
from tests.portal_pages import customers
from tests.portal_pages.site import FORM, HERE, NEW, PAGE, ROW, Site
from tests.support.offers import offered

ADA = {"id": "c1", "name": "Ada", "plan": "flat"}


def test_a_resource_has_the_usual_paths_and_names_and_no_url_of_a_page_that_is_not_given() -> None:
    def paths(**pages: Any) -> dict[str | None, str]:
        made = resource_pages("energy/tariff-plans", name="tariff-plan", title="Plans", **pages)
        return {page.name: str(page.pattern) for page in made}

    listed = {"tariff-plans": "energy/tariff-plans", "tariff-plans-export": "energy/tariff-plans/export"}
    assert paths(list=customers.LIST) == listed
    assert paths(
        list=customers.LIST,
        detail=customers.DETAIL,
        create=customers.CREATE,
        edit=customers.EDIT,
        delete=customers.DELETE,
    ) == listed | {
        "tariff-plan-new": "energy/tariff-plans/new",
        "tariff-plan": "energy/tariff-plans/<row:row_id>",
        "tariff-plan-edit": "energy/tariff-plans/<row:row_id>/edit",
        "tariff-plan-delete": "energy/tariff-plans/<row:row_id>/delete",
        "tariff-plan-undo": "energy/tariff-plans/<row:row_id>/undo",
    }
    without_columns = ListView(hook=customers.CustomerQueries.use_get_customers_query)
    assert list(paths(list=without_columns)) == ["tariff-plans"]


@pytest.mark.parametrize(
    ("path", "method", "allowed"),
    [
        ("", "put", "GET, HEAD, POST"),
        ("/c1", "post", "GET, HEAD"),
        ("/c1/edit", "put", "GET, HEAD, POST"),
        ("/c1/delete", "get", "POST"),
    ],
)
def test_any_other_method_is_a_405_page(site: Site, path: str, method: str, allowed: str) -> None:
    response = getattr(site.browser, method)(f"{PAGE}{path}")
    assert (response.status_code, response["Allow"]) == (405, allowed)
    assert 'data-status="405"' in response.content.decode()


def test_a_created_row_is_named_and_stands_in_the_list_until_it_is_deleted(site: Site) -> None:
    site.backend.lists(customers.CUSTOMERS, [ADA])
    site.get(PAGE)
    site.backend.answers("POST", customers.CUSTOMERS, json={"id": "c2", "name": "<Ida>", "plan": "payg"}, status=201)
    created = site.post(NEW, {"name": "Ida", "plan": "payg"})
    assert (created.status, created.location) == (303, f"{PAGE}/c2")
    assert site.bodies(customers.CUSTOMERS, "POST") == [{"name": "Ida", "plan": "payg"}]
    assert "&lt;Ida&gt; was created." in site.get(f"{PAGE}/c2").html
    page = site.get(PAGE)
    assert row_ids(page.response) == ["c2", "c1"]
    site.backend.answers("DELETE", ROW, status=204)
    assert site.post(f"{HERE}/delete", {"rowName": "Ada"}).location == PAGE
    page = site.get(PAGE)
    assert ("“Ada” was deleted." in page.text, row_ids(page.response)) == (True, ["c2"])
    # A response without a name: the row is called as it was typed.
    site.backend.answers("POST", customers.CUSTOMERS, json={"id": "c3"}, status=201)
    site.post(NEW, {"name": "Eve", "plan": "payg"})
    assert "Eve was created." in site.get(PAGE).text


@pytest.mark.parametrize(("status", "shown"), [(409, 409), (412, 409), (422, 422)])
def test_refused_delete_says_why(site: Site, status: int, shown: int) -> None:
    site.backend.refuses("DELETE", ROW, status=status, detail="Ada has <3> open invoices.")
    page = site.post(f"{HERE}/delete")
    assert (page.status, "<li>Ada has &lt;3&gt; open invoices.</li>" in page.html) == (shown, True)


@pytest.mark.parametrize(
    ("row", "typed", "body"),
    [
        # A value of a newer backend stays, and one that no row can hold is not shown.
        (ADA | {"plan": "gold"}, {"name": "Ida"}, {"name": "Ida"}),
        (ADA | {"name": {"odd": "Ada"}}, {"name": "Ada", "plan": "payg"}, {"name": "Ada", "plan": "payg"}),
        # The backend judges what nobody has touched.
        (ADA | {"name": "A\x00da"}, {"plan": "payg"}, {"plan": "payg"}),
        (ADA | {"name": ""}, {"plan": "payg"}, {"plan": "payg"}),
        (ADA, {}, None),
    ],
    ids=["an unknown plan", "an odd name", "an old NUL", "no name", "nothing"],
)
def test_an_edit_sends_what_was_changed_alone(site: Site, row: dict[str, Any], typed: Any, body: Any) -> None:
    """Another field may have changed since the row was fetched."""
    site.backend.answers("GET", ROW, json=row)
    shown = site.get(FORM)
    # A page has another character in place of NUL.
    name = row["name"].replace("\x00", "\ufffd") if isinstance(row["name"], str) else ""
    assert (shown.fields["name"], shown.fields["plan"]) == (name, row["plan"])
    site.backend.answers("PATCH", ROW, json=ADA)
    page = site.send(shown, **typed)
    assert (page.status, page.location) == (303, HERE)
    assert site.bodies() == [body] * (body is not None)


def test_an_edit_that_is_shown_again_still_knows_what_it_showed_at_first(site: Site) -> None:
    site.backend.answers("GET", ROW, json=ADA)
    page = site.get(FORM)
    site.backend.refuses("PATCH", ROW, errors={"plan": ["Not now."]})
    site.backend.answers("GET", ROW, json=ADA | {"name": "Grace"})
    for changes in ({"name": ""}, {"name": "Ida"}, {}):
        page = site.send(page, **{"plan": "payg", **changes})
        assert (page.status, page.fields["initial-name"], page.fields["initial-plan"]) == (422, "Ada", "flat")
    site.backend.answers("PATCH", ROW, json=ADA)
    assert site.send(page).status == 303
    assert site.bodies()[-1] == {"name": "Ida", "plan": "payg"}


def test_a_form_without_the_first_values_sends_all_of_its_fields(site: Site) -> None:
    site.backend.answers("GET", ROW, json=ADA)
    # A value that neither the form nor the row has is refused.
    refused = site.post(FORM, {"name": "Ida", "plan": "gold"})
    assert (refused.status, 'id="id_plan_error"' in refused.html, site.bodies()) == (422, True, [])
    site.backend.answers("PATCH", ROW, json=ADA)
    site.post(FORM, {"name": "Ada", "plan": "flat"})
    assert site.bodies() == [{"name": "Ada", "plan": "flat"}]


@pytest.mark.parametrize("rows", [[ADA], []])
def test_list_that_ends_without_a_cursor_says_so(site: Site, rows: list[Any]) -> None:
    site.backend.answers("GET", customers.CUSTOMERS, json={"items": rows, "hasNext": True, "nextCursor": None})
    page = site.get(PAGE)
    assert "There are more entries. The service does not say how to get them." in page.text
    assert (row_ids(page.response), "Nothing here yet" in page.text) == ([row["id"] for row in rows], False)


def test_a_row_that_stands_in_for_its_detail_is_shown_and_not_edited(site: Site) -> None:
    # Fields that only the detail has would be sent as empty.
    site.backend.lists(customers.CUSTOMERS, [ADA])
    site.get(PAGE)
    site.backend.fails("refused", path=ROW)
    assert "Ada" in site.get().text
    assert site.get(FORM).status == 503


def test_a_page_may_be_a_function_and_the_buttons_that_lead_to_it_have_the_portals_words(site: Site) -> None:
    def detail(request: HttpRequest, row_id: str = "") -> HttpResponse:
        return HttpResponse(f"{request.method}: the row {row_id}")

    site.backend.lists(customers.CUSTOMERS, [ADA])
    pages = customers.customer_pages(detail=detail, edit=customers.EDIT)
    with customers.served(*pages):
        page = site.get()
        with translation.override("en"):
            assert reverse("client-edit", args=["c1"]) == FORM
    assert (page.html, page.response["Cache-Control"]) == ("GET: the row c1", "private, no-store")
    assert next(page for page in pages if page.name == "client").callback.__name__ == "detail"
    with customers.served(*customers.customer_pages(create=detail, delete=detail)):
        assert "<span>New entry</span></a>" in site.get(PAGE).html
        assert ">Delete</button>" in site.get().html


@pytest.mark.parametrize("path", [PAGE, HERE, NEW])
def test_page_of_an_absent_call_is_404(site: Site, path: str) -> None:
    site.backend.lists(customers.CUSTOMERS, [ADA])
    assert site.get(path).status == 200
    with offered("required"):
        assert site.get(path).status == 404
