"""A field that takes a row of another list: by its name, with an id for programs."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client as Browser

from portal.query import MutationGroup, QueryGroup, Row, resource
from portal.testing import Backend, SignedIn
from portal.testing.backend import Call
from portal_pages import (
    BackendForm,
    CreateView,
    DetailView,
    EditView,
    ListView,
    RowChoiceField,
    SuggestedField,
    resource_pages,
)
from tests.portal_pages.customers import blank, customer_pages, served
from tests.portal_pages.forms.conftest import KeptRow, inputs

VISITS, PLACES = "/energy/visits", "/energy/places"
NEW, EDIT = "/en/energy/clients/new", "/en/energy/clients/v1/edit"
OSLO = {"id": "p1", "name": "Oslo <1>", "city": "Oslo"}
OSLO_AGAIN = {"id": "p2", "name": "Oslo 2", "city": "Oslo"}


class Visit(Row):
    name: str = ""
    place_id: str | None = None
    version: int | None = None


class Place(Row):
    name: str = ""
    city: str = ""

    def __str__(self) -> str:
        return self.name or self.id


_visits, _places = resource(VISITS, item=Visit), resource(PLACES, item=Place)


class VisitQueries(QueryGroup, domain="energy"):
    use_get_visits_query = _visits.list
    use_get_visit_query = _visits.detail
    use_get_visits_counts_query = _visits.counts


class PlaceQueries(QueryGroup, domain="energy"):
    use_get_places_query = _places.list
    use_get_place_query = _places.detail


class VisitMutations(MutationGroup, domain="energy"):
    use_create_visit_mutation = _visits.create
    use_update_visit_mutation = _visits.update


class VisitForm(BackendForm[Visit]):
    place_id = RowChoiceField(
        hook=PlaceQueries.use_get_places_query,
        record=PlaceQueries.use_get_place_query,
        hint=lambda place: place.city,
        required=False,
        max_length=64,
    )

    class Meta:
        fields = {"name": "Name", "place_id": "Place"}


class HostForm(BackendForm[Visit]):
    name = SuggestedField(label="Host", counts=VisitQueries.use_get_visits_counts_query, by="name", required=False)


VISIT_PAGES = {
    "list": ListView(hook=VisitQueries.use_get_visits_query),
    "detail": DetailView(hook=VisitQueries.use_get_visit_query),
    "edit": EditView(
        query=VisitQueries.use_get_visit_query, mutation=VisitMutations.use_update_visit_mutation, form=VisitForm
    ),
}
PAGES = [
    *resource_pages(
        "energy/stations",
        name="station",
        title="Hosts",
        list=blank,
        create=CreateView(mutation=VisitMutations.use_create_visit_mutation, form=HostForm),
    ),
    *customer_pages(
        **VISIT_PAGES, create=CreateView(mutation=VisitMutations.use_create_visit_mutation, form=VisitForm)
    ),
]


@pytest.fixture
def browser(signed_in: SignedIn, backend: Backend) -> Any:
    backend.lists(PLACES, [OSLO, OSLO_AGAIN])
    backend.answers("POST", VISITS, json={"id": "v1", "name": "Check"}, status=201)
    with served(*PAGES):
        yield signed_in("ENERGY_APP")


def created(backend: Backend) -> list[Any]:
    return [call.body for call in backend.calls_to(VISITS, method="POST")]


def finds(backend: Backend, *rows: dict[str, str]) -> None:
    """The search of the list finds these rows."""
    backend.answers("GET", PLACES, json={"items": list(rows), "hasNext": False, "nextCursor": None})


def test_an_id_is_sent_as_it_is(backend: Backend, browser: Browser) -> None:
    assert browser.post(NEW, {"name": "Check", "placeId": "p9"}).status_code == 303
    assert created(backend) == [{"name": "Check", "placeId": "p9"}]
    assert backend.calls_to(PLACES) == []


@pytest.mark.parametrize("typed", ["Oslo 2", " oslo  2 ", "p2"])
def test_the_name_of_one_row_is_its_id(backend: Backend, browser: Browser, typed: str) -> None:
    assert browser.post(NEW, {"name": "Check", "placeId": "", "placeId-text": typed}).status_code == 303
    assert created(backend) == [{"name": "Check", "placeId": "p2"}]


def test_what_a_script_has_chosen_is_not_looked_up_again(backend: Backend, browser: Browser) -> None:
    sent = {"name": "Check", "placeId": "p2", "placeId-of": "Oslo 2", "placeId-text": "Oslo 2"}
    assert browser.post(NEW, sent).status_code == 303
    assert created(backend) == [{"name": "Check", "placeId": "p2"}]
    assert backend.calls_to(PLACES) == []


def test_an_id_does_not_stay_below_another_name(backend: Backend, browser: Browser) -> None:
    sent = {"name": "Check", "placeId": "p1", "placeId-of": "Oslo <1>", "placeId-text": "Oslo 2"}
    browser.post(NEW, sent)
    assert created(backend) == [{"name": "Check", "placeId": "p2"}]


def test_an_emptied_field_is_no_row(backend: Backend, browser: Browser) -> None:
    browser.post(NEW, {"name": "Check", "placeId": "p1", "placeId-of": "Oslo <1>", "placeId-text": " "})
    assert created(backend) == [{"name": "Check", "placeId": None}]


def test_a_part_of_a_name_brings_the_matches_to_choose_from(backend: Backend, browser: Browser) -> None:
    response = browser.post(NEW, {"name": "Check", "placeId": "", "placeId-text": "<oslo>"})
    assert response.status_code == 422
    page = response.content.decode()
    assert "“&lt;oslo&gt;” is not the name of exactly one." in page
    assert re.findall(r'<option value="(p\d)">([^<]*)<', page) == [
        ("p1", "Oslo &lt;1&gt;, Oslo"),
        ("p2", "Oslo 2, Oslo"),
    ]
    chosen = {"name": "Check", "placeId": "", "placeId-text": "<oslo>", "placeId-pick": "p2"}
    assert browser.post(NEW, chosen).status_code == 303
    assert created(backend) == [{"name": "Check", "placeId": "p2"}]


def test_two_rows_of_one_name_are_told_apart(backend: Backend, browser: Browser) -> None:
    finds(backend, {"id": "p3", "name": "Harbour", "city": "Oslo"}, {"id": "p4", "name": "Harbour", "city": "Bergen"})
    page = browser.post(NEW, {"name": "Check", "placeId-text": "harbour"}).content.decode()
    assert "Harbour, Oslo" in page
    assert "Harbour, Bergen" in page


def test_a_name_that_no_row_has_is_named_in_the_error(backend: Backend, browser: Browser) -> None:
    finds(backend)
    response = browser.post(NEW, {"name": "Check", "placeId-text": "Nowhere", "placeId": "p1"})
    assert response.status_code == 422
    assert "There is nothing called “Nowhere”." in response.content.decode()
    assert created(backend) == []


def test_an_outage_of_the_search_keeps_what_was_typed(backend: Backend, browser: Browser) -> None:
    backend.fails(503, path=PLACES)
    response = browser.post(NEW, {"name": "Check", "placeId-text": "Oslo 2"})
    assert response.status_code == 422
    assert "“Oslo 2” could not be looked up." in response.content.decode()
    assert 'value="Check"' in response.content.decode()


@pytest.mark.parametrize("picked", ["p9", "..", "a/b"])
def test_a_picked_row_that_is_not_there_is_no_outage(backend: Backend, browser: Browser, picked: str) -> None:
    backend.refuses("GET", f"{PLACES}/p9", status=404)
    response = browser.post(NEW, {"name": "Check", "placeId-text": "Oslo", "placeId-pick": picked})
    assert response.status_code == 422
    page = response.content.decode()
    assert "What you chose is not there any more." in page
    assert "could not be looked up" not in page
    assert created(backend) == []


def test_a_form_that_brings_matches_or_errors_of_its_own_is_not_believed(backend: Backend, browser: Browser) -> None:
    sent = {
        "name": "Check",
        "placeId-text": "Oslo 2",
        "placeId-problem": "You won!",
        "placeId-match": ["x", "Click me"],
    }
    assert browser.post(NEW, sent).status_code == 303
    sent |= {"name": ""}
    page = browser.post(NEW, sent).content.decode()
    assert "You won!" not in page
    assert "Click me" not in page


def test_the_address_may_name_the_row(backend: Backend, browser: Browser) -> None:
    page = browser.get(f"{NEW}?placeId=p1&name=Evil").content.decode()
    assert 'name="placeId-text" value="Oslo &lt;1&gt;"' in page
    assert 'name="placeId" value="p1"' in page
    assert 'value="Evil"' not in page


def test_an_edit_shows_the_name_of_its_row_and_changes_nothing_alone(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{VISITS}/v1", json={"id": "v1", "name": "Check", "placeId": "p2", "version": 1})
    assert 'name="placeId-text" value="Oslo 2"' in browser.get(EDIT).content.decode()
    sent = {"name": "Check", "placeId": "p2", "placeId-of": "Oslo 2", "placeId-text": "Oslo 2", "rowVersion": "1"}
    shown = {"initial-name": "Check", "initial-placeId": "p2"}
    assert browser.post(EDIT, {**sent, **shown}).status_code == 303
    assert backend.calls_to(f"{VISITS}/v1", method="PATCH") == []


@pytest.fixture
def visit(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> KeptRow:
    """A visit that others change meanwhile."""
    kept, others = KeptRow(), backend._response
    kept.row = {"id": "v1", "name": "Check", "placeId": "p1", "version": 1}

    def response(call: Call, *, account: str | None) -> Any:
        return kept.respond(call) if call.path == f"{VISITS}/v1" else others(call, account=account)

    monkeypatch.setattr(backend, "_response", response)
    return kept


def test_a_typed_name_outlives_a_conflict_in_another_field(browser: Browser, visit: KeptRow) -> None:
    sent = inputs(browser.get(EDIT).content.decode())
    visit.change(name="Grace")
    page = browser.post(EDIT, sent | {"name": "Ida", "placeId-text": "Oslo 2"})
    assert page.status_code == 409
    again = inputs(page.content.decode())
    assert browser.post(EDIT, again | {"keep-name": "mine"}).status_code == 303
    assert visit.writes[-1].body == {"name": "Ida", "placeId": "p2"}


def test_a_conflict_between_two_rows_shows_their_names(browser: Browser, visit: KeptRow) -> None:
    assert visit.row is not None
    visit.row["placeId"] = None
    sent = inputs(browser.get(EDIT).content.decode())
    visit.change(placeId="p1")
    page = browser.post(EDIT, sent | {"placeId": "", "placeId-text": "Oslo 2"})
    assert page.status_code == 409
    again, text = inputs(page.content.decode()), page.content.decode()
    assert (again["placeId"], again["initial-placeId"]) == ("p2", "p1")
    assert "Oslo &lt;1&gt;" in text
    assert browser.post(EDIT, again | {"keep-placeId": "theirs"}).status_code == 303
    assert visit.row["placeId"] == "p1"


def test_a_row_that_others_alone_chose_has_its_own_name(browser: Browser, visit: KeptRow) -> None:
    sent = inputs(browser.get(EDIT).content.decode())
    visit.change(name="Grace", placeId="p2")
    again = inputs(browser.post(EDIT, sent | {"name": "Ida"}).content.decode())
    assert (again["placeId"], again["placeId-text"]) == ("p2", "Oslo 2")


def test_a_picked_row_stays_where_what_was_deleted_meanwhile_is_created_anew(
    backend: Backend, browser: Browser, visit: KeptRow
) -> None:
    sent = inputs(browser.get(EDIT).content.decode())
    visit.delete()
    page = browser.post(EDIT, sent | {"placeId": "", "placeId-text": "Oslo 2"})
    assert page.status_code == 404
    anew = inputs(page.content.decode())
    assert (anew["placeId"], anew["placeId-of"], anew["placeId-text"]) == ("p2", "Oslo 2", "Oslo 2")
    assert browser.post(NEW, anew).status_code == 303
    assert created(backend) == [{"name": "Check", "placeId": "p2"}]


def test_a_picked_row_is_named_also_where_nothing_creates_what_was_deleted(
    signed_in: SignedIn, browser: Browser, visit: KeptRow
) -> None:
    with served(*customer_pages(**VISIT_PAGES)):
        sent = inputs(browser.get(EDIT).content.decode())
        visit.delete()
        page = browser.post(EDIT, sent | {"name": "Ida", "placeId-text": "Oslo 2"})
    assert page.status_code == 404
    assert "Oslo 2" in page.content.decode()


@pytest.mark.parametrize("status", [403, 404])
def test_where_there_is_no_such_list_a_row_of_it_is_asked_for_once(
    backend: Backend, browser: Browser, status: int
) -> None:
    for path in (PLACES, f"{PLACES}/p1"):
        backend.refuses("GET", path, status=status)
    for _ in range(2):
        shown = inputs(browser.get(f"{NEW}?placeId=p1").content.decode())
        assert (shown["placeId"], shown["placeId-text"]) == ("p1", "p1")
    assert len(backend.calls_to(f"{PLACES}/p1")) == 1


def test_a_script_asks_for_the_matches(backend: Backend, browser: Browser) -> None:
    response = browser.get(f"{NEW}?choices=placeId&q=os")
    html = response.content.decode()
    assert re.findall(r'data-id="([^"]*)"', html) == ["p1", "p2"]
    assert 'data-text="Oslo &lt;1&gt;"' in html
    assert "<html" not in html
    assert backend.calls_to(PLACES)[0].query["q"] == "os"
    assert browser.get(f"{NEW}?choices=name&q=os").content == b""


def test_control_characters_are_not_searched_for(backend: Backend, browser: Browser) -> None:
    browser.get(f"{NEW}?choices=placeId&q=o%00s")
    assert backend.calls_to(PLACES)[0].query["q"] == "o s"


def test_a_search_that_fails_has_its_status(backend: Backend, browser: Browser) -> None:
    backend.refuses("GET", PLACES, status=403)
    assert browser.get(f"{NEW}?choices=placeId&q=os").status_code == 403


def test_a_suggested_text_is_known_from_other_rows(backend: Backend, browser: Browser) -> None:
    backend.answers("GET", f"{VISITS}/counts", json={"name": {"Ida": 2, "Ada <3>": 7, "": 9}})
    response = browser.get("/en/energy/stations/new?choices=name")
    assert re.findall(r'value="([^"]*)"', response.content.decode()) == ["Ada &lt;3&gt;", "Ida"]


def test_a_suggested_text_is_a_text_like_any_other() -> None:
    assert HostForm({"name": "Somebody new"}).is_valid()
    assert not HostForm({"name": "two\nlines"}).is_valid()
    assert '<datalist id="id_name-known"></datalist>' in str(HostForm()["name"])
