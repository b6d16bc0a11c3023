"""The rows as the backend has them, before anything is changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

import requests

from portal.config.contract_names import FROM_SUFFIX, TO_SUFFIX
from tests.support.walk.portals import ADMIN, PASSWORD, Portal

#: The lists of the backend, by the route of their page.
PATHS: Final = {
    "accounts": "/iam/accounts",
    **{
        route: f"/{route}"
        for route in (
            *("energy/clients", "energy/stations", "energy/chargers", "energy/sessions", "energy/meters"),
            *("operations/work-orders", "finance/invoices"),
        )
    },
}
Row = dict[str, Any]


def all_rows(portal: Portal) -> dict[str, dict[str, Row]]:
    """By the route of the list, and the id."""
    with requests.Session() as http:
        http.trust_env = False
        pair = http.post(f"{portal.sandbox}/auth/login", json={"email": ADMIN, "password": PASSWORD}, timeout=10).json()
        http.headers["Authorization"] = f"Bearer {pair['accessToken']}"
        return {route: _rows(http, f"{portal.sandbox}{path}") for route, path in PATHS.items()}


def _rows(http: requests.Session, url: str) -> dict[str, Row]:
    found: dict[str, Row] = {}
    cursor: str | None = ""
    while cursor is not None:
        answer = http.get(url, params={"limit": 100} | ({"cursor": cursor} if cursor else {}), timeout=20)
        if not answer.ok:
            return {}
        page = answer.json()
        found |= {row["id"]: row for row in page["items"]}
        cursor = page["nextCursor"]
    return found


def contradicts(row: Row, name: str, value: str) -> bool:
    """Whether a row can't be among those with `name=value`; a row without the field proves nothing."""
    for suffix in (FROM_SUFFIX, TO_SUFFIX):
        field = name.removesuffix(suffix)
        if field != name and field in row:
            return row[field] is None or _is_outside(row[field], value, is_first=suffix == FROM_SUFFIX)
    field = "permissions" if name == "permission" else name
    if field not in row:
        return False
    found = row[field] if isinstance(row[field], list) else [row[field]]
    return not set(value.split(",")) & set(found)


def _is_outside(moment: str, day: str, *, is_first: bool) -> bool:
    """By whole days, of which the last one counts: a page's range has the days of its user's zone, here UTC."""
    own = datetime.fromisoformat(moment).date().isoformat()
    return own < day[:10] if is_first else own > day[:10]
