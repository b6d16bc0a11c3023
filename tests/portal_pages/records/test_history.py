"""The history of a row on its page, the notes on it, and a deletion that is taken back."""

import re
from dataclasses import replace
from typing import Any

import pytest
from django.urls import URLPattern

from portal.testing import Backend, page_of
from portal.web.present import Badge
from portal.web.submissions import SUBMISSION_FIELD, new_submission_key
from portal_pages import Column
from tests.portal_pages import customers
from tests.portal_pages.site import HERE, PAGE, ROW, Page, Site
from tests.support.offers import offered

HISTORY = f"{ROW}/activity"
ADA = {"id": "c1", "name": "Ada <A>", "city": "OSL", "version": 3, "createdAt": "2026-03-01T10:00:00Z"}
NOTE, UNDELETE = f"{HERE}/note", f"{HERE}/restore"
WARNING = "This can’t be undone."
LABELS = {"name": "Name", "hostId": "Host", "guide": "Guide"}
LABELS |= {"lines": "Lines", "vip": "VIP", "deposit": "Deposit", "tags": "Tags"}


@pytest.fixture
def pages(backend: Backend) -> list[URLPattern]:
    backend.lists(customers.CUSTOMERS, [ADA])
    backend.answers("GET", HISTORY, json=page_of([]))
    words = {"OSL": Badge(label="Oslo"), "BER": "Berlin <B>"}
    return customers.customer_pages(
        list=replace(customers.NAMES, columns={"name": Column("Name"), "city": Column("City", words=words)}),
        detail=replace(
            customers.DETAIL,
            activity=customers.CustomerQueries.use_get_customer_activity_query,
            note=customers.CustomerMutations.use_note_customer_mutation,
            facts={name: Column(label, value=lambda _guest: None) for name, label in LABELS.items()},
        ),
        edit=replace(customers.EDIT, form=customers.PhoneForm),
        delete=replace(
            customers.DELETE, restore=customers.CustomerMutations.use_restore_customer_mutation, text="Ada leaves."
        ),
    )


def entry(number: int, kind: str = "changed", *changes: Any, **fields: Any) -> dict[str, Any]:
    at = f"2026-03-02T10:{number:02}:00Z"
    return {"id": f"e{number}", "kind": kind, "createdAt": at, "accountName": "Eve", "changes": changes, **fields}


def changed(field: Any, before: Any, after: Any) -> dict[str, Any]:
    return {"field": field, "before": before, "after": after}


def told(page: Page) -> list[str]:
    """The entries as people read them, without their times."""
    entries = re.findall(r'<li id="entry-\d+">(.*?)<p class="hint">', page.text, re.DOTALL)
    return [" ".join(re.sub(r"</?(p|strong)[^>]*>", " ", each).split()) for each in entries]


def test_each_entry_says_who_did_what_in_the_words_of_the_pages_and_nothing_in_those_of_the_wire(site: Site) -> None:
    entries = [
        entry(5, "note", text="Called.\n<b>Twice</b>"),
        entry(4, "changed", changed("city", "OSL", "BER"), changed("phone", None, "+47 1"), accountName=""),
        entry(3, "changed", changed("phone", "x" * 200, "")),
        entry(6, "changed", changed("stationId", "s1", "s2"), changed("stationName", None, "Oslo")),
        entry(2, "changed", changed("hostId", "h1", "h2"), changed("hostName", "Ida", "Uwe")),
        entry(7, "changed", changed("guideId", "g1", None), changed("guide", "Ida", None)),
        entry(1, "created"),
    ]
    site.backend.answers("GET", HISTORY, json=page_of(entries))
    page = site.get()
    assert told(page) == [
        "Eve wrote a note Called. <b>Twice</b>",
        "Somebody changed “City” from Oslo to Berlin <B> and set “Phone” to +47 1",
        f"Eve removed “Phone”, which was {'x' * 79}…",
        "Eve changed this",
        "Eve changed “Host” from Ida to Uwe",
        "Eve removed “Guide”, which was Ida",
        "Eve created this",
    ]
    assert "Called.\n&lt;b&gt;Twice&lt;/b&gt;" in page.html
    assert re.search(r'<time datetime="2026-03-02T10:05:00\+00:00"[^>]*>[^<]*10:05 UTC</time>', page.html)


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        ([entry(1, "exploded"), entry(1, "changed"), {"id": "e"}], []),
        ([entry(1, "changed", changed("lines", [{"a": 1}], {}), "odd")], ["Eve changed “Lines”"]),
        ([entry(1, "changed", changed("vip", False, True))], ["Eve changed “VIP” from no to yes"]),
        ([entry(1, "changed", changed("deposit", "20.00", "7.5"))], ["Eve changed “Deposit” from 20 to 7.50"]),
        ([entry(1, "changed", changed("deposit", "1E+999999999", 10**400))], ["Eve changed “Deposit”"]),
        ([entry(1, "changed", changed("tags", ["a"], ["b", "c"]))], ["Eve changed “Tags” from a to b and c"]),
        ([{"id": 7, "kind": ["x"], "accountName": {}, "changes": "x", "text": [], "createdAt": "never"}], []),
    ],
)
def test_odd_entries_are_left_out(site: Site, odd: list[Any], expected: list[str]) -> None:
    site.backend.answers("GET", HISTORY, json=page_of(odd))
    assert told(site.get()) == expected


def test_older_entries_are_one_link_away_and_an_odd_address_shows_the_first(site: Site) -> None:
    site.backend.lists(HISTORY, [entry(number, "created") for number in range(45)])
    site.backend._responses.pop(("GET", HISTORY))
    page = site.get()
    assert (len(told(page)), f'href="{HERE}?history=2#entry-20"' in page.html) == (20, True)
    assert [len(told(site.get(f"{HERE}?history={pages}"))) for pages in (3, 99)] == [45, 45]
    for odd in ("0", "-1", "x", "²", "9" * 30):
        assert len(told(site.get(f"{HERE}?history={odd}"))) == 20, odd


@pytest.mark.parametrize("entries", [[entry(1, "created")], [entry(1, "exploded")], []])
def test_history_that_ends_without_a_cursor_says_so(site: Site, entries: list[Any]) -> None:
    site.backend.answers("GET", HISTORY, json={"items": entries, "hasNext": True, "nextCursor": None})
    text = site.get().text
    assert "There are more entries. The service does not say how to get them." in text
    assert "Nothing here yet" not in text


def test_a_history_that_could_not_be_loaded_says_so_beside_the_row(site: Site) -> None:
    site.backend.fails(503, path=HISTORY)
    page = site.get()
    assert (page.status, "This could not be loaded." in page.text, NOTE in page.forms) == (200, True, True)


def test_history_and_undo_follow_what_is_offered(site: Site) -> None:
    site.backend.answers("DELETE", ROW, status=204)
    with offered("energy.get_customers", "energy.get_customer", "energy.delete_customer"):
        page = site.get()
        assert ('id="history"' in page.html, NOTE in page.forms) == (False, False)
        assert f"Ada leaves. {WARNING}" in page.text
        site.post(f"{HERE}/delete", page.forms[f"{HERE}/delete"])
        page = site.get(PAGE)
    assert ("“Ada <A>” was deleted." in page.text, UNDELETE in page.forms) == (True, False)
    assert not site.backend.calls_to(HISTORY)


class TestNotes:
    """The form below the heading of the history."""

    def send(self, site: Site, text: str) -> Page:
        return site.post(NOTE, site.get().forms[NOTE] | {"text": text})

    def test_a_note_is_written_and_the_next_page_has_it(self, site: Site) -> None:
        site.backend.answers("POST", HISTORY, json=entry(1, "note", text="Hello"), status=201)
        form = site.get().forms[NOTE] | {"text": " Two\r\nlines "}
        site.backend.answers("GET", HISTORY, json=page_of([entry(1, "note", text="Two\nlines")]))
        for _ in range(2):
            assert site.post(NOTE, form).location == f"{HERE}#history"
        assert site.bodies(HISTORY, "POST") == [{"text": "Two\nlines"}], "a form that arrives twice is one note"
        page = site.get()
        assert (told(page), "The note was added." in page.text) == (["Eve wrote a note Two lines"], True)
        assert page.forms[NOTE]["submissionKey"] != form["submissionKey"], "what is written next is another note"

    @pytest.mark.parametrize("text", ["", "  ", "a\0b", "x" * 2001])
    def test_what_is_no_note_does_not_travel_and_comes_back(self, site: Site, text: str) -> None:
        page = self.send(site, text)
        assert (page.status, "field-error" in page.html, site.bodies(HISTORY, "POST")) == (422, True, [])

    def test_without_notes_the_form_says_so(self, site: Site) -> None:
        site.backend.refuses("POST", HISTORY, status=405)
        page = self.send(site, "Hello <you>")
        assert page.status == 422
        assert ["No notes can be written here" in page.text, "Hello <you>" in page.text] == [True, True]


class TestRestore:
    """A deletion that is taken back."""

    def deleted(self, site: Site) -> Page:
        page = site.get()
        assert ("Ada leaves." in page.text, WARNING in page.text) == (True, False)
        site.backend.answers("DELETE", ROW, status=204)
        assert site.post(f"{HERE}/delete", page.forms[f"{HERE}/delete"]).location == PAGE
        return site.get(PAGE)

    @pytest.mark.parametrize("status", [404, 405])
    def test_without_restores_the_page_says_so(self, site: Site, status: int) -> None:
        page = self.deleted(site)
        site.backend.refuses("GET", ROW, status=404)
        site.backend.refuses("POST", f"{ROW}/restore", status=status)
        assert site.post(UNDELETE, page.forms[UNDELETE]).location == PAGE
        assert "This can’t be brought back" in site.get(PAGE).text

    def test_restored_row_is_there_again(self, site: Site) -> None:
        page = self.deleted(site)
        assert "“Ada <A>” was deleted." in page.text
        site.backend.answers("POST", f"{ROW}/restore", json=ADA)
        assert site.post(UNDELETE, page.forms[UNDELETE]).location == HERE
        assert "“Ada <A>” is there again." in site.get().text
        # At a second press too, and in another tab.
        site.backend.refuses("POST", f"{ROW}/restore", status=404)
        for key in ({}, {SUBMISSION_FIELD: new_submission_key()}):
            assert site.post(UNDELETE, page.forms[UNDELETE] | key).location == HERE
        page = site.get()
        assert ("is there again." in page.text, WARNING in page.text) == (True, False)


def test_an_edit_can_be_undone(site: Site) -> None:
    sent = site.get(f"{HERE}/edit").fields | {"phone": "+47 1"}
    site.backend.answers("PATCH", ROW, json=ADA | {"phone": "+47 1", "version": 4})
    assert site.post(f"{HERE}/edit", sent).location == HERE
    undo = site.get().forms[f"{HERE}/undo"]
    site.backend.answers("PATCH", ROW, json=ADA | {"version": 5})
    assert site.post(f"{HERE}/undo", undo).location == HERE
    assert site.writes(ROW) == [('"3"', {"phone": "+47 1"}), ('"4"', {"phone": None})]
