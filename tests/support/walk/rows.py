"""The rows as the backend has them, before anything is changed."""

from datetime import datetime
from typing import Any, Final

import requests

from portal.config.contract_names import FROM_SUFFIX, NONE_VALUE, TO_SUFFIX
from tests.support.snake_backend import snake, with_names
from tests.support.walk.portals import Portal, admin_token

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
    """By the route of the list, and the id: with the names that the portal gets."""
    with requests.Session() as http:
        http.trust_env = False
        http.headers["Authorization"] = f"Bearer {admin_token(portal.sandbox)}"
        found = {route: _rows(http, f"{portal.sandbox}{path}") for route, path in PATHS.items()}
    return with_names(found, snake) if portal.backend.instead is not None else found


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


def fits(row: Row, name: str, value: str) -> bool:
    """Whether a row may be shown among those with `name=value`: it has the field, and does not contradict."""
    if value == NONE_VALUE:
        return row.get(name, "") is None
    for suffix in (FROM_SUFFIX, TO_SUFFIX):
        field = name.removesuffix(suffix)
        if field != name:
            return bool(row.get(field)) and not _is_outside(row[field], value, is_first=suffix == FROM_SUFFIX)
    found = row.get("permissions" if name == "permission" else name)
    return bool(set(value.split(",")) & set(found if isinstance(found, list) else [found]))


def _is_outside(moment: str, day: str, *, is_first: bool) -> bool:
    """By whole days, of which the last one counts: a page's range has the days of its user's zone, here UTC."""
    own = datetime.fromisoformat(moment).date().isoformat()
    return own < day[:10] if is_first else own > day[:10]
