"""Links to a row's own page: only where the edge would let the address through."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.template import Context, Template
from django.template.loader import get_template
from django.utils import translation

from portal.edge.routes.paths import is_malformed
from portal.web.templatetags.portal_links import id_url, row_link


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.mark.parametrize(
    "row_id", ["", ".", "..", "a/b", "a/", "a\\b", "\\", "a\x00", "a\nb", "tab\t", "del\x7f", "c1\x85", "half\ud800"]
)
def test_an_id_that_no_address_can_carry_is_shown_without_a_link(row_id: str) -> None:
    assert id_url("client", row_id) == ""
    assert row_link("client", row_id, "<Ada>") == "&lt;Ada&gt;"


@pytest.mark.parametrize(
    ("row_id", "address"),
    [
        ("cli_1", "/en/energy/clients/cli_1"),
        ("a.b", "/en/energy/clients/a.b"),
        ("...", "/en/energy/clients/..."),
        ("50% off?#", "/en/energy/clients/50%25%20off%3F%23"),
        ("grün", "/en/energy/clients/gr%C3%BCn"),
    ],
)
def test_any_other_id_leads_to_its_page(row_id: str, address: str) -> None:
    assert id_url("client", row_id) == address
    assert not is_malformed(f"/en/energy/clients/{row_id}")
    assert row_link("client", row_id, "Ada") == f'<a href="{address}">Ada</a>'


@pytest.mark.parametrize("icon", ["portal/icons/overview.svg", "energy/icons/meters.svg"])
def test_an_entry_of_the_navigation_shows_the_icon_whose_template_it_names(icon: str) -> None:
    entry = Template(f'{{% load portal_links %}}{{% nav_link "clients" "Clients" "{icon}" %}}')
    shown = entry.render(Context({"shell": SimpleNamespace(pathname="/en/energy")}))
    assert get_template(icon).render() in shown
