"""Writes that the backend does not have: nothing is said to be deleted that is there, and nothing typed is lost."""

from typing import Any

import pytest
from django.urls import URLPattern

from portal.testing import Backend
from portal_pages import RowAction
from tests.portal_pages import customers
from tests.portal_pages.site import FORM, HERE, NEW, PAGE, ROW, Site
from tests.support.offers import offered

TYPED = {"name": "Ada Lovelace", "plan": "payg"}
NOT_ALLOWED = "Your account lacks the permission for this. Ask your administrator if you need it."
#: Each write: its address here, what is called, and what is said where the backend does not have it.
WRITES: dict[str, Any] = {
    "edit": (FORM, ("PATCH", ROW), "This can’t be changed"),
    "new": (NEW, ("POST", customers.CUSTOMERS), "Nothing can be added here"),
    "meter": (f"{HERE}/meter", ("PATCH", ROW), "This can’t be changed"),
    "delete": (f"{HERE}/delete", ("DELETE", ROW), "This can’t be deleted"),
}
NOT_OFFERED = "{}: the service does not offer it."
#: With a button that changes the plan.
METER = RowAction(
    name="meter", label="Pay as you go", message="Done.", values=customers.Customer.partial(plan=customers.Plan.PAYG)
)


@pytest.fixture
def pages(backend: Backend) -> list[URLPattern]:
    backend.lists(customers.CUSTOMERS, [])
    backend.answers("GET", ROW, json={"id": "c1", "name": "Ada", "plan": "flat", "version": 1})
    return customers.customer_pages(
        detail=customers.acting(METER), create=customers.CREATE, edit=customers.EDIT, delete=customers.DELETE
    )


@pytest.mark.parametrize(("end", "status"), [("edit", 405), ("edit", 501), ("new", 405), ("new", 501)])
def test_form_without_an_endpoint_says_so_and_keeps_what_was_typed(site: Site, end: str, status: int) -> None:
    address, call, says = WRITES[end]
    sent = site.get(address).fields | TYPED
    site.backend.refuses(*call, status=status)
    refused = site.post(address, sent)
    assert refused.status == 422
    for text in (NOT_OFFERED.format(says), "Ada Lovelace", f'href="{HERE if end == "edit" else PAGE}"'):
        assert text in refused.text
    assert "deleted" not in refused.text
    # One answer takes the form from nobody.
    assert site.get(address).status == 200


@pytest.mark.parametrize("detail", ["No tariff of this number.", ""])
@pytest.mark.parametrize("end", ["edit", "new"])
def test_404_is_the_error_of_its_form(site: Site, end: str, detail: str) -> None:
    address, call, _ = WRITES[end]
    sent = site.get(address).fields | TYPED
    site.backend.refuses(*call, status=404, detail=detail)
    refused = site.post(address, sent)
    assert (refused.status, refused.fields["name"]) == (422, "Ada Lovelace")
    assert (detail or "The service does not accept this.") in refused.text
    assert site.get(address).status == 200


@pytest.mark.parametrize("end", ["edit", "delete"])
def test_write_that_is_not_offered_has_no_button(site: Site, end: str) -> None:
    assert f"/c1/{end}" in site.get().html
    with offered("energy.get_customer"):
        assert f"/c1/{end}" not in site.get().html


@pytest.mark.parametrize(("status", "shows"), [(404, "was deleted meanwhile"), (503, 'value="Ada Lovelace"')])
def test_row_is_deleted_once_a_get_has_said_so(site: Site, status: int, shows: str) -> None:
    shown = site.get(FORM)
    site.backend.refuses("PATCH", ROW, status=404)
    site.backend.refuses("GET", ROW, status=status)
    page = site.send(shown, **TYPED)
    assert (page.status, shows in page.html, "deleted" in page.text) == (status, True, status == 404)


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("end", ["meter", "delete"])
def test_button_without_an_endpoint_says_so_and_stays(site: Site, end: str, status: int) -> None:
    address, call, says = WRITES[end]
    assert f"/c1/{end}" in site.get().html
    site.backend.refuses(*call, status=status)
    pressed = site.post(address)
    assert (pressed.status, pressed.location, pressed.said) == (303, HERE, [NOT_OFFERED.format(says)])
    assert f"/c1/{end}" in site.get().html


def test_what_this_user_may_not_send_says_so_and_keeps_what_was_typed(site: Site) -> None:
    for end in ("edit", "new"):
        address, call, _ = WRITES[end]
        sent = site.get(address).fields | TYPED
        site.backend.refuses(*call, status=403)
        refused = site.post(address, sent)
        assert (refused.status, NOT_ALLOWED in refused.text, refused.fields["name"]) == (422, True, "Ada Lovelace")
    pressed = site.post(f"{HERE}/meter", site.get().forms[f"{HERE}/meter"])
    assert (pressed.status, pressed.location, pressed.said) == (303, HERE, [NOT_ALLOWED])
