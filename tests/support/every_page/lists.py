"""Every state of every list, and of every page of one row."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

from portal.edge import NO_SEGMENT
from portal.testing import page_of
from portal.web.present.row_ids import id_segment
from tests.support.every_page.acts import Act, answers, at, fails, journey, lists, user
from tests.support.every_page.cases import HTMX_LIST, HTMX_ROWS, RELOAD, Case, Steps
from tests.support.every_page.rows import (
    CLIENTS,
    HOSTILE_IDS,
    HOSTILE_TEXT,
    HOSTILE_TEXTS,
    INVOICES,
    ODD_VALUES,
    RESOURCES,
    STATIONS,
    TYPED_TEXT,
    WORK_ORDERS,
    Resource,
    Row,
    history_of,
)

#: A search for markup, which the page shows again, and a sort order that there is not.
HOSTILE_SEARCH = urlencode({"q": TYPED_TEXT[:150], "sort": '"><x-hostile>', "cursor": ""})
#: The same as the value of every filter and of every day that a list may have.
HOSTILE_FILTERS = urlencode(
    dict.fromkeys(
        (
            *("status", "priority", "assignee", "city", "country", "connector", "stationId", "chargerId", "clientId"),
            *(f"{field}{end}" for field in ("createdAt", "startedAt", "issuedAt", "dueAt") for end in ("From", "To")),
            "pages",
        ),
        TYPED_TEXT[:90],
    )
)
#: The lists that are shown in every state. What is about pages, totals and parts is one code for all lists.
FIRST_OF_AN_APP = (CLIENTS, WORK_ORDERS, INVOICES)
NEXT_CURSOR = 'after "20" & <b>='


def list_cases() -> Iterator[Case]:
    """The lists, whole and in parts."""
    for resource in RESOURCES:
        for name, steps in _list_states(resource):
            shows = tuple(HOSTILE_TEXTS.values()) if name.startswith("hostile rows") else ()
            yield Case(site=resource.app, name=f"{resource.path} {name}", steps=steps, shows=shows)


def detail_cases() -> Iterator[Case]:
    """The pages of one row."""
    for resource in RESOURCES:
        for number, row in enumerate(resource.ordinary(len(resource.variants))):
            yield _detail(resource, f"row {number}", {**resource.parts, **row})
        for name, row in _other_rows(resource):
            yield _detail(resource, name, row)
        for number, row_id in enumerate(HOSTILE_IDS):
            if not NO_SEGMENT.match(row_id):
                yield _detail(resource, f"id {number}", {**resource.row, "id": row_id})


def map_cases() -> Iterator[Case]:
    """The map of the stations."""
    kinds = {"rows": STATIONS.ordinary(5), "hostile rows": STATIONS.hostile(), "odd rows": STATIONS.odd(), "no row": []}
    for name, rows in kinds.items():
        told = answers("GET", f"{STATIONS.backend_path}/positions", json={"stations": rows})
        yield Case(site=STATIONS.app, name=f"map, {name}", steps=journey(told, at(f"{STATIONS.path}/map")))


def elsewhere_cases() -> Iterator[Case]:
    """What a row has on another platform, for somebody who may open that."""
    for resource, other in ((CLIENTS, INVOICES), (STATIONS, WORK_ORDERS)):
        for name, rows in (("hostile rows", other.hostile()), ("no row", [])):
            row = answers("GET", f"{resource.backend_path}/row_0", json={**resource.row, "id": "row_0"})
            everywhere = user("ENERGY_APP", "FINANCE_APP", "OPERATIONS_APP")
            its_own = answers("GET", other.backend_path, json=page_of(rows))
            steps = journey(row, its_own, at(f"{resource.path}/row_0"), by=everywhere)
            yield Case(site=resource.app, name=f"{resource.path} detail, {name} of {other.path}", steps=steps)


def _detail(resource: Resource, name: str, row: Row) -> Case:
    row_id = str(row.get("id", "none"))
    row_path, segment = quote(row_id, safe=""), quote(id_segment(row_id), safe="")
    told = answers("GET", f"{resource.backend_path}/{row_path}", json=row)
    history = answers("GET", f"{resource.backend_path}/{row_path}/activity", json=page_of(history_of(row)))
    shows = (HOSTILE_TEXTS.get(name.removeprefix("hostile, "), HOSTILE_TEXT),) if name.startswith("hostile") else ()
    return Case(
        site=resource.app,
        name=f"{resource.path} detail, {name}",
        steps=journey(told, history, at(f"{resource.path}/{segment}")),
        shows=shows,
    )


def _other_rows(resource: Resource) -> Iterator[tuple[str, Row]]:
    # The parts of the row, with a hostile text in place of each text.
    parts = {
        name: [{key: HOSTILE_TEXT if isinstance(value, str) else value for key, value in each.items()} for each in rows]
        for name, rows in resource.parts.items()
    }
    yield "bare", {"id": "bare"}
    yield "no id", {}
    yield "hostile", {"id": "hostile", **resource.with_texts(HOSTILE_TEXT), **parts}
    for name in ("blank", "long", "half a pair"):
        yield f"hostile, {name}", {"id": "hostile", **resource.with_texts(HOSTILE_TEXTS[name])}
    for name, value in ODD_VALUES.items():
        yield f"odd, {name}", {"id": "odd", **dict.fromkeys({**resource.row, **resource.parts}, value)}


def _list_states(resource: Resource) -> Iterator[tuple[str, Steps]]:
    path, served = resource.path, resource.backend_path
    many = resource.ordinary(45)

    def listed(rows: list[Row], *acts: Act) -> Steps:
        return journey(lists(served, rows), *acts)

    def answered(act: Act, rows: list[Row], **page: Any) -> Steps:
        return journey(answers("GET", served, json={**page_of(rows), **page}), act)

    def opens(query: str = "", **headers: str) -> Act:
        return at(f"{path}{query}", **headers)

    def outage(query: str = "") -> tuple[Act, ...]:
        """Of the backend, after its rows were fetched."""
        return opens(query), fails("malformed", path=served), opens(query, **RELOAD)

    second = f"?{urlencode({'cursor': 'after 20&='})}"
    yield "first page", listed(many, opens())
    yield "second page, htmx rows", listed(many, opens(second, **HTMX_ROWS))
    yield "search and sort", listed(many, opens(f"?{urlencode({'q': ' a  b ', 'sort': resource.sort})}"))
    yield "hostile search with hits", listed(many, opens(f"?{HOSTILE_SEARCH}"))
    yield "hostile filters", listed(many, opens(f"?{HOSTILE_FILTERS}"))
    yield "empty", listed([], opens())
    yield "hostile rows", answered(opens(), resource.hostile(), nextCursor=NEXT_CURSOR, hasNext=True)
    yield "hostile rows, htmx", answered(opens(**HTMX_LIST), resource.hostile(), nextCursor=NEXT_CURSOR, hasNext=True)
    yield "hostile rows, htmx rows", answered(opens(second, **HTMX_ROWS), resource.hostile())
    for menu in resource.menus:
        yield f"open menu {menu}", listed(resource.hostile(), opens(f"?menu={menu}"))
        yield f"open menu {menu}, htmx", listed(resource.hostile(), opens(f"?menu={menu}", **HTMX_LIST))
    yield "odd rows", answered(opens(), resource.odd())
    yield "bare rows", answered(opens(), resource.bare())
    yield "the outage after rows", listed(many, *outage())
    if resource not in FIRST_OF_AN_APP:
        return
    yield "second page", listed(many, opens(second))
    yield "hostile search without a hit", listed([], opens(f"?{HOSTILE_SEARCH}"))
    yield "three pages", listed(many, opens("?pages=3"))
    for total in (None, 1, 10**400, -1, "7"):
        yield f"total {total!r:.20}", answered(opens(), many[:1], total=total)
    yield "the outage after a search without a hit", listed([], *outage("?q=nobody"))
