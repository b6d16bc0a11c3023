"""What people do with a row: buttons and small forms on its page, each of which can be undone."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from django.core import signing
from django.test import Client as Browser

from portal.errors import UsageError
from portal.query import MutationGroup, QueryGroup, resource
from portal.services.energy.clients import Client
from portal.testing import Backend, SignedIn
from portal_pages import BackendForm, DetailView, EditView, RowAction
from tests.portal_pages.customers import blank, customer_pages, served

PATH = "/energy/tenants"
HERE = "/en/energy/clients/c1"
ADA = {"id": "c1", "name": "Ada", "phone": None, "city": "Oslo", "version": 3}

_tenants = resource(PATH, item=Client)


class TenantQueries(QueryGroup, domain="energy"):
    use_get_tenants_query = _tenants.list
    use_get_tenant_query = _tenants.detail


class TenantMutations(MutationGroup, domain="energy"):
    use_update_tenant_mutation = _tenants.update


class PhoneForm(BackendForm[Client]):
    class Meta:
        fields = {"phone": "Phone"}
        optional = ("phone",)


class CityForm(BackendForm[Client]):
    class Meta:
        fields = {"city": "City"}


MOVE = RowAction(
    name="move",
    label="Move to Bergen",
    values=Client.partial(city="Bergen"),
    message="%(name)s <moved>.",
    offered=lambda row: row.city != "Rome",
    is_main=True,
)
CALL = RowAction(name="call", label="Number", form=PhoneForm, message="The number was changed.")
CLEAR = RowAction(
    name="clear",
    label="No number",
    values=Client.partial(phone="0"),
    message="Cleared.",
    offered=lambda row: row.city != "Rome",
)
RENUMBER = RowAction(
    name="renumber",
    label="Another number",
    form=PhoneForm,
    message="The number was changed.",
    offered=lambda row: row.city != "Rome",
)
NAMELESS = RowAction(name="nameless", label="Unknown", values=lambda request: None, message="Never.")
PAGES = customer_pages(
    list=blank,
    detail=DetailView(
        hook=TenantQueries.use_get_tenant_query,
        mutation=TenantMutations.use_update_tenant_mutation,
        actions=(MOVE, CALL, CLEAR, RENUMBER, NAMELESS),
    ),
    edit=EditView(
        query=TenantQueries.use_get_tenant_query,
        mutation=TenantMutations.use_update_tenant_mutation,
        form=CityForm,
    ),
)


@pytest.fixture
def browser(signed_in: SignedIn, backend: Backend) -> Any:
    backend.answers("GET", f"{PATH}/c1", json=ADA)
    with served(*PAGES):
        yield signed_in("ENERGY_APP")


def forms_of(page: str) -> dict[str, dict[str, str]]:
    """Action to fields, of each form that changes the row."""
    found = {}
    for action, content in re.findall(r'<form[^>]*method="post" action="([^"]*)"[^>]*>(.*?)</form>', page, re.DOTALL):
        inputs = [dict(re.findall(r'(name|value)="([^"]*)"', tag)) for tag in re.findall(r"<input[^>]*>", content)]
        found[action] = {each["name"]: html.unescape(each.get("value", "")) for each in inputs if "name" in each}
    return found


def page_of(browser: Browser) -> str:
    response = browser.get(HERE)
    assert response.status_code == 200
    return response.content.decode()


def press(browser: Browser, action: str, **fields: str) -> str:
    """The row's page after one of its forms was sent."""
    form = forms_of(page_of(browser))[action]
    response = browser.post(action, {**form, **fields})
    assert (response.status_code, response.get("Location")) == (303, HERE)
    return page_of(browser)


def changes(backend: Backend) -> list[tuple[Any, str | None]]:
    """Body and version of each write."""
    return [(call.body, call.headers.get("if-match")) for call in backend.calls_to(f"{PATH}/c1", method="PATCH")]


def test_a_button_changes_the_row_that_the_page_showed(backend: Backend, browser: Browser) -> None:
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"city": "Bergen", "version": 4})
    page = press(browser, f"{HERE}/move")
    assert changes(backend) == [({"city": "Bergen"}, '"3"')]
    assert "Ada &lt;moved&gt;." in page


def test_an_undo_brings_the_former_value_back_over_that_change_alone(backend: Backend, browser: Browser) -> None:
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"city": "Bergen", "version": 4})
    undo = forms_of(press(browser, f"{HERE}/move"))[f"{HERE}/undo"]
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"version": 5})
    assert browser.post(f"{HERE}/undo", undo)["Location"] == HERE
    assert changes(backend)[1:] == [({"city": "Oslo"}, '"4"')]
    page = page_of(browser)
    assert "Undone." in page
    assert f"{HERE}/undo" not in forms_of(page)


def test_an_undo_after_a_later_change_says_so_and_overwrites_nothing(backend: Backend, browser: Browser) -> None:
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"city": "Bergen", "version": 4})
    undo = forms_of(press(browser, f"{HERE}/move"))[f"{HERE}/undo"]
    backend.refuses("PATCH", f"{PATH}/c1", status=412)
    backend.answers("GET", f"{PATH}/c1", json=ADA | {"city": "Rome", "version": 9})
    assert browser.post(f"{HERE}/undo", undo).status_code == 303
    page = page_of(browser)
    assert "nothing was undone" in page
    assert "Move to Bergen" not in page


@pytest.mark.parametrize("token", ["", "x", "eyJpZCI6ICJjMSJ9:1:forged"])
def test_an_undo_that_this_app_did_not_sign_writes_nothing(backend: Backend, browser: Browser, token: str) -> None:
    assert browser.post(f"{HERE}/undo", {"undo": token}).status_code == 303
    assert "undone any more" in page_of(browser)
    assert changes(backend) == []


UNDO_SALT = "portal.undo.client-undo"
OF_ANOTHER_RELEASE: list[Any] = [
    5,
    [],
    {},
    {"id": "c1"},
    {"id": "c1", "version": 3, "values": {"town": "Oslo"}},
    {"id": "c1", "version": 3, "values": []},
    {"id": "c1", "version": None, "values": {"city": "Oslo"}},
    {"id": 1, "version": 3, "values": {"city": "Oslo"}},
]


@pytest.mark.parametrize("signed", OF_ANOTHER_RELEASE, ids=repr)
def test_an_undo_that_another_release_signed_otherwise_writes_nothing(
    backend: Backend, browser: Browser, signed: Any
) -> None:
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"city": "Bergen", "version": 4})
    own = forms_of(press(browser, f"{HERE}/move"))[f"{HERE}/undo"]["undo"]
    assert signing.loads(own, salt=UNDO_SALT) == {"id": "c1", "version": 4, "values": {"city": "Oslo"}}
    token = signing.dumps(signed, salt=UNDO_SALT, compress=True)
    assert browser.post(f"{HERE}/undo", {"undo": token}).status_code == 303
    assert "undone any more" in page_of(browser)
    assert len(changes(backend)) == 1


def test_the_undo_of_one_row_changes_no_other(backend: Backend, browser: Browser) -> None:
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"city": "Bergen", "version": 4})
    undo = forms_of(press(browser, f"{HERE}/move"))[f"{HERE}/undo"]
    assert browser.post("/en/energy/clients/c2/undo", undo).status_code == 303
    assert backend.calls_to(f"{PATH}/c2") == []


def test_a_button_overwrites_no_change_of_somebody_else(backend: Backend, browser: Browser) -> None:
    form = forms_of(page_of(browser))[f"{HERE}/move"]
    backend.refuses("PATCH", f"{PATH}/c1", status=412)
    backend.answers("GET", f"{PATH}/c1", json=ADA | {"city": "Rome", "version": 4})
    assert browser.post(f"{HERE}/move", form).status_code == 303
    assert len(changes(backend)) == 1
    page = page_of(browser)
    assert "Somebody else has changed this meanwhile." in page
    assert f"{HERE}/undo" not in forms_of(page)


def test_a_button_that_the_row_does_not_offer_any_more_writes_nothing(backend: Backend, browser: Browser) -> None:
    form = forms_of(page_of(browser))[f"{HERE}/clear"]
    backend.refuses("PATCH", f"{PATH}/c1", status=412)
    backend.answers("GET", f"{PATH}/c1", json=ADA | {"city": "Rome", "version": 4})
    assert browser.post(f"{HERE}/clear", form).status_code == 303
    assert len(changes(backend)) == 1
    assert "Somebody else has changed this meanwhile." in page_of(browser)


@pytest.mark.parametrize("version", ["", "4"])
@pytest.mark.parametrize("action", ["clear", "renumber"])
def test_what_the_row_does_not_offer_is_not_done_whoever_sends_its_form(
    backend: Backend, browser: Browser, action: str, version: str
) -> None:
    page_of(browser)
    backend.answers("GET", f"{PATH}/c1", json=ADA | {"city": "Rome", "version": 4})
    sent = browser.post(f"{HERE}/{action}", {"phone": "+47 1", "rowVersion": version})
    assert (sent.status_code, sent["Location"]) == (303, HERE)
    assert changes(backend) == []
    page = page_of(browser)
    assert page.count("Somebody else has changed this meanwhile. Nothing was written.") == 1


def test_a_small_form_that_the_row_does_not_offer_any_more_writes_nothing(backend: Backend, browser: Browser) -> None:
    form = forms_of(page_of(browser))[f"{HERE}/renumber"]
    backend.refuses("PATCH", f"{PATH}/c1", status=412)
    backend.answers("GET", f"{PATH}/c1", json=ADA | {"city": "Rome", "version": 4})
    sent = browser.post(f"{HERE}/renumber", {**form, "phone": "+47 1"})
    assert (sent.status_code, sent["Location"]) == (303, HERE)
    assert len(changes(backend)) == 1
    assert "Somebody else has changed this meanwhile." in page_of(browser)


def test_a_small_form_keeps_what_was_typed_while_nobody_knows_what_the_row_offers(
    backend: Backend, browser: Browser
) -> None:
    backend.refuses("GET", f"{PATH}/c1", status=503)
    sent = browser.post(f"{HERE}/renumber", {"phone": "+47 1"})
    assert sent.status_code == 503
    assert 'value="+47 1"' in sent.content.decode()
    assert changes(backend) == []


def test_a_button_that_is_pressed_twice_is_done_though_the_row_does_not_offer_it_any_more(
    backend: Backend, browser: Browser
) -> None:
    form = forms_of(page_of(browser))[f"{HERE}/clear"]
    done = ADA | {"phone": "0", "city": "Rome", "version": 4}
    backend.answers("PATCH", f"{PATH}/c1", json=done)
    backend.answers("GET", f"{PATH}/c1", json=done)
    for _ in range(2):
        assert browser.post(f"{HERE}/clear", form).status_code == 303
    page = page_of(browser)
    assert page.count("Cleared.") == 1
    assert "Somebody else has changed" not in page


def test_a_form_without_a_version_is_sent_too_and_offers_no_undo(backend: Backend, browser: Browser) -> None:
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"city": "Bergen", "version": 4})
    assert browser.post(f"{HERE}/move").status_code == 303
    assert changes(backend) == [({"city": "Bergen"}, None)]
    assert f"{HERE}/undo" not in forms_of(page_of(browser))


def test_a_backend_without_versions_offers_no_undo(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{PATH}/c1", json={"id": "c1", "name": "Ada", "city": "Oslo"})
    backend.answers("PATCH", f"{PATH}/c1", json={"id": "c1", "name": "Ada", "city": "Bergen"})
    assert f"{HERE}/undo" not in forms_of(press(browser, f"{HERE}/move"))


def test_a_small_form_changes_the_row_and_can_be_undone(backend: Backend, browser: Browser) -> None:
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"phone": "+47 1", "version": 4})
    page = press(browser, f"{HERE}/call", phone="+47 1")
    assert changes(backend) == [({"phone": "+47 1"}, '"3"')]
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"version": 5})
    browser.post(f"{HERE}/undo", forms_of(page)[f"{HERE}/undo"])
    assert changes(backend)[1:] == [({"phone": None}, '"4"')]


def test_a_small_form_with_an_error_is_a_page(backend: Backend, browser: Browser) -> None:
    backend.refuses("PATCH", f"{PATH}/c1", status=422, errors={"phone": ["Too short."]})
    form = forms_of(page_of(browser))[f"{HERE}/call"]
    response = browser.post(f"{HERE}/call", {**form, "phone": "1"})
    assert response.status_code == 422
    assert "Too short." in response.content.decode()
    assert browser.get(f"{HERE}/call").status_code == 200


def test_an_edit_can_be_undone_where_the_row_has_actions(backend: Backend, browser: Browser) -> None:
    page = browser.get(f"{HERE}/edit").content.decode()
    form = forms_of(page)[f"{HERE}/edit"]
    backend.answers("PATCH", f"{PATH}/c1", json=ADA | {"city": "Rome", "version": 4})
    assert browser.post(f"{HERE}/edit", {**form, "city": "Rome"}).status_code == 303
    assert f"{HERE}/undo" in forms_of(page_of(browser))


@pytest.mark.parametrize("city", ["Bergen", "Rome"])
def test_an_action_that_would_change_nothing_or_is_not_offered_is_not_there(
    backend: Backend, browser: Browser, city: str
) -> None:
    backend.answers("GET", f"{PATH}/c1", json=ADA | {"city": city})
    page = page_of(browser)
    assert "Move to Bergen" not in page
    assert ">Number<" in page


def test_an_action_whose_values_are_not_known_is_neither_offered_nor_done(backend: Backend, browser: Browser) -> None:
    assert "Unknown" not in page_of(browser)
    assert browser.post(f"{HERE}/nameless").status_code == 303
    assert changes(backend) == []


def test_what_the_backend_refuses_is_a_page(backend: Backend, browser: Browser) -> None:
    backend.refuses("PATCH", f"{PATH}/c1", status=422, detail="Not on a Sunday.")
    response = browser.post(f"{HERE}/move", forms_of(page_of(browser))[f"{HERE}/move"])
    assert response.status_code == 422
    assert "Not on a Sunday." in response.content.decode()


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"name": "undo"}, "is no name of an action"),
        ({"name": "../x"}, "is no name of an action"),
        ({"values": None}, "give it values or a form"),
        ({"form": PhoneForm}, "give it values or a form"),
    ],
)
def test_a_wrong_action_is_told_when_it_is_made(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"name": "go", "label": "", "message": "", "values": Client.partial(city="Rome")}
    with pytest.raises(UsageError, match=message):
        RowAction(**given | changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"mutation": None}, "give it actions and the mutation"),
        ({"actions": (MOVE, MOVE)}, "two actions have one name"),
    ],
)
def test_a_wrong_page_of_actions_is_told_when_it_is_made(changed: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "hook": TenantQueries.use_get_tenant_query,
        "mutation": TenantMutations.use_update_tenant_mutation,
        "actions": (MOVE,),
    }
    with pytest.raises(UsageError, match=message):
        DetailView(**given | changed)
