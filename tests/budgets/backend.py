"""What the backend has: rows of every list, in the profiles of the sandbox."""

from typing import Any, Final

import responses

from portal.testing import Backend, SignIn, page_of
from sandbox_api.profiles import PROFILES, Call
from tests.budgets.pages import ROW
from tests.support.every_page.gateway import ACCOUNT_ROWS, ACCOUNTS, SIGN_INS
from tests.support.every_page.gateway import ROWS as SIGN_IN_ROWS
from tests.support.every_page.overviews import OVERVIEWS
from tests.support.every_page.rows import RESOURCES, Row

BASE_URL: Final = "http://backend.test"
#: Ten pages and a part of one.
_NUMBER: Final = 205
_ALL: Final = Call(methods=("GET",))


def _rows(row: Row) -> Row:
    """The row, related to the one row whose pages are opened."""
    return {name: ROW if name.endswith("Id") else value for name, value in row.items()}


def _history(row: Row) -> list[Row]:
    """More than a page: notes, and changes of a field."""
    name, value = list(row.items())[-1]
    by = {"accountName": "Grace Hopper", "createdAt": "2026-03-01T10:00:00Z"}
    told: list[Row] = [
        {"kind": "note", "text": "Called.\nCalls back."},
        {"kind": "changed", "changes": [{"field": name, "before": value, "after": "other"}]},
    ]
    return [{"id": f"act_{number}", **by, **told[number % 2]} for number in range(25)]


LISTS: Final[dict[str, list[Row]]] = {
    **{each.backend_path: [_rows({**each.parts, **row}) for row in each.ordinary(_NUMBER)] for each in RESOURCES},
    ACCOUNTS: [{**ACCOUNT_ROWS[0], "id": f"row_{number}"} for number in range(_NUMBER)],
    SIGN_INS: SIGN_IN_ROWS,
    "/operations/stations": [{"id": ROW, "name": "Main station"}],
    **{f"{each.backend_path}/{ROW}/activity": _history(each.row) for each in RESOURCES},
}
ANSWERS: Final[dict[str, Any]] = {
    **{f"{each.path}/summary": each.summary for each in OVERVIEWS},
    **{f"{each.path}/state": each.state for each in OVERVIEWS if each.state},
}


def backend_with(http: responses.RequestsMock, *, profile: str) -> Backend:
    """A backend that has what the profile says: `full`, `contract`, or what is required alone, `document`."""
    backend, calls = Backend(http, base_url=BASE_URL), PROFILES[profile].calls
    for path, answer in ANSWERS.items():
        backend.answers("GET", path, json=answer)
    for path, rows in LISTS.items():
        without = calls.get(path, _ALL).without if calls is not None else ()
        kept = [_without(row, without) for row in rows]
        backend.lists(path, kept)
        if "total" in without:
            backend.answers("GET", path, json=_without(page_of(kept[:20]), without))
    for path in (*ANSWERS, *(path for each in LISTS for path in (each, f"{each}/{ROW}", f"{each}/counts"))):
        if calls is not None and path.replace(ROW, "{id}") not in calls:
            backend.fails(404, path=path)
    return backend


def sign_in(backend: Backend, *permissions: str, profile: str) -> SignIn:
    """Return the tokens of a user."""
    calls = PROFILES[profile].calls
    return backend.sign_in(
        *permissions, account="acc_1", **dict.fromkeys(calls["/me"].without if calls is not None else ())
    )


def _without(fields: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in names}
