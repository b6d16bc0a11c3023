"""Pages without a template of their own show the columns that are declared, each as its type is written."""

import re
from datetime import date, datetime
from decimal import Decimal

import pytest
from django.urls import URLPattern

from portal.query import ListParams, OpenEnum, QueryGroup, Row, Values, resource
from portal.rows import wire_names
from portal.web.present import Badge
from portal_pages import Column, DetailView, Filter, ListView, resource_pages
from portal_pages.lists.cells import written_cells
from portal_pages.lists.columns import ColumnFormat
from tests.portal_pages.customers import served
from tests.portal_pages.site import Site

#: The URLs of a list that has no template of its own: templates look addresses up among those of the real app.
PAGE = "/en/energy/chargers"
PATH = "/energy/tariffs"


class Kind(OpenEnum):
    FLAT = "flat"
    PAYG = "payg"


class Tariff(Row):
    name: str = ""
    kind: Kind | None = None
    state: Kind | None = None
    price: Decimal | None = None
    currency: str = ""
    share: float | None = None
    power: float | None = None
    is_open: bool | None = None
    begins: date | None = None
    changed_at: datetime | None = None
    tags: tuple[Kind, ...] = ()
    note: str | None = None

    def __str__(self) -> str:
        return self.name or self.id


class TariffsListParams(ListParams):
    state: Values | None = None


_tariffs = resource(PATH, item=Tariff, params=TariffsListParams)


class TariffQueries(QueryGroup, domain="energy"):
    use_get_tariffs_query = _tariffs.list
    use_get_tariff_query = _tariffs.detail


WORDS = {Kind.FLAT: "Flat rate", Kind.PAYG: "Pay as you go"}
STATES = {Kind.FLAT: Badge(label="Fixed", tone="good")}
#: Each attribute: its column, what the backend says, and what is shown of it.
FIELDS: dict[str, tuple[Column, object, str]] = {
    "name": (Column("Tariff"), "<Night>", "&lt;Night&gt;"),
    "kind": (Column("Kind", words=WORDS), "flat", "Flat rate"),
    "price": (Column("Price", kind="number"), "1234.50", "€1,234.50"),
    "share": (Column("Share", kind="number"), 0.125, "0.125"),
    "power": (Column("Power", kind="number", format="kw"), 11, "11 kW"),
    "is_open": (Column("Open"), True, "yes"),
    "begins": (Column("Begins"), "2026-03-09", "Mar 9, 2026"),
    "changed_at": (Column("Changed", format="short_moment"), "2026-03-09T07:05:00Z", "Mar 9, 2026, 07:05"),
    "tags": (Column("Tags", words=WORDS), ["payg", "other"], "Pay as you go and other"),
    "note": (Column("Note"), "a & b", "a &amp; b"),
    "upper": (Column("Upper", value=lambda row: row.name.upper()), None, "&lt;NIGHT&gt;"),
    "state": (Column("State", kind="corner", words=STATES), "flat", "Fixed"),
}
COLUMNS = {name: column for name, (column, _sent, _shown) in FIELDS.items()}
WIRE = wire_names(Tariff)
FULL = {"id": "t1", "currency": "EUR"} | {WIRE.get(name, name): sent for name, (_, sent, _) in FIELDS.items()}
SHOWN = [shown for _column, _sent, shown in FIELDS.values()]


@pytest.fixture
def pages() -> list[URLPattern]:
    return resource_pages(
        "energy/chargers",
        name="charger",
        title="Tariffs",
        list=ListView(
            hook=TariffQueries.use_get_tariffs_query,
            columns=COLUMNS,
            filters=(Filter("state", "State", choices=STATES),),
        ),
        detail=DetailView(hook=TariffQueries.use_get_tariff_query, template="portal/detail.html"),
    )


def texts(html: str, tag: str) -> list[str]:
    """What is in the elements of these names, without their tags."""
    found = re.findall(rf"<(?:{tag})\b[^>]*>(.*?)</(?:{tag})>", html, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", each).replace("\N{NO-BREAK SPACE}", " ").strip() for each in found]


def test_a_list_writes_each_value_as_its_type_and_what_is_hostile_as_it_is(site: Site) -> None:
    site.backend.lists(PATH, [FULL, {"id": "t2"}])
    body = site.get(PAGE).html.partition("<tbody")[2].partition("</tbody>")[0]
    assert [texts(row, "th|td") for row in body.split("</tr>")[:2]] == [SHOWN, ["t2", *[""] * 11]]
    assert '<td class="number" data-label="Power">' in body
    assert '<th scope="row"><a href="/en/energy/chargers/t1">' in body
    assert ">Fixed</span></td>" in body


def test_the_page_of_a_row_has_the_columns_as_its_facts_and_the_badge_beside_its_name(site: Site) -> None:
    site.backend.lists(PATH, [FULL])
    page = site.get(f"{PAGE}/t1").html
    facts = dict(zip(texts(page, "dt"), texts(page, "dd"), strict=True))
    labels = [column.label for column in COLUMNS.values()]
    assert facts == dict(zip(labels[1:-1], SHOWN[1:-1], strict=True)) | {"ID": "t1"}
    head = page.partition('<header class="head"')[2].partition("</header>")[0]
    assert "Fixed" in head


@pytest.mark.parametrize("kind", ["mailto", "tel"])
def test_the_name_of_a_row_is_a_link_to_its_page_and_holds_no_other(kind: ColumnFormat) -> None:
    columns = {name: Column(name, format=kind) for name in ("name", "note")}
    assert [cell.format for cell in written_cells(columns, Tariff)] == ["text", kind]


def test_a_day_that_is_missed_is_marked_and_said_in_a_word(site: Site) -> None:
    columns = {"name": Column("Name"), "begins": Column("Begins", late=lambda tariff: tariff.id == "t1")}
    missed = ListView(hook=TariffQueries.use_get_tariffs_query, columns=columns)
    site.backend.lists(PATH, [{"id": "t1", "begins": "2026-03-09"}, {"id": "t2", "begins": "2026-03-09"}])
    with served(*resource_pages("energy/chargers", name="charger", title="Tariffs", list=missed)):
        page = site.get(PAGE).html
    assert page.count('<strong class="late"><time datetime="2026-03-09">') == 1
    assert page.count(" (late)") == 1
