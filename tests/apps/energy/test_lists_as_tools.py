"""Lists as tools: what a filter, a range and "load more" ask of the backend, and what the page shows of them."""

from urllib.parse import quote

import pytest
from django.http import HttpResponse
from django.test import Client

from portal.testing import Backend, row_ids
from tests.support.offers import offered

SESSIONS, COUNTS = "/energy/sessions", "/energy/sessions/counts"
CLIENTS = "/energy/clients"
PATH = "/en/energy/sessions"
ROWS = {"hx-request": "true", "hx-target": "rows"}
#: Cursors of the tests' backend.
AFTER_20 = quote("after 20&=")


def rows(number: int, **fields: str) -> list[dict[str, str]]:
    return [{"id": f"ses_{index}", "status": "failed", **fields} for index in range(number)]


def menu_of(page: HttpResponse) -> str:
    """The HTML of the clients' menu of cities; empty if there is none."""
    return page.content.decode().partition('id="menu-city"')[2].partition("</details>")[0]


def test_the_backend_is_asked_for_what_is_chosen_and_counts_the_rest(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(3, startedAt="2026-01-05T00:00:00Z"))
    page = browser.get(f"{PATH}?status=failed&status=active&startedAtFrom=2026-01-01&startedAtTo=2026-01-31&sort=-cost")
    [asked], [counted] = backend.calls_to(SESSIONS), backend.calls_to(COUNTS)
    limits = {"startedAtFrom": "2026-01-01T00:00:00Z", "startedAtTo": "2026-02-01T00:00:00Z"}
    assert asked.query == {"status": "active,failed", **limits, "sort": "-cost", "limit": "20"}
    assert counted.query == {"status": "active,failed", **limits, "by": "status"}
    for text in ('value="failed" checked', '<span class="chip-count">3</span>'):
        assert text in page.content.decode()


@pytest.mark.parametrize("days", ["startedAtFrom=soon", "startedAtFrom=2026-11-20&startedAtTo=2026-11-01"])
def test_wrong_days_show_no_row(backend: Backend, browser: Client, days: str) -> None:
    backend.lists(SESSIONS, rows(30))
    page = browser.get(f"{PATH}?{days}")
    text = page.content.decode()
    assert (row_ids(page), "Load more" in text, "entries" in text) == ([], False, False)
    assert ("Nothing to show" in text, "data-export hidden" in " ".join(text.split())) == (True, True)
    assert text.count('aria-invalid="true" aria-describedby="error-startedAtFrom"') == 2
    assert '<details class="filter-menu" id="menu-startedAt" name="list-menu" open>' in text
    assert browser.get(f"{PATH}/export?{days}")["Location"] == f"{PATH}?{days}"


def test_list_counts_its_rows_and_describes_itself_printed(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(65, startedAt="2026-02-01T00:00:00Z", cost="1.50"))
    assert "20 of 65 entries" in browser.get(PATH).content.decode()
    text = browser.get(f"{PATH}?q=oslo&status=failed&startedAtFrom=2026-01-01&sort=-cost").content.decode()
    on_paper = text.partition('<p class="on-paper">')[2].partition("</p>")[0]
    told = ["Search: oslo", "Status: Failed", "Started: from Jan 1, 2026", "Highest cost first"]
    assert [part.strip() for part in on_paper.split("·")] == told
    more = browser.get(f"{PATH}?cursor={AFTER_20}&pages=2", headers=ROWS).content.decode()
    assert "40 of 65 entries" in more


@pytest.mark.parametrize(("fault", "is_said"), [(503, True), (404, False)])
def test_list_without_numbers_says_so(backend: Backend, browser: Client, fault: object, is_said: bool) -> None:
    backend.lists(SESSIONS, rows(1))
    backend.fails(fault, path=COUNTS)  # type: ignore[arg-type]  # one of its faults
    page = browser.get(PATH)
    text = page.content.decode()
    assert (page.status_code, row_ids(page)) == (200, ["ses_0"])
    assert ('value="failed"' in text, "chip-count" in text) == (True, False)
    assert ("The filters could not be loaded completely." in text) is is_said


def test_open_menu_loads_its_choices(backend: Backend, browser: Client) -> None:
    backend.lists(CLIENTS, [{"id": "cli_1", "city": "Oslo"}, {"id": "cli_2", "city": "Oslo"}])
    opening = "/en/energy/clients?q=o&amp;city=Oslo&amp;menu=city"
    closed = menu_of(browser.get("/en/energy/clients?q=o&city=Oslo"))
    assert backend.calls_to(f"{CLIENTS}/counts") == []
    for text in (f'href="{opening}"', 'value="Oslo" checked', 'name="list-menu">'):
        assert text in closed
    for_htmx = menu_of(browser.get(opening.replace("&amp;", "&"), headers={**ROWS, "hx-target": "list"}))
    assert 'name="list-menu">' in for_htmx, "the page knows whether it is open"
    opened = menu_of(browser.get(opening.replace("&amp;", "&")))
    counted = backend.calls_to(f"{CLIENTS}/counts")[-1]
    assert counted.query == {"q": "o", "city": "Oslo", "by": "city"}
    for text in ('value="Oslo" checked', '<span class="chip-count">2</span>', 'name="list-menu" open>'):
        assert text in opened
    assert "menu=" not in opened
    assert menu_of(browser.get("/en/energy/clients?q=o&city=Oslo")) == closed


@pytest.mark.parametrize(
    ("fault", "says"), [(503, "The choices could not be loaded."), (404, "There is nothing to choose.")]
)
def test_empty_menu_says_so(backend: Backend, browser: Client, fault: object, says: str) -> None:
    backend.lists(CLIENTS, [{"id": "cli_1", "city": "Oslo"}])
    backend.fails(fault, path=f"{CLIENTS}/counts")  # type: ignore[arg-type]  # one of its faults
    page = browser.get("/en/energy/clients?menu=city")
    assert (page.status_code, row_ids(page)) == (200, ["cli_1"])
    assert says in menu_of(page)
    assert menu_of(browser.get("/en/energy/clients")), "it is asked for again"
    with offered("energy.get_clients?city"):
        assert not menu_of(browser.get("/en/energy/clients"))


def test_related_record_is_called_by_its_name(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(2, stationId="sta_1", stationName="Oslo <S>"))
    text = browser.get(f"{PATH}?stationId=sta_1").content.decode()
    assert "Station: Oslo &lt;S&gt;" in text
    assert '<input type="hidden" name="stationId" value="sta_1">' in text
    backend.lists(SESSIONS, [])
    backend.answers("GET", "/energy/stations/sta_1", json={"id": "sta_1", "name": "Oslo S"})
    backend.refuses("GET", "/energy/stations/sta_2", status=404)
    text = browser.get(f"{PATH}?stationId=sta_1&stationId=sta_2").content.decode()
    for shown in ("Station: Oslo S<", "Station: sta_2<", "No entry fits all that is chosen."):
        assert shown in text


def test_more_rows_stand_in_the_address(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(65))
    more = browser.get(f"{PATH}?status=failed&cursor={AFTER_20}&pages=2", headers=ROWS)
    assert more["HX-Replace-Url"] == f"{PATH}?status=failed&pages=2"
    assert len(row_ids(more)) == 20
    assert backend.calls_to(COUNTS) == []
    assert len(row_ids(browser.get(f"{PATH}?pages=3"))) == 60


def test_a_page_by_its_cursor_keeps_its_address_and_has_a_way_back(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(65))
    page = browser.get(f"{PATH}?cursor={AFTER_20}")
    text = page.content.decode()
    assert row_ids(page)[0] == "ses_20"
    assert ("Back to the first page" in text, "&amp;pages=" in text) == (True, False)


def test_a_cursor_that_nobody_knows_leads_to_the_beginning_and_says_so(backend: Backend, browser: Client) -> None:
    backend.lists(SESSIONS, rows(3))
    assert browser.get(f"{PATH}?cursor=stale", headers=ROWS)["HX-Redirect"] == f"{PATH}?cursor=stale"
    page = browser.get(f"{PATH}?cursor=stale")
    assert (page.status_code, len(row_ids(page))) == (200, 3)
    assert "This is the list’s beginning." in page.content.decode()
