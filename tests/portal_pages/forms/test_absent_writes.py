"""Writes that the backend does not have: nothing is said to be deleted that is there, and nothing typed is lost."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.test import Client as Browser

from portal.query import is_absent
from portal.testing import Backend, SignedIn
from portal_pages import DetailView, RowAction
from tests.portal_pages.customers import (
    CREATE,
    CUSTOMERS,
    DELETE,
    EDIT,
    Customer,
    CustomerMutations,
    CustomerQueries,
    Plan,
    customer_pages,
    served,
)
from tests.portal_pages.forms.conftest import inputs

ROW = f"{CUSTOMERS}/c1"
ADA = {"id": "c1", "name": "Ada", "email": "ada@example.com", "plan": "flat", "version": 1}
PAGE = "/en/energy/clients/c1"
TAKES_NO_CHANGES = "This can’t be changed: the service does not offer it."
LIST_PAGE = "/en/energy/clients"
NEW = "/en/energy/clients/new"
NOT_ALLOWED = "Your account lacks the permission for this. Ask your administrator if you need it."
#: With a button that changes the plan.
DETAIL = DetailView(
    hook=CustomerQueries.use_get_customer_query,
    mutation=CustomerMutations.use_update_customer_mutation,
    actions=[RowAction(name="meter", label="Pay as you go", message="Done.", values=Customer.partial(plan=Plan.PAYG))],
)


@pytest.fixture
def browser(backend: Backend, signed_in: SignedIn) -> Iterator[Browser]:
    backend.lists(CUSTOMERS, [])
    backend.answers("GET", ROW, json=ADA)
    with served(*customer_pages(detail=DETAIL, create=CREATE, edit=EDIT, delete=DELETE)):
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


@pytest.mark.parametrize(
    ("page", "call", "status"),
    [
        *((f"{PAGE}/edit", ("PATCH", ROW, "energy.update_customer"), status) for status in (404, 405, 501)),
        *((NEW, ("POST", CUSTOMERS, "energy.create_customer"), status) for status in (405, 501)),
    ],
)
def test_a_form_without_an_endpoint_says_so_keeps_what_was_typed_and_is_not_offered_any_more(
    *, backend: Backend, browser: Browser, known: Callable[[], set[str]], page: str, call: tuple[str, ...], status: int
) -> None:
    method, path, key = call
    is_edit = method == "PATCH"
    sent = inputs(browser.get(page).content.decode()) | {"name": "Ada Lovelace", "plan": "payg"}
    backend.refuses(method, path, status=status)
    refused = browser.post(page, sent)
    text = refused.content.decode()
    assert refused.status_code == 422
    assert (TAKES_NO_CHANGES if is_edit else "Nothing can be added here: the service does not offer it.") in text
    assert "Ada Lovelace" in text
    assert "deleted" not in text
    assert f'href="{PAGE if is_edit else LIST_PAGE}"' in text, "a way back"
    assert known() == for_all(key, status)
    assert browser.get(page).status_code == 404
    # Without rows the template of the list has a button of its own, for clients.
    backend.lists(CUSTOMERS, [ADA])
    for shown in (PAGE, LIST_PAGE):
        html = browser.get(shown).content.decode()
        assert is_edit or 'button primary" data-shortcut="c"' not in html
        assert not is_edit or ("/c1/edit" not in html and "/c1/meter" not in html)


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


@pytest.mark.parametrize(("status", "shows"), [(404, "was deleted meanwhile"), (503, 'value="Ada Lovelace"')])
def test_a_row_is_said_to_be_deleted_once_a_get_has_said_so_and_the_form_stays_while_nobody_knows(
    *, backend: Backend, browser: Browser, known: Callable[[], set[str]], status: int, shows: str
) -> None:
    sent = inputs(browser.get(f"{PAGE}/edit").content.decode())
    backend.refuses("PATCH", ROW, status=404)
    backend.refuses("GET", ROW, status=status)
    page = browser.post(f"{PAGE}/edit", sent | {"name": "Ada Lovelace"})
    assert page.status_code == status
    assert shows in page.content.decode()
    assert ("deleted" in page.content.decode()) is (status == 404)
    assert known() == set()


@pytest.mark.parametrize("status", [404, 405, 501])
@pytest.mark.parametrize(
    ("end", "method", "key", "says"),
    [
        ("meter", "PATCH", "energy.update_customer", TAKES_NO_CHANGES),
        ("delete", "DELETE", "energy.delete_customer", "This can’t be deleted: the service does not offer it."),
    ],
)
def test_a_button_without_an_endpoint_says_so_and_is_not_offered_any_more(
    *,
    backend: Backend,
    browser: Browser,
    known: Callable[[], set[str]],
    end: str,
    method: str,
    key: str,
    says: str,
    status: int,
) -> None:
    assert f"/c1/{end}" in browser.get(PAGE).content.decode()
    backend.refuses(method, ROW, status=status)
    pressed = browser.post(f"{PAGE}/{end}")
    assert (pressed.status_code, pressed["Location"]) == (303, PAGE)
    assert said(pressed) == [says]
    assert known() == for_all(key, status)
    page = browser.get(PAGE).content.decode()
    assert f"/c1/{end}" not in page
    assert f'popovertarget="{end}"' not in page


def test_what_this_user_may_not_send_says_so_and_keeps_what_was_typed(backend: Backend, browser: Browser) -> None:
    for method, path, page in (("PATCH", ROW, f"{PAGE}/edit"), ("POST", CUSTOMERS, NEW)):
        sent = inputs(browser.get(page).content.decode()) | {"name": "Ada Lovelace", "plan": "payg"}
        backend.refuses(method, path, status=403)
        refused = browser.post(page, sent)
        assert refused.status_code == 422
        assert NOT_ALLOWED in refused.content.decode()
        assert inputs(refused.content.decode())["name"] == "Ada Lovelace"
    pressed = browser.post(f"{PAGE}/meter", inputs(browser.get(PAGE).content.decode()))
    assert (pressed.status_code, pressed["Location"]) == (303, PAGE)
    assert said(pressed) == [NOT_ALLOWED]
