"""A field that takes a row of another list: by its name, with an id for programs."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.urls import URLPattern

from portal.query import QueryGroup, Row, resource
from portal.testing import Backend, page_of
from portal_pages import BackendForm, RowChoiceField, SuggestedField, resource_pages
from tests.portal_pages import customers
from tests.portal_pages.site import FORM, NEW, ROW, KeptRow, Site
from tests.support.offers import offered

PLACES = "/energy/places"


class Place(Row):
    name: str = ""
    city: str = ""

    def __str__(self) -> str:
        return self.name or self.id


_places = resource(PLACES, item=Place, optional=True)


class PlaceQueries(QueryGroup, domain="energy"):
    use_get_places_query = _places.list
    use_get_place_query = _places.detail


class VisitForm(BackendForm[customers.Customer]):
    place_id = RowChoiceField(
        hook=PlaceQueries.use_get_places_query,
        record=PlaceQueries.use_get_place_query,
        hint=lambda place: place.city,
        required=False,
        max_length=64,
    )

    class Meta:
        fields = {"name": "Name", "place_id": "Place"}


class HostForm(BackendForm[customers.Customer]):
    name = SuggestedField(
        label="Host", counts=customers.CustomerQueries.use_get_customers_counts_query, by="name", required=False
    )


HOSTS, VISITS = replace(customers.CREATE, form=HostForm), replace(customers.CREATE, form=VisitForm)
EDITS = replace(customers.EDIT, form=VisitForm)


@pytest.fixture
def pages(backend: Backend) -> list[URLPattern]:
    backend.lists(
        PLACES, [{"id": "p1", "name": "Oslo <1>", "city": "Oslo"}, {"id": "p2", "name": "Oslo 2", "city": "Oslo"}]
    )
    backend.answers("POST", customers.CUSTOMERS, json={"id": "c1", "name": "Check"}, status=201)
    stations = resource_pages("energy/stations", name="station", title="Hosts", list=customers.blank, create=HOSTS)
    return [*stations, *customers.customer_pages(edit=EDITS, create=VISITS)]


def create(site: Site, **sent: Any) -> Any:
    """Send the form of a new visit; the names are `placeId`'s own."""
    return site.post(NEW, {"name": "Check"} | {f"placeId{name.replace('_', '-')}": sent[name] for name in sent})


@pytest.mark.parametrize(
    ("sent", "place", "is_asked"),
    [
        ({"": "p9"}, "p9", False),
        ({"": "", "_text": " oslo  2 "}, "p2", True),
        ({"": "", "_text": "p2"}, "p2", True),
        # What a script has chosen is not looked up again.
        ({"": "p2", "_of": "Oslo 2", "_text": "Oslo 2"}, "p2", False),
        # An id does not stay below another name, and an emptied field is no row.
        ({"": "p1", "_of": "Oslo <1>", "_text": "Oslo 2"}, "p2", True),
        ({"": "p1", "_of": "Oslo <1>", "_text": " "}, None, False),
        ({"": "", "_text": "<oslo>", "_pick": "p2"}, "p2", True),
    ],
)
def test_typed_name_is_sent_as_an_id(site: Site, sent: dict[str, Any], place: str | None, is_asked: bool) -> None:
    assert create(site, **sent).status == 303
    assert site.bodies(customers.CUSTOMERS, "POST") == [{"name": "Check", **({"placeId": place} if place else {})}]
    assert any(call.path.startswith(PLACES) for call in site.backend.calls) is is_asked


def test_made_up_matches_are_not_believed(site: Site) -> None:
    made_up = {"placeId-text": "Oslo 2", "placeId-problem": "You won!", "placeId-match": ["x", "Click me"]}
    page = site.post(NEW, {"name": "", **made_up}).text
    assert [text for text in ("You won!", "Click me") if text in page] == []


HARBOURS = [{"id": "p3", "name": "Harbour", "city": "Oslo"}, {"id": "p4", "name": "Harbour", "city": "Bergen"}]


@pytest.mark.parametrize(
    ("found", "typed", "says", "offered"),
    [
        (None, "<oslo>", "“&lt;oslo&gt;” is not the name of exactly one.", ["Oslo &lt;1&gt;, Oslo", "Oslo 2, Oslo"]),
        (HARBOURS, "harbour", "“harbour” is not the name of exactly one.", ["Harbour, Oslo", "Harbour, Bergen"]),
        ([], "Nowhere", "There is nothing called “Nowhere”.", []),
    ],
)
def test_matches_show(
    site: Site, found: list[dict[str, str]] | None, typed: str, says: str, offered: list[str]
) -> None:
    if found is not None:
        site.backend.answers("GET", PLACES, json=page_of(found))
    page = create(site, _text=typed, **{"": "p1" if found == [] else ""})
    assert (page.status, says in page.html) == (422, True)
    assert re.findall(r'<option value="p\d">([^<]*)<', page.html) == offered
    assert site.bodies(customers.CUSTOMERS, "POST") == []


def test_an_outage_of_the_search_keeps_what_was_typed(site: Site) -> None:
    site.backend.fails(503, path=PLACES)
    page = create(site, _text="Oslo 2")
    assert page.status == 422
    assert "“Oslo 2” could not be looked up." in page.text
    assert 'value="Check"' in page.text


@pytest.mark.parametrize("picked", ["p9", "..", "a/b"])
def test_a_picked_row_that_is_not_there_is_no_outage(site: Site, picked: str) -> None:
    site.backend.refuses("GET", f"{PLACES}/p9", status=404)
    page = create(site, _text="Oslo", _pick=picked)
    assert page.status == 422
    assert "What you chose is not there any more." in page.text
    assert "could not be looked up" not in page.text
    assert site.bodies(customers.CUSTOMERS, "POST") == []


def test_the_address_may_give_the_row_and_a_text_which_is_cut(site: Site) -> None:
    page = site.get(f"{NEW}?placeId=p1&name={'x' * 300}")
    assert (page.fields["placeId-text"], page.fields["placeId"], page.fields["name"]) == ("Oslo <1>", "p1", "x" * 200)


@pytest.fixture
def visit(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> KeptRow:
    """A visit that others change meanwhile."""
    row = {"id": "c1", "name": "Check", "placeId": "p1", "version": 1}
    return KeptRow(row).keep(backend, monkeypatch, path=ROW)


def test_a_conflict_between_two_rows_shows_their_names(site: Site, visit: KeptRow) -> None:
    visit.row["placeId"] = None
    shown = site.get(FORM).fields
    visit.change(placeId="p1")
    page = site.post(FORM, shown | {"placeId": "", "placeId-text": "Oslo 2"})
    assert page.status == 409
    assert (page.fields["placeId"], page.fields["initial-placeId"]) == ("p2", "p1")
    assert "Oslo &lt;1&gt;" in page.html
    assert site.post(FORM, page.fields | {"keep-placeId": "theirs"}).status == 303
    assert visit.row["placeId"] == "p1"


def test_row_that_others_chose_has_its_own_name(site: Site, visit: KeptRow) -> None:
    shown = site.get(FORM).fields
    visit.change(name="Grace", placeId="p2")
    again = site.post(FORM, shown | {"name": "Ida"}).fields
    assert (again["placeId"], again["placeId-text"]) == ("p2", "Oslo 2")


def test_picked_row_stays_where_a_row_is_created_anew(site: Site, visit: KeptRow) -> None:
    sent = site.get(FORM).fields | {"placeId": "", "placeId-text": "Oslo 2"}
    visit.delete()
    page = site.post(FORM, sent)
    anew = page.forms[NEW]
    assert (page.status, anew["placeId"], anew["placeId-of"], anew["placeId-text"]) == (404, "p2", "Oslo 2", "Oslo 2")
    assert site.post(NEW, anew).status == 303
    assert site.bodies(customers.CUSTOMERS, "POST") == [{"name": "Check", "placeId": "p2"}]


@pytest.mark.parametrize("is_offered", [True, False])
def test_missing_row_is_shown_by_its_id(site: Site, is_offered: bool) -> None:
    site.backend.refuses("GET", f"{PLACES}/p1", status=404)
    with offered("all" if is_offered else "energy.create_customer"):
        shown = site.get(f"{NEW}?placeId=p1").fields
        assert (shown["placeId"], shown["placeId-text"]) == ("p1", "p1")
        assert ("placeId" in site.get(NEW).fields) is is_offered
    assert len(site.backend.calls_to(f"{PLACES}/p1")) == int(is_offered)


def test_a_script_asks_for_the_matches_and_a_search_that_fails_has_its_status(site: Site) -> None:
    page = site.get(f"{NEW}?choices=placeId&q=o%00s").html
    assert re.findall(r'data-id="([^"]*)"', page) == ["p1", "p2"]
    assert 'data-text="Oslo &lt;1&gt;"' in page
    assert "<html" not in page
    assert site.backend.calls_to(PLACES)[0].query["q"] == "o s", "control characters are not searched for"
    assert site.get(f"{NEW}?choices=name&q=os").html == ""
    site.backend.refuses("GET", PLACES, status=403)
    assert site.get(f"{NEW}?choices=placeId&q=bergen").status == 403


def test_a_suggested_text_is_known_from_other_rows_and_a_text_like_any_other(site: Site) -> None:
    site.backend.answers("GET", f"{customers.CUSTOMERS}/counts", json={"name": {"Ida": 2, "Ada <3>": 7, "": 9}})
    page = site.get("/en/energy/stations/new?choices=name")
    assert re.findall(r'value="([^"]*)"', page.html) == ["Ada &lt;3&gt;", "Ida"]
    assert HostForm({"name": "Somebody new"}).is_valid()
    assert not HostForm({"name": "two\nlines"}).is_valid()
    assert '<datalist id="id_name-known"></datalist>' in str(HostForm()["name"])
