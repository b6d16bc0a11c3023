"""Several rows at once: one thing is done to each of them, over the version that the page showed, with one undo."""

import html
import re
from typing import Any

import pytest
from django.urls import URLPattern

from portal.testing import Backend, SignedIn
from portal_pages import RowAction
from portal_pages.records.bulk_pages import MOST_ROWS
from tests.portal_pages.customers import CUSTOMERS, NAMES, CityForm, Customer, PhoneForm, acting, customer_pages, served
from tests.portal_pages.site import PAGE, Page, Site
from tests.support.offers import offered

BULK = f"{PAGE}/bulk"

BERGEN = Customer.partial(city="Bergen")


def outside_rome(row: Customer) -> bool:
    return row.city != "Rome"


ACTIONS = (
    RowAction(name="move", label="Move to Bergen", values=BERGEN, message="", offered=outside_rome, bulk=True),
    RowAction(name="settle", label="Settle in", form=CityForm, message="Settled.", bulk=True),
    RowAction(name="phone", label="Note the phone", form=PhoneForm, message="Noted.", bulk=True),
    RowAction(name="lock", label="Lock", values=Customer.partial(city="X"), message="", permission="ADMIN", bulk=True),
    RowAction(name="alone", label="Alone", values=Customer.partial(city="Y"), message="Never."),
)


def row(number: int, **fields: Any) -> dict[str, Any]:
    return {"id": f"c{number}", "name": f"Ada {number}", "city": "Oslo", "version": 3, **fields}


@pytest.fixture
def pages(backend: Backend) -> list[URLPattern]:
    backend.lists(CUSTOMERS, [row(1), row(2), row(3, city="Rome"), *(row(each) for each in range(4, 60))])
    return customer_pages(list=NAMES, detail=acting(*ACTIONS))


def form_of(page: Page, action: str) -> dict[str, Any]:
    """The fields of one action's form, as a browser sends them."""
    form = next(each for each in re.findall(r"<form.*?</form>", page.html, re.DOTALL) if f'value="{action}"' in each)
    inputs = [dict(re.findall(r'([\w-]+)="([^"]*)"', tag)) for tag in re.findall(r"<input[^>]*>", form)]
    sent = {each["name"]: html.unescape(each.get("value", "")) for each in inputs}
    return sent | {"row": [each["value"] for each in inputs if each["name"] == "row"]}


def test_the_page_names_the_rows_and_offers_what_the_user_may_do_with_several(site: Site) -> None:
    page = site.get(f"{BULK}?row=c1&row=c2&row=none")
    assert ("2 selected" in page.text, "Ada 1" in page.text, "Ada 3" in page.text) == (True, True, False)
    labels = ("Move to Bergen", "Settle in", "Lock", "Alone")
    assert [label for label in labels if label in page.text] == ["Move to Bergen", "Settle in"]


def test_each_row_is_changed_over_the_version_that_was_shown_and_one_undo_brings_all_back(site: Site) -> None:
    for number in (1, 2):
        site.backend.answers("PATCH", f"{CUSTOMERS}/c{number}", json=row(number, city="Bergen", version=4))
    sent = form_of(site.get(f"{BULK}?list=q%3Dada&row=c1&row=c2&row=c3"), "move")
    assert site.backend.calls_to(f"{CUSTOMERS}/c1") == [], "the list has it"
    answer = site.post(BULK, sent)
    assert (answer.status, answer.location) == (303, f"{PAGE}?q=ada"), "the list as it was"
    assert [site.writes(f"{CUSTOMERS}/c{n}") for n in (1, 2, 3)] == [[('"3"', {"city": "Bergen"})]] * 2 + [[]]
    page = site.get(f"{PAGE}?q=ada")
    assert "Move to Bergen: 2 entries were changed." in page.text
    undone = site.post(BULK, page.forms[BULK])
    assert (undone.status, undone.location) == (303, f"{PAGE}?q=ada")
    assert [site.writes(f"{CUSTOMERS}/c{n}")[1:] for n in (1, 2)] == [[('"4"', {"city": "Oslo"})]] * 2


def test_a_form_that_arrives_twice_is_sent_under_the_same_keys(site: Site) -> None:
    site.backend.answers("PATCH", f"{CUSTOMERS}/c1", json=row(1, city="Bergen", version=4))
    sent = form_of(site.get(f"{BULK}?row=c1"), "move")
    for _ in range(2):
        site.post(BULK, sent)
    assert len(site.keys(f"{CUSTOMERS}/c1", "PATCH")) == 1


def test_what_somebody_else_has_changed_is_left_and_named_and_stays_selected(site: Site) -> None:
    site.backend.answers("PATCH", f"{CUSTOMERS}/c1", json=row(1, city="Bergen", version=4))
    site.backend.refuses("PATCH", f"{CUSTOMERS}/c2", status=412)
    answer = site.post(BULK, form_of(site.get(f"{BULK}?row=c1&row=c2"), "move"))
    assert answer.location == f"{BULK}?row=c2"
    assert "left as it is: Ada 2." in site.get(answer.location).text


def test_a_backend_that_stops_to_answer_is_asked_no_more_and_the_rest_is_named(site: Site) -> None:
    sent = form_of(site.get(f"{BULK}?row=c1&row=c2&row=c4"), "move")
    site.backend.fails(503, path=f"{CUSTOMERS}/c1")
    answer = site.post(BULK, sent)
    assert answer.location == f"{BULK}?row=c1&row=c2&row=c4"
    assert site.backend.calls_to(f"{CUSTOMERS}/c2", method="PATCH") == []
    assert "The service did not answer." in site.get(answer.location).text


@pytest.mark.parametrize(
    ("action", "typed", "says"),
    [("settle", {"city": ""}, "Please fill this in."), ("phone", {}, "Choose something first.")],
)
def test_form_without_a_choice_changes_nothing(site: Site, action: str, typed: dict[str, str], says: str) -> None:
    page = site.post(BULK, form_of(site.get(f"{BULK}?row=c1"), action) | typed)
    assert (says in page.text, site.writes(f"{CUSTOMERS}/c1")) == (True, [])


def test_what_one_undo_can_bring_back_is_changed_at_once_and_no_more(site: Site) -> None:
    ids = [f"c{number}" for number in (1, 2, *range(4, 60))]
    address = f"{BULK}?list=pages%3D3&" + "&".join(f"row={each}" for each in ids)
    for each in ids:
        site.backend.answers("PATCH", f"{CUSTOMERS}/{each}", json=row(int(each[1:]), city="Bergen", version=4))
    page = site.get(address)
    assert (f"{MOST_ROWS} selected" in page.text, f"{len(ids)} were selected" in page.text) == (True, True)
    site.post(BULK, form_of(page, "move"))
    assert "undo" in site.get(PAGE).forms[BULK]


@pytest.mark.parametrize("undo", ["", "x", "eyJ9:1:x"])
def test_an_undo_that_was_not_signed_here_writes_nothing(*, site: Site, undo: str) -> None:
    answer = site.post(BULK, {"undo": undo})
    assert (answer.status, site.backend.calls_to(f"{CUSTOMERS}/c1", method="PATCH")) == (303, [])


def test_no_row_at_all_leads_back_to_the_list(site: Site) -> None:
    answer = site.get(f"{BULK}?list=q%3Dx%26evil%3D1")
    assert (answer.status, answer.location) == (303, f"{PAGE}?q=x")


def test_the_file_of_selected_rows_has_these_alone(site: Site) -> None:
    response = site.browser.get(f"{PAGE}/export?row=c2&row=c3")
    lines = b"".join(response).decode("utf-8-sig").splitlines()  # type: ignore[arg-type]  # it streams
    assert [line.partition(",")[0] for line in lines] == ["ID", "c2", "c3"]


def test_without_scripts_a_list_has_boxes_where_it_is_asked_for_them(site: Site) -> None:
    boxes = [site.get(address).html.count('type="checkbox" form="select"') for address in (PAGE, f"{PAGE}?select=yes")]
    assert boxes == [0, 20]
    assert f'href="{PAGE}?q=ada&amp;select=yes"' in site.get(f"{PAGE}?q=ada").html, "what is chosen stays"


def test_a_change_of_somebody_else_is_told_even_where_the_row_needs_none_any_more(site: Site) -> None:
    sent = form_of(site.get(f"{BULK}?row=c1"), "move")
    site.backend.lists(CUSTOMERS, [row(1, city="Rome", version=4)])
    site.backend.answers("GET", f"{CUSTOMERS}/c1", json=row(1, city="Rome", version=4))
    sent["row"] = ["2:c1"]
    site.post(BULK, sent)
    assert "Changed by somebody else meanwhile" in site.get(PAGE).text


@pytest.mark.parametrize("path", [f"{BULK}?row=c50", f"{PAGE}/export?row=c1&row=c50"])
def test_a_row_that_can_not_be_read_now_is_an_outage_and_not_left_out(site: Site, path: str) -> None:
    site.backend.fails(503, path=f"{CUSTOMERS}/c50")
    assert site.get(path).status == 503


def test_an_id_may_have_colons(site: Site) -> None:
    site.backend.lists(CUSTOMERS, [row(1) | {"id": "urn:x:1"}])
    assert form_of(site.get(f"{BULK}?row=urn:x:1"), "move")["row"] == ["3:urn:x:1"]


def test_without_the_call_nothing_is_selected(site: Site) -> None:
    sent = form_of(site.get(f"{BULK}?row=c1"), "move")
    site.backend.refuses("PATCH", f"{CUSTOMERS}/c1", status=405)
    assert site.post(BULK, sent).location == f"{BULK}?row=c1"
    assert 'id="select"' in site.get(PAGE).html
    with offered("energy.get_customers", "energy.get_customer"):
        assert 'id="select"' not in site.get(PAGE).html
        assert site.get(f"{BULK}?row=c1").status == 404


def test_who_may_not_open_the_rows_is_not_offered_to_select_them(backend: Backend, signed_in: SignedIn) -> None:
    backend.lists(CUSTOMERS, [row(1)])
    with served(*customer_pages(list=NAMES, detail=acting(*ACTIONS, permission="EDITOR"))):
        users = (signed_in("ENERGY_APP", permissions=["ENERGY_APP", *more]) for more in ([], ["EDITOR"]))
        assert ['id="select"' in Site(backend, user).get(PAGE).html for user in users] == [False, True]
