"""Views of a list: those that it declares, and those that a user saves in a browser."""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import pytest
from django.urls import URLPattern

from portal.services.energy.clients import ClientQueries
from portal.testing import Backend, SignedIn
from portal_pages import Column, Filter, ListView, QuickView
from tests.portal_pages.customers import COLUMNS, customer_pages
from tests.portal_pages.site import PAGE, Page, Site
from tests.support.offers import offered

CLIENTS = "/energy/clients"
COOKIE = "saved_views_energy"
NO_ROOM = "This browser has no room for another view. Delete one first."
OSLO = f"{PAGE}?city=Oslo&sort=name"
ADA = {"id": "c1", "name": "Ada", "city": "Oslo"}
TABLE = COLUMNS | {"city": Column("City", sort="city", kind="extra")}


def view(**given: Any) -> ListView[Any]:
    filters = (Filter("city", "City", choices={"Oslo": "Oslo", "Ulm": "Ulm"}),)
    return ListView(hook=ClientQueries.use_get_clients_query, columns=TABLE, filters=filters, **given)


@pytest.fixture
def pages() -> list[URLPattern]:
    quick = (QuickView("In Ulm", {"city": "Ulm"}), QuickView("Nobody's", lambda _request: None))
    return customer_pages(list=view(views=quick))


@pytest.fixture
def site(site: Site) -> Site:
    site.backend.lists(CLIENTS, [])
    return site


def save(site: Site, name: str, address: str = OSLO, **sent: str) -> Page:
    return site.post(address, {"view": name, **sent})


def chips(page: Page) -> list[tuple[str, str, bool]]:
    """Address, text, and whether it is the state that is shown, of each view above the list."""
    row = page.html.partition('id="list-views"')[2].partition("</nav>")[0]
    found = re.findall(r'href="([^"]*)"( aria-current="true")?>([^<]*)</a>', row)
    return [(href.replace("&amp;", "&"), text, bool(current)) for href, current, text in found]


def pins(page: Page) -> list[tuple[str, str]]:
    """What the sidebar has of each view: `hidden` or nothing, and its text."""
    return re.findall(r'<li( hidden)?><a class="side-link pin"[^>]*>([^<]*)</a>', page.html)


def kept(site: Site) -> dict[str, Any]:
    value = site.browser.cookies[COOKIE].value
    return dict(json.loads(urlsafe_b64decode(value + "==")))


def keep(site: Site, content: object) -> None:
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    site.browser.cookies[COOKIE] = urlsafe_b64encode(raw).decode().rstrip("=")


def test_the_state_of_a_list_is_saved_under_a_name_in_a_cookie_of_this_app_that_no_script_reads(site: Site) -> None:
    assert chips(site.get(PAGE)) == [(PAGE, "All", True), (f"{PAGE}?city=Ulm", "In Ulm", False)]
    saved = save(site, " My <b> Oslo ", pinned="yes")
    assert (saved.status, saved.location, saved.said) == (303, OSLO, ["The view “My <b> Oslo” was saved."])
    cookie = saved.response.cookies[COOKIE]
    assert [cookie[each] for each in ("httponly", "samesite", "path", "domain")] == [True, "Lax", "/", ""]
    for address, is_current in ((PAGE, False), (f"{PAGE}?sort=name&city=Oslo", True)):
        page = site.get(address)
        assert chips(page)[2:] == [(OSLO, "My &lt;b&gt; Oslo", is_current)]
        assert pins(page)[0] == ("", "My &lt;b&gt; Oslo")


def test_a_name_that_is_there_gets_the_new_state_and_is_deleted_from_any_state(site: Site) -> None:
    save(site, "Mine", pinned="yes")
    save(site, "Mine", f"{PAGE}?q=ada&cursor=x&pages=3&next=//evil.example")
    page = site.get(PAGE)
    assert chips(page)[2:] == [(f"{PAGE}?q=ada", "Mine", False)]
    assert pins(page)[0] == (" hidden", "Mine"), "the palette finds it"
    assert save(site, "Mine", PAGE, delete="yes").said[-1:] == ["The view “Mine” was deleted."]
    assert len(chips(site.get(PAGE))) == 2


def test_views_of_two_accounts_stay_apart(site: Site, backend: Backend, signed_in: SignedIn) -> None:
    for name, address in (("All", PAGE), ("  ", OSLO)):
        save(site, name, address)
        assert COOKIE not in site.browser.cookies, "a list that is not narrowed, and no name"
    save(site, "Mine")
    other = Site(backend, signed_in("ENERGY_APP"))
    other.browser.cookies[COOKIE] = site.browser.cookies[COOKIE].value
    assert "Mine" not in other.get(PAGE).text
    save(other, "Theirs")
    assert sorted(each[0][1] for each in kept(other).values()) == ["Mine", "Theirs"]


def test_what_does_not_fit_in_is_said_and_nothing_is_lost(site: Site) -> None:
    for number in range(20):
        save(site, f"View {number}")
    [views] = kept(site).values()
    assert save(site, "One more").said[-1] == NO_ROOM
    assert kept(site).popitem()[1] == views
    site.browser.cookies.pop(COOKIE)
    for number in range(12):
        last = save(site, f"{number}{'ü' * 60}", f"{PAGE}?q={'x' * 190}")
    assert last.said[-1] == NO_ROOM
    assert 3000 < len(site.browser.cookies[COOKIE].value) <= 3500


def test_where_there_is_no_room_the_views_of_other_accounts_go_first(site: Site) -> None:
    save(site, "Mine")
    [tag] = kept(site)
    old, new = ([["clients", f"{number}", f"q={'x' * 380}", False] for number in range(count)] for count in (5, 1))
    keep(site, {"OLD": old, **kept(site), "NEW": new})
    assert save(site, "Big", f"{PAGE}?q={'x' * 190}&sort=name").said[-1] == "The view “Big” was saved."
    assert sorted(kept(site)) == sorted(["NEW", tag])
    assert [each[1] for each in kept(site)[tag]] == ["Mine", "Big"]


@pytest.mark.parametrize(
    "content",
    [
        b"\xff",
        {"TAG": [["clients", "x"]]},
        {"TAG": [["clients", 1, "q=a", False]]},
        {"TAG": [["clients", "", "q=a", False], ["clients", "a\nb", "q=a", True], ["clients", "x" * 61, "q=a", True]]},
        {"TAG": [["clients", "x", "q=" + "a" * 600, False]]},
        b"[" * 2600,
    ],
)
def test_a_cookie_that_nobody_could_have_saved_shows_nothing(site: Site, content: Any) -> None:
    save(site, "Mine")
    [tag] = kept(site)
    keep(site, {tag: content["TAG"]} if isinstance(content, dict) else content)
    assert len(chips(site.get(PAGE))) == 2


def test_a_part_of_the_page_for_htmx_has_the_views_and_the_form_of_its_state(site: Site) -> None:
    part = site.get(OSLO, **{"hx-request": "true", "hx-target": "list"})
    assert 'id="list-views" aria-label="Views" hx-boost="true" hx-swap-oob="true"' in part.html
    assert f'method="post" action="{OSLO}"' in part.text


def test_view_of_an_absent_filter_is_hidden(site: Site) -> None:
    site.backend.lists(CLIENTS, [ADA])
    save(site, "Norway", pinned="yes")
    assert "In Ulm" in site.get(PAGE).text
    with offered("required"):
        pages = [site.get(path).text for path in (f"{PAGE}?city=Ulm", PAGE)]
    assert not any(text in page for text in ("In Ulm", "Norway", "narrow or sort") for page in pages)
    assert ["Left out: City." in page for page in pages] == [True, False]


LAYOUT = "table_layout_energy"


def change_table(site: Site, *columns: str, **sent: str) -> Page:
    return site.post(OSLO, {"table": "yes", "column": list(columns), **sent})


def headings(page: Page) -> list[str]:
    table = page.html.partition("<thead")[2].partition("</thead>")[0]
    return [text.split(">")[-1].strip() for text in re.findall(r"<th[^>]*>(.*?)(?:</a>\s*)?</th>", table, re.DOTALL)]


def test_a_table_without_some_columns_and_with_compact_rows_stays_so_in_this_app(site: Site) -> None:
    site.backend.lists(CLIENTS, [ADA])
    [name, *others] = headings(site.get(PAGE))
    changed = change_table(site, *[*COLUMNS][2:], compact="yes")
    assert (changed.status, changed.location) == (303, OSLO)
    assert changed.response.cookies[LAYOUT]["httponly"]
    for address in (PAGE, OSLO):
        page = site.get(address)
        assert headings(page) == [name, *others[1:]], "the name stays, and what was not chosen is gone"
        assert page.html.count('<table class="table compact">') == 1
    change_table(site, *COLUMNS)
    assert headings(site.get(PAGE)) == [name, *others]


def test_rows_for_a_table_with_other_columns_than_chosen_now_bring_the_page_anew(site: Site) -> None:
    site.backend.lists(CLIENTS, [ADA | {"id": f"c{number}"} for number in range(45)])

    def more(page: Page) -> Page:
        [address] = re.findall(r'hx-get="([^"]*cursor=[^"]*)"', page.html)
        return site.get(address.replace("&amp;", "&"), HX_Request="true", HX_Target="rows")

    before = site.get(PAGE)
    assert "data-row-id" in more(before).html
    change_table(site, *[*TABLE][2:])
    assert more(before).response["HX-Redirect"] == f"{PAGE}?pages=2"
    row = more(site.get(PAGE)).html.partition('id="rows"')[2].partition("</tr>")[0]
    assert row.count("<td") == len(TABLE) - 2


@pytest.mark.parametrize(
    "cookie",
    ["+", "clients.", ".city", "clients.name", "other.city", "x" * 4000, "<b>+clients.<b>", '"\\012\\040"' * 300],
)
def test_a_cookie_of_any_content_hides_no_column_that_it_does_not_name(site: Site, cookie: str) -> None:
    site.backend.lists(CLIENTS, [ADA])
    all_headings = headings(site.get(PAGE))
    site.browser.cookies[LAYOUT] = cookie
    assert headings(site.get(PAGE)) == all_headings
    change_table(site, *COLUMNS, compact="yes")
    assert len(site.browser.cookies[LAYOUT].value) <= 3500
