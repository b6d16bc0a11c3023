"""The names that every template has: links, addresses, icons, texts."""

from enum import StrEnum
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pytest
from django.template import engines
from django.utils import translation
from jinja2 import TemplateNotFound
from markupsafe import Markup

from portal.edge.paths import is_malformed
from portal.web.present import Badge
from portal.web.templating.environment import mailto
from tests.support.offers import offered


def rendered(text: str, *, language: str = "en", **values: Any) -> str:
    with translation.override(language):
        return engines["pages"].from_string(text).render(values)


@pytest.mark.parametrize("row_id", [None, "", "..", "a\nb", "del\x7f", "c1\x85", "half\ud800"])
def test_an_id_that_no_address_can_carry_is_shown_without_a_link(row_id: str) -> None:
    assert rendered("{{ url('client', id) }}", id=row_id) == ""
    assert rendered("{{ '<Ada>'|link('client', id) }}", id=row_id) == "&lt;Ada&gt;"


@pytest.mark.parametrize(
    ("row_id", "address"),
    [
        ("cli_1", "/en/energy/clients/cli_1"),
        ("...", "/en/energy/clients/..."),
        ("50% off?#", "/en/energy/clients/50%25%20off%3F%23"),
        ("grün", "/en/energy/clients/gr%C3%BCn"),
        ("new", "/en/energy/clients/~new"),
        ("a/ü\\", "/en/energy/clients/~a~2F%C3%BC~5C"),
    ],
)
def test_any_other_id_leads_to_its_page(row_id: str, address: str) -> None:
    assert rendered("{{ url('client', id) }}", id=row_id) == address
    assert rendered("{{ url(route, id) }}", language="de", route="client", id=row_id) == address.replace("/en/", "/de/")
    assert not is_malformed(unquote(address))
    assert rendered("{{ 'Ada'|link('client', id) }}", id=row_id) == f'<a href="{address}">Ada</a>'


@pytest.mark.parametrize(("platform", "names"), [("FINANCE", "all"), ("ENERGY", "all"), ("FINANCE", "required")])
def test_row_of_another_platform_is_linked_if_permitted(platform: str, names: str) -> None:
    shown = '<a href="http://gateway.test/en/finance/invoices/inv_1">1001</a>'
    shell = SimpleNamespace(platforms=(platform,), gateway_url="http://gateway.test", locale="en")
    with offered(names):
        page = rendered("{{ '1001'|platform_link('/finance/invoices', 'inv_1') }}", shell=shell)
    assert page == (shown if (platform, names) == ("FINANCE", "all") else "1001")


def test_label_is_escaped_unless_it_is_html() -> None:
    html = '<a href="/en/energy/clients/cli_1">%s</a>'
    for label, shown in ((Markup("<b>"), "<b>"), ("<b>", "&lt;b&gt;"), (Markup("<b>"), "<b>"), (7, "7"), (None, "–")):
        assert rendered("{{ label|link('client', 'cli_1') }}", label=label) == html % shown


def test_a_status_needs_badges_or_it_would_be_shown_as_its_code_in_every_language() -> None:
    with pytest.raises(TypeError, match=r"row\.status\|badge\(statuses\)"):
        rendered("{{ 'paid'|badge }}")


def test_an_entry_of_the_navigation_is_current_on_its_page_and_below() -> None:
    entry = "{{ nav_link('clients', '<Clients>', icon='clients', exact=exact) }}"

    def is_current(pathname: str, *, exact: bool) -> bool:
        shown = rendered(entry, shell=SimpleNamespace(pathname=pathname), exact=exact)
        assert '<svg class="icon"' in shown
        assert "&lt;Clients&gt;" in shown
        return ' aria-current="page"' in shown

    assert is_current("/en/energy/clients", exact=True)
    assert is_current("/en/energy/clients/cli_1", exact=False)
    assert not is_current("/en/energy/clients/cli_1", exact=True)
    assert not is_current("/en/energy/clients-2", exact=False)


def test_a_missing_icon_is_named_with_the_places_where_it_was_looked_for() -> None:
    with pytest.raises(TemplateNotFound, match=r"energy/icons/unicorn\.svg nor portal/icons/unicorn\.svg"):
        rendered("{{ icon('unicorn') }}")


def test_a_text_is_translated_and_its_values_are_escaped() -> None:
    text = "{{ _('No entry matches “%(q)s”. Check the spelling, or search for less.', q=q) }}"
    assert rendered(text, language="de", q="<b>") == (
        "Kein Eintrag passt zu „&lt;b&gt;“. Prüfen Sie die Schreibweise, oder suchen Sie nach weniger Wörtern."
    )


BADGES = {"paid": Badge(label="<Paid>", tone="good")}


class Status(StrEnum):
    PAID = "paid"


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        ("paid", '<span class="badge good">&lt;Paid&gt;</span>'),
        (Status.PAID, '<span class="badge good">&lt;Paid&gt;</span>'),
        ("<odd>", '<span class="badge calm">&lt;odd&gt;</span>'),
        (None, '<span class="badge calm">–</span>'),
    ],
)
def test_a_status_has_its_badge_and_one_without_a_badge_shows_its_code(status: str | None, shown: str) -> None:
    assert rendered("{{ status|badge(badges) }}", status=status, badges=BADGES) == shown


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("ada@example.com", "mailto:ada@example.com"),
        ("a@b.test?bcc=eve@b.test&body=x", "mailto:a@b.test%3Fbcc%3Deve@b.test%26body%3Dx"),
    ],
)
def test_an_address_adds_no_fields_to_a_letter(address: str, url: str) -> None:
    assert f'href="{url}"' in mailto(address)
