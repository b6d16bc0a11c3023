"""The sidebar: an entry for each list that the app's pages declare, for who may open it."""

import re

import pytest
from django.test import Client

from portal.config.places import SOURCE_ROOT
from portal.testing import Backend, SignedIn
from portal.web import context_processors
from portal.web.frame.navigation import NavigationEntry


@pytest.fixture
def user(backend: Backend, signed_in: SignedIn) -> Client:
    backend.lists("/energy/clients", [])
    return signed_in("ENERGY_APP")


def entries(user: Client) -> list[tuple[str, str]]:
    """Address and icon of each entry."""
    page = user.get("/en/energy/clients").content.decode()
    nav = page.partition("<nav")[2].partition("</nav>")[0]
    return re.findall(r'<a class="side-link" href="([^"]*)".*?<svg[^>]*>(.*?)</svg>', nav, re.DOTALL)


def test_the_entries_are_the_home_and_the_lists_in_the_order_of_the_urls(user: Client) -> None:
    paths = [path.removeprefix("/en/energy") for path, _icon in entries(user)]
    assert paths == ["", "/clients", "/stations", "/chargers", "/sessions", "/meters"]
    assert len({icon for _path, icon in entries(user)}) == 6


def test_a_list_is_opened_by_its_key_and_offers_its_form_in_the_palette(user: Client) -> None:
    page = user.get("/de/energy/clients").content.decode()
    entry = re.search(r'<a class="side-link" href="/de/energy/clients"[^>]*>', page)
    assert entry is not None
    for part in ('data-shortcut="g c"', 'data-create="/de/energy/clients/new"', 'data-create-label="Neuer Kunde"'):
        assert part in entry[0]


def test_a_list_without_an_icon_of_its_own_has_a_shared_one(user: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = NavigationEntry(route="help", label="Papers")
    monkeypatch.setattr(context_processors, "navigation_entries", lambda: (papers,))
    icon = (SOURCE_ROOT / "packages/portal/web/templates/portal/icons/list.svg").read_text()
    [(_path, drawing)] = [entry for entry in entries(user) if entry[0] == "/en/help"]
    assert drawing in icon
    assert drawing.strip()
