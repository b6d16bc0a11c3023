"""Writes that the backend does not have: nothing is said to be deleted that is there, and nothing typed is lost."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from django.urls import URLPattern

from portal.query import is_absent
from portal.testing import Backend, SignedIn
from portal_pages import RowAction
from tests.portal_pages import customers
from tests.portal_pages.site import FORM, HERE, NEW, PAGE, ROW, Site

TYPED = {"name": "Ada Lovelace", "plan": "payg"}
NOT_ALLOWED = "Your account lacks the permission for this. Ask your administrator if you need it."
#: Each write: its address here, what is called, its key, and what is said where the backend does not have it.
WRITES: dict[str, Any] = {
    "edit": (FORM, ("PATCH", ROW), "energy.update_customer", "This can’t be changed"),
    "new": (NEW, ("POST", customers.CUSTOMERS), "energy.create_customer", "Nothing can be added here"),
    "meter": (f"{HERE}/meter", ("PATCH", ROW), "energy.update_customer", "This can’t be changed"),
    "delete": (f"{HERE}/delete", ("DELETE", ROW), "energy.delete_customer", "This can’t be deleted"),
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


def known() -> set[str]:
    """The writes that are known to be absent for all users."""
    hooks = (
        getattr(customers.CustomerMutations, f"use_{what}_customer_mutation") for what in ("create", "update", "delete")
    )
    return {hook.key for hook in hooks if is_absent(hook, None)}


@pytest.mark.parametrize(("end", "status"), [("edit", 404), ("edit", 405), ("edit", 501), ("new", 405), ("new", 501)])
def test_form_without_an_endpoint_says_so_and_keeps_what_was_typed(site: Site, end: str, status: int) -> None:
    address, call, key, says = WRITES[end]
    sent = site.get(address).fields | TYPED
    site.backend.refuses(*call, status=status)
    refused = site.post(address, sent)
    assert refused.status == 422
    for text in (NOT_OFFERED.format(says), "Ada Lovelace", f'href="{HERE if end == "edit" else PAGE}"'):
        assert text in refused.text
    assert "deleted" not in refused.text
    # A 404 may be said of a row that one user may not change.
    assert known() == (set() if status == 404 else {key})
    assert site.get(address).status == 404
    # Without rows the template of the list has a button of its own, for clients.
    site.backend.lists(customers.CUSTOMERS, [{"id": "c1", "name": "Ada", "plan": "flat", "version": 1}])
    offers = ("/c1/edit", "/c1/meter") if end == "edit" else ('button primary" data-shortcut="c"',)
    assert not [offer for offer in offers for path in (HERE, PAGE) if offer in site.get(path).html]


@pytest.mark.parametrize("end", ["edit", "delete"])
def test_404_counts_for_one_user(site: Site, signed_in: SignedIn, caplog: pytest.LogCaptureFixture, end: str) -> None:
    other = Site(site.backend, signed_in("ENERGY_APP"))
    sent = site.get(FORM).fields | TYPED
    for method in ("PATCH", "DELETE"):
        site.backend.refuses(method, ROW, status=404)
    reads = len(site.backend.calls_to(ROW, method="GET"))
    with caplog.at_level(logging.INFO, logger="portal.query"):
        site.post(f"{HERE}/{end}", sent)
    assert len(site.backend.calls_to(ROW, method="GET")) == reads + 1
    [told] = [text for text in caplog.messages if "asked again after ten minutes" in text]
    assert told.startswith(f"{WRITES[end][2]}: this call is refused to a user (404)")
    assert f"/c1/{end}" not in site.get().html
    assert f"/c1/{end}" in other.get().html


@pytest.mark.parametrize(("status", "shows"), [(404, "was deleted meanwhile"), (503, 'value="Ada Lovelace"')])
def test_row_is_deleted_once_a_get_has_said_so(site: Site, status: int, shows: str) -> None:
    shown = site.get(FORM)
    site.backend.refuses("PATCH", ROW, status=404)
    site.backend.refuses("GET", ROW, status=status)
    page = site.send(shown, **TYPED)
    assert (page.status, shows in page.html, "deleted" in page.text) == (status, True, status == 404)
    assert known() == set()


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize("end", ["meter", "delete"])
def test_a_button_without_an_endpoint_says_so_and_is_not_offered_any_more(site: Site, end: str, status: int) -> None:
    address, call, key, says = WRITES[end]
    assert f"/c1/{end}" in site.get().html
    site.backend.refuses(*call, status=status)
    pressed = site.post(address)
    assert (pressed.status, pressed.location, pressed.said) == (303, HERE, [NOT_OFFERED.format(says)])
    assert known() == (set() if status == 404 else {key})
    assert f"/c1/{end}" not in site.get().html


def test_what_this_user_may_not_send_says_so_and_keeps_what_was_typed(site: Site) -> None:
    for end in ("edit", "new"):
        address, call, _, _ = WRITES[end]
        sent = site.get(address).fields | TYPED
        site.backend.refuses(*call, status=403)
        refused = site.post(address, sent)
        assert (refused.status, NOT_ALLOWED in refused.text, refused.fields["name"]) == (422, True, "Ada Lovelace")
    pressed = site.post(f"{HERE}/meter", site.get().forms[f"{HERE}/meter"])
    assert (pressed.status, pressed.location, pressed.said) == (303, HERE, [NOT_ALLOWED])
