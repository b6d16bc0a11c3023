"""Lists as tools: what a filter, a range and "load more" ask of the backend, and what the page shows of them."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.test import Client

from portal.testing import Backend, SignedIn, row_ids

SESSIONS = "/energy/sessions"
PATH = "/en/energy/sessions"
HTMX = {"hx-request": "true"}
#: Cursors of the tests' backend.
AFTER_20, AFTER_40 = quote("after 20&="), quote("after 40&=")


@pytest.fixture
def browser(signed_in: SignedIn) -> Client:
    return signed_in("ENERGY_APP")


def rows(number: int, **fields: str) -> list[dict[str, str]]:
    return [{"id": f"ses_{index}", "status": "failed", **fields} for index in range(number)]


def test_the_backend_is_asked_for_what_is_chosen_and_counts_the_rest(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(3))
    page = browser.get(f"{PATH}?status=failed&status=active&startedAtFrom=2026-01-01&startedAtTo=2026-01-31&sort=-cost")
    [asked] = backend.calls_to(SESSIONS)
    limits = {"startedAtFrom": "2026-01-01T00:00:00Z", "startedAtTo": "2026-02-01T00:00:00Z"}
    assert asked.query == {"status": "active,failed", **limits, "sort": "-cost", "limit": "20"}
    [counted] = backend.calls_to(f"{SESSIONS}/counts")
    assert counted.query == {"status": "active,failed", **limits, "by": "status"}
    text = page.content.decode()
    assert 'value="failed" checked' in text
    assert '<span class="chip-count">3</span>' in text


@pytest.mark.parametrize(("fault", "is_said"), [(503, True), ("malformed", True), (404, False), (410, False)])
def test_without_numbers_the_list_is_as_it_was_and_says_so_where_they_are_missed(
    backend: Backend, browser: Client, fault: object, is_said: bool
) -> None:
    backend.lists(SESSIONS, rows(1))
    backend.fails(fault, path=f"{SESSIONS}/counts")  # type: ignore[arg-type]  # one of its faults
    page = browser.get(PATH)
    assert (page.status_code, row_ids(page)) == (200, ["ses_0"])
    assert 'value="failed"' in page.content.decode()
    assert "chip-count" not in page.content.decode()
    assert ("The filters could not be loaded completely." in page.content.decode()) is is_said


def test_more_rows_ask_for_no_numbers(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(45))
    browser.get(f"{PATH}?cursor={AFTER_20}", headers={**HTMX, "hx-target": "rows"})
    assert backend.calls_to(f"{SESSIONS}/counts") == []


def test_a_related_record_is_called_by_its_name(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(2, stationId="sta_1", stationName="Oslo <S>"))
    text = browser.get(f"{PATH}?stationId=sta_1").content.decode()
    assert "Station: Oslo &lt;S&gt;" in text
    assert '<input type="hidden" name="stationId" value="sta_1">' in text


def test_a_related_record_without_rows_is_asked_for_its_name(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, [])
    backend.answers("GET", "/energy/stations/sta_1", json={"id": "sta_1", "name": "Oslo S"})
    backend.refuses("GET", "/energy/stations/sta_2", status=404)
    text = browser.get(f"{PATH}?stationId=sta_1&stationId=sta_2").content.decode()
    assert "Station: Oslo S<" in text
    assert "Station: sta_2<" in text
    assert "No entry fits all that is chosen." in text


def test_an_address_with_pages_shows_them_all(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(65))
    assert len(row_ids(browser.get(f"{PATH}?pages=3"))) == 60


def test_more_rows_are_written_into_the_address(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(65))
    browser.get(f"{PATH}?status=failed")
    more = browser.get(f"{PATH}?status=failed&cursor={AFTER_20}&pages=2", headers={**HTMX, "hx-target": "rows"})
    assert more["HX-Replace-Url"] == f"{PATH}?status=failed&pages=2"
    assert len(row_ids(more)) == 20


def test_a_page_by_its_cursor_keeps_its_address(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(65))
    page = browser.get(f"{PATH}?cursor={AFTER_20}")
    assert row_ids(page)[0] == "ses_20"
    assert "Back to the first page" in page.content.decode()
    assert "&amp;pages=" not in page.content.decode()
    more = browser.get(f"{PATH}?cursor={AFTER_40}", headers={**HTMX, "hx-target": "rows"})
    assert "HX-Replace-Url" not in more


def test_a_cursor_that_nobody_knows_leads_to_the_beginning_and_says_so(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(3))
    refused = browser.get(f"{PATH}?cursor=stale", headers={**HTMX, "hx-target": "rows"})
    assert refused["HX-Redirect"] == f"{PATH}?cursor=stale"
    page = browser.get(f"{PATH}?cursor=stale")
    assert (page.status_code, len(row_ids(page))) == (200, 3)
    assert "This is the list’s beginning." in page.content.decode()


def test_a_refusal_of_anything_else_is_the_backends(backend: Backend, browser: Client) -> None:
    backend.refuses("GET", SESSIONS, errors={"sort": ["Not now."]})
    assert browser.get(f"{PATH}?cursor=stale").status_code == 422


def test_the_way_back_from_a_row_is_the_search_that_it_was_found_by(backend: Backend, browser: Client) -> None:
    backend.answers("GET", f"{SESSIONS}/ses_1", json={"id": "ses_1"})
    page = browser.get(f"{PATH}/ses_1", headers={"referer": f"http://testserver{PATH}?q=oslo&pages=2"})
    assert f'href="{PATH}?q=oslo&amp;pages=2"' in page.content.decode()
