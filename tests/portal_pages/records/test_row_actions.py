"""What people do with a row: buttons and small forms on its page, each of which can be undone."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.core import signing
from django.urls import URLPattern

from portal.query import MutationGroup, RowParams, mutation_endpoint
from portal.testing import Backend, SignedIn
from portal_pages import RowAction
from tests.portal_pages.customers import (
    CUSTOMERS,
    EDIT,
    CityForm,
    Customer,
    PhoneForm,
    acting,
    blank,
    customer_pages,
    served,
)
from tests.portal_pages.site import HERE, ROW, Page, Site
from tests.support.offers import offered

RINGS = f"{ROW}/rings"
ADA = {"id": "c1", "name": "Ada", "phone": None, "city": "Oslo", "version": 3}
MOVED = ADA | {"city": "Bergen", "version": 4}
UNDO = f"{HERE}/undo"
CHANGED = "Somebody else has changed this meanwhile."


class RingMutations(MutationGroup, domain="energy"):
    use_ring_customer_mutation = mutation_endpoint(
        data=Customer, params=RowParams, url=f"{CUSTOMERS}/{{id}}/rings", method="POST", optional=True
    ).changes_nothing()


def outside_rome(row: Customer) -> bool:
    return row.city != "Rome"


WITH_NUMBER = {"form": PhoneForm, "message": "The number was changed."}
ROME = {"offered": outside_rome}
BERGEN = Customer.partial(city="Bergen")
ACTIONS = (
    RowAction(name="move", label="Move to Bergen", values=BERGEN, message="%(name)s <moved>.", is_main=True, **ROME),
    RowAction(name="call", label="Number", **WITH_NUMBER),
    RowAction(name="clear", label="No number", values=Customer.partial(phone="0"), message="Cleared.", **ROME),
    RowAction(name="renumber", label="Another number", **WITH_NUMBER, **ROME),
    RowAction(name="nameless", label="Unknown", values=lambda request: None, message="Never."),
)
RING = RowAction(
    name="ring",
    label="Ring",
    mutation=RingMutations.use_ring_customer_mutation,
    question="%(name)s is called. This costs.",
    message="%(city)s was told.",
    offered=outside_rome,
)


@pytest.fixture
def calling(site: Site) -> Iterator[Site]:
    with served(*customer_pages(list=blank, detail=acting(RING))):
        yield site


@pytest.fixture
def pages(backend: Backend) -> list[URLPattern]:
    backend.answers("GET", ROW, json=ADA)
    return customer_pages(list=blank, detail=acting(*ACTIONS), edit=replace(EDIT, form=CityForm))


def press(site: Site, end: str, *, gives: dict[str, Any] | None = None, **typed: str) -> Page:
    """The row's page after one of its forms was sent, which the backend answers with this row."""
    sent = site.get().forms[f"{HERE}/{end}"] | typed
    if gives is not None:
        site.backend.answers("PATCH", ROW, json=gives)
    assert redirects(site.post(f"{HERE}/{end}", sent))
    return site.get()


def redirects(page: Page) -> bool:
    return (page.status, page.location) == (303, HERE)


def is_in_rome(site: Site) -> None:
    """Somebody else changes the row, and what it offers."""
    site.backend.refuses("PATCH", ROW, status=412)
    site.backend.answers("GET", ROW, json=ADA | {"city": "Rome", "version": 9})


@pytest.mark.parametrize(
    ("end", "typed", "after", "undone"),
    [("move", {}, {"city": "Bergen"}, {"city": "Oslo"}), ("call", {"phone": "+47 1"}, {"phone": "+47 1"}, None)],
)
def test_action_has_an_undo(
    *, site: Site, end: str, typed: dict[str, str], after: dict[str, str], undone: dict[str, Any] | None
) -> None:
    page = press(site, end, gives=ADA | after | {"version": 4}, **typed)
    assert site.writes(ROW) == [('"3"', after)]
    assert ("Ada &lt;moved&gt;." in page.html) == (end == "move")
    site.backend.answers("PATCH", ROW, json=ADA | {"version": 5})
    assert redirects(site.post(UNDO, page.forms[UNDO]))
    assert site.writes(ROW)[1:] == [('"4"', undone or {"phone": None})]
    page = site.get()
    assert ("Undone." in page.text, UNDO in page.forms) == (True, False)


def test_an_undo_after_a_later_change_says_so_and_overwrites_nothing(site: Site) -> None:
    undo = press(site, "move", gives=MOVED).forms[UNDO]
    is_in_rome(site)
    assert redirects(site.post(UNDO, undo))
    page = site.get()
    assert ("nothing was undone" in page.text, "Move to Bergen" in page.text) == (True, False)


def test_an_undo_that_gets_no_answer_is_a_failure(site: Site) -> None:
    undo = press(site, "move", gives=MOVED).forms[UNDO]
    site.backend.fails(503, path=ROW)
    page = site.post(UNDO, undo)
    assert (page.status, "Undone." in page.text) == (503, False)


@pytest.mark.parametrize("signed", [5, [["c1"]], [["c1", 3, {"town": "Oslo"}]], [["c1", 3, []]]], ids=repr)
def test_undo_of_another_release_writes_nothing(site: Site, signed: Any) -> None:
    own = press(site, "move", gives=MOVED).forms[UNDO]["undo"]
    salt = f"portal.undo.client-undo.{site.get().forms[f'{HERE}/call']['madeFor']}"
    assert signing.loads(own, salt=salt) == [["c1", 4, {"city": "Oslo"}]]
    assert redirects(site.post(UNDO, {"undo": signing.dumps(signed, salt=salt, compress=True)}))
    assert "undone any more" in site.get().text
    assert len(site.writes(ROW)) == 1


def test_undo_is_for_its_user_and_its_row(site: Site, signed_in: SignedIn) -> None:
    undo = press(site, "move", gives=MOVED).forms[UNDO]
    assert signed_in("ENERGY_APP").post(UNDO, {"undo": undo["undo"]}).status_code == 303
    assert len(site.writes(ROW)) == 1
    assert site.post("/en/energy/clients/c2/undo", undo).status == 303
    assert site.backend.calls_to(f"{CUSTOMERS}/c2") == []


@pytest.mark.parametrize("end", ["move", "clear", "renumber"])
def test_action_overwrites_no_change_of_somebody_else(site: Site, end: str) -> None:
    sent = site.get().forms[f"{HERE}/{end}"] | {"phone": "+47 1"}
    is_in_rome(site)
    assert redirects(site.post(f"{HERE}/{end}", sent))
    assert len(site.writes(ROW)) == 1
    page = site.get()
    assert (CHANGED in page.text, UNDO in page.forms) == (True, False)


@pytest.mark.parametrize("version", ["", "4"])
@pytest.mark.parametrize("end", ["clear", "renumber"])
def test_what_the_row_does_not_offer_is_not_done_whoever_sends_its_form(site: Site, end: str, version: str) -> None:
    site.get()
    site.backend.answers("GET", ROW, json=ADA | {"city": "Rome", "version": 4})
    assert redirects(site.post(f"{HERE}/{end}", {"phone": "+47 1", "rowVersion": version}))
    assert site.writes(ROW) == []
    assert site.get().text.count(f"{CHANGED} Nothing was written.") == 1


def test_a_small_form_keeps_what_was_typed_while_nobody_knows_what_the_row_offers(site: Site) -> None:
    site.backend.refuses("GET", ROW, status=503)
    page = site.post(f"{HERE}/renumber", {"phone": "+47 1"})
    assert (page.status, 'value="+47 1"' in page.html, site.writes(ROW)) == (503, True, [])


def test_a_button_that_is_pressed_twice_is_done_though_the_row_does_not_offer_it_any_more(site: Site) -> None:
    sent = site.get().forms[f"{HERE}/clear"]
    for method in ("PATCH", "GET"):
        site.backend.answers(method, ROW, json=ADA | {"phone": "0", "city": "Rome", "version": 4})
    for _ in range(2):
        assert redirects(site.post(f"{HERE}/clear", sent))
    page = site.get().text
    assert (page.count("Cleared."), CHANGED in page) == (1, False)


def test_without_a_version_a_change_is_sent_and_offers_no_undo(site: Site) -> None:
    site.backend.answers("PATCH", ROW, json=MOVED)
    assert redirects(site.post(f"{HERE}/move"))
    assert site.writes(ROW) == [(None, {"city": "Bergen"})]
    assert UNDO not in site.get().forms


def test_what_the_backend_refuses_is_a_page(site: Site) -> None:
    shown = site.get().forms
    errors, detail = {"errors": {"phone": ["Too short."]}}, {"detail": "Not on a Sunday."}
    for end, text, refusal in (("call", "Too short.", errors), ("move", "Not on a Sunday.", detail)):
        site.backend.refuses("PATCH", ROW, status=422, **refusal)
        page = site.post(f"{HERE}/{end}", shown[f"{HERE}/{end}"] | {"phone": "1"})
        assert (page.status, text in page.text) == (422, True)
    assert site.get(f"{HERE}/call").status == 200


@pytest.mark.parametrize("city", ["Bergen", "Rome"])
def test_an_action_that_would_change_nothing_or_is_not_offered_or_not_known_is_not_there(site: Site, city: str) -> None:
    site.backend.answers("GET", ROW, json=ADA | {"city": city})
    page = site.get().html
    assert [text for text in ("Move to Bergen", "Unknown") if text in page] == []
    assert ">Number<" in page
    assert redirects(site.post(f"{HERE}/nameless"))
    assert site.writes(ROW) == []


def test_a_call_of_its_own_asks_first_and_is_made_once_with_what_the_page_showed(calling: Site) -> None:
    page = calling.get()
    assert "Ada is called. This costs." in page.text
    sent = page.forms[f"{HERE}/ring"]
    calling.backend.answers("POST", RINGS, json=ADA | {"version": 4}, status=201)
    for _ in range(2):
        assert redirects(calling.post(f"{HERE}/ring", sent))
    assert calling.writes(RINGS, "POST") == [('"3"', None)]
    page = calling.get()
    assert (page.text.count("Oslo was told."), UNDO in page.forms) == (1, False)
    # Not where the row does not offer it any more.
    calling.backend.answers("GET", ROW, json=ADA | {"city": "Rome", "version": 4})
    assert redirects(calling.post(f"{HERE}/ring", page.forms[f"{HERE}/ring"]))
    assert len(calling.writes(RINGS, "POST")) == 1
    assert CHANGED in calling.get().text


@pytest.mark.parametrize(
    ("status", "said"), [(409, CHANGED), (412, CHANGED), (403, "lacks the permission"), (405, "does not offer it")]
)
def test_a_call_of_its_own_that_is_refused_says_so(calling: Site, status: int, said: str) -> None:
    sent = calling.get().forms[f"{HERE}/ring"]
    calling.backend.refuses("POST", RINGS, status=status)
    assert redirects(calling.post(f"{HERE}/ring", sent))
    page = calling.get()
    assert (said in page.text, "was told" in page.text) == (True, False)
    assert f"{HERE}/ring" in page.forms
    with offered("energy.get_customer"):
        assert f"{HERE}/ring" not in calling.get().forms
