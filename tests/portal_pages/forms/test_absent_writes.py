"""Writes that the backend does not have: nothing is said to be deleted that is there, and nothing typed is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client as Browser
from django.test import override_settings

from portal.query import is_absent
from portal.testing import Backend, SignedIn
from portal_pages import DetailView, RowAction, resource_pages
from portal_pages.urls import platform_patterns
from tests.portal_pages.customers import (
    CREATE,
    CUSTOMERS,
    DELETE,
    EDIT,
    LIST,
    Customer,
    CustomerMutations,
    CustomerQueries,
    Plan,
)
from tests.portal_pages.forms.conftest import inputs

ROW = f"{CUSTOMERS}/c1"
ADA = {"id": "c1", "name": "Ada", "email": "ada@example.com", "plan": "flat", "version": 1}
PAGE = "/en/energy/clients/c1"
TAKES_NO_CHANGES = "This can’t be changed: the service does not offer it."
NEW = "/en/energy/clients/new"
NOT_ALLOWED = "Your account lacks the permission for this. Ask your administrator if you need it."
#: With a button that changes the plan.
PAGES = resource_pages(
    "energy/clients",
    name="client",
    title="Customers",
    list=LIST,
    detail=DetailView(
        hook=CustomerQueries.use_get_customer_query,
        mutation=CustomerMutations.use_update_customer_mutation,
        actions=[
            RowAction(name="meter", label="Pay as you go", message="Done.", values=Customer.partial(plan=Plan.PAYG))
        ],
    ),
    create=CREATE,
    edit=EDIT,
    delete=DELETE,
)


@pytest.fixture
def browser(backend: Backend, signed_in: SignedIn) -> Iterator[Browser]:
    backend.lists(CUSTOMERS, [])
    backend.answers("GET", ROW, json=ADA)
    with override_settings(ROOT_URLCONF=type("Urls", (), {"urlpatterns": platform_patterns(pages=PAGES)})):
        yield signed_in("ENERGY_APP")


@pytest.fixture
def known(browser: Browser) -> Callable[[], set[str]]:
    """Gives the writes that are known to be absent for all users."""
    writes = (
        CustomerMutations.use_create_customer_mutation,
        CustomerMutations.use_update_customer_mutation,
        CustomerMutations.use_delete_customer_mutation,
    )
    return lambda: {hook.key for hook in writes if is_absent(hook, None)}


def for_all(key: str, status: int) -> set[str]:
    """Which writes this answer takes from all users: a 404 may be said of a row that one user may not change."""
    return set() if status == 404 else {key}


def said(response: Any) -> list[str]:
    return [str(message) for message in get_messages(response.wsgi_request)]


@pytest.mark.parametrize("status", [404, 405, 501])
def test_an_edit_without_an_endpoint_says_so_keeps_what_was_typed_and_is_not_offered_any_more(
    backend: Backend, browser: Browser, known: Callable[[], set[str]], status: int
) -> None:
    assert "/c1/edit" in browser.get(PAGE).content.decode()
    sent = inputs(browser.get(f"{PAGE}/edit").content.decode())
    backend.refuses("PATCH", ROW, status=status)
    refused = browser.post(f"{PAGE}/edit", sent | {"name": "Ada Lovelace"})
    text = refused.content.decode()
    assert refused.status_code == 422
    assert TAKES_NO_CHANGES in text
    assert "Ada Lovelace" in text
    assert "deleted" not in text
    assert "Create it anew" not in text
    assert f'href="{PAGE}"' in text, "a way back"
    assert known() == for_all("energy.update_customer", status)
    row = browser.get(PAGE).content.decode()
    assert "/c1/edit" not in row
    assert "/c1/meter" not in row
    assert browser.get(f"{PAGE}/edit").status_code == 404


@pytest.mark.parametrize("end", ["edit", "delete"])
def test_a_404_of_one_users_write_leaves_the_buttons_of_others(
    backend: Backend, browser: Browser, signed_in: SignedIn, end: str
) -> None:
    other = signed_in("ENERGY_APP")
    sent = inputs(browser.get(f"{PAGE}/edit").content.decode()) | {"name": "Ada Lovelace"}
    for method in ("PATCH", "DELETE"):
        backend.refuses(method, ROW, status=404)
    browser.post(f"{PAGE}/{end}", sent)
    assert f"/c1/{end}" not in browser.get(PAGE).content.decode()
    assert f"/c1/{end}" in other.get(PAGE).content.decode()


def test_whether_the_row_is_there_costs_one_get(
    backend: Backend, browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    backend.refuses("DELETE", ROW, status=404)
    with caplog.at_level(logging.INFO, logger="portal.query"):
        browser.post(f"{PAGE}/delete")
    assert len(backend.calls_to(ROW, method="GET")) == 1
    [told] = [
        record.getMessage() for record in caplog.records if "asked again after ten minutes" in record.getMessage()
    ]
    assert told.startswith("energy.delete_customer: this call is refused to a user (404)")


def test_a_row_is_said_to_be_deleted_once_a_get_has_said_so(
    backend: Backend, browser: Browser, known: Callable[[], set[str]]
) -> None:
    sent = inputs(browser.get(f"{PAGE}/edit").content.decode())
    for method in ("GET", "PATCH"):
        backend.refuses(method, ROW, status=404)
    deleted = browser.post(f"{PAGE}/edit", sent | {"name": "Ada Lovelace"})
    assert deleted.status_code == 404
    assert "was deleted meanwhile" in deleted.content.decode()
    assert known() == set()


def test_while_nobody_knows_whether_the_row_is_there_the_form_stays(
    backend: Backend, browser: Browser, known: Callable[[], set[str]]
) -> None:
    sent = inputs(browser.get(f"{PAGE}/edit").content.decode())
    backend.refuses("PATCH", ROW, status=404)
    backend.refuses("GET", ROW, status=503)
    page = browser.post(f"{PAGE}/edit", sent | {"name": "Ada Lovelace"})
    assert page.status_code == 503
    assert 'value="Ada Lovelace"' in page.content.decode()
    assert "deleted" not in page.content.decode()
    assert known() == set()


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_button_without_an_endpoint_says_so_and_is_not_offered_any_more(
    backend: Backend, browser: Browser, known: Callable[[], set[str]], status: int
) -> None:
    browser.get(PAGE)
    backend.refuses("PATCH", ROW, status=status)
    pressed = browser.post(f"{PAGE}/meter")
    assert (pressed.status_code, pressed["Location"]) == (303, PAGE)
    assert said(pressed) == [TAKES_NO_CHANGES]
    assert known() == for_all("energy.update_customer", status)
    assert "/c1/meter" not in browser.get(PAGE).content.decode()


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_deletion_without_an_endpoint_says_so_and_is_not_offered_any_more(
    backend: Backend, browser: Browser, known: Callable[[], set[str]], status: int
) -> None:
    browser.get(PAGE)
    backend.refuses("DELETE", ROW, status=status)
    refused = browser.post(f"{PAGE}/delete")
    assert (refused.status_code, refused["Location"]) == (303, PAGE)
    assert said(refused) == ["This can’t be deleted: the service does not offer it."]
    assert known() == for_all("energy.delete_customer", status)
    row = browser.get(PAGE).content.decode()
    assert "/c1/delete" not in row
    assert 'popovertarget="delete"' not in row


@pytest.mark.parametrize("status", [405, 501])
def test_a_create_without_an_endpoint_says_so_keeps_what_was_typed_and_is_not_offered_any_more(
    backend: Backend, browser: Browser, known: Callable[[], set[str]], status: int
) -> None:
    backend.refuses("POST", CUSTOMERS, status=status)
    refused = browser.post("/en/energy/clients/new", {"name": "Ida", "plan": "payg"})
    text = refused.content.decode()
    assert refused.status_code == 422
    assert "Nothing can be added here: the service does not offer it." in text
    assert "Ida" in text
    assert known() == {"energy.create_customer"}
    # Without rows the template has a button of its own, for clients.
    backend.lists(CUSTOMERS, [ADA])
    assert 'button primary" data-shortcut="c"' not in browser.get("/en/energy/clients").content.decode()
    assert browser.get("/en/energy/clients/new").status_code == 404


@pytest.mark.parametrize(("method", "path", "page"), [("PATCH", ROW, f"{PAGE}/edit"), ("POST", CUSTOMERS, NEW)])
def test_a_form_that_this_user_may_not_send_says_so_and_keeps_what_was_typed(
    backend: Backend, browser: Browser, method: str, path: str, page: str
) -> None:
    sent = inputs(browser.get(page).content.decode()) | {"name": "Ada Lovelace", "plan": "payg"}
    backend.refuses(method, path, status=403)
    refused = browser.post(page, sent)
    text = refused.content.decode()
    assert refused.status_code == 422
    assert NOT_ALLOWED in text
    assert inputs(text)["name"] == "Ada Lovelace"


def test_a_button_that_this_user_may_not_press_says_so_on_the_page_of_the_row(
    backend: Backend, browser: Browser
) -> None:
    backend.refuses("PATCH", ROW, status=403)
    refused = browser.post(f"{PAGE}/meter", inputs(browser.get(PAGE).content.decode()))
    assert (refused.status_code, refused["Location"]) == (303, PAGE)
    assert said(refused) == [NOT_ALLOWED]
