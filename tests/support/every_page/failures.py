"""Every failure page, in the shell and alone, in every app."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

from apps.auth_app.views import profile as profile_views
from portal.config.cookies import VAR_REFRESH_TOKEN
from portal_pages.records import record_views
from tests.support.every_page.cases import PROGRAM, Case, Visit
from tests.support.every_page.rows import TYPED_TEXT

Steps = Callable[[Visit], object]
#: What the backend can answer to a read, and the status of the page.
ANSWERS: dict[str, tuple[dict[str, Any], int]] = {
    "400": ({"status": 400, "detail": "The <i>cursor</i> is not one of this list."}, 400),
    "403": ({"status": 403}, 403),
    "404": ({"status": 404}, 404),
    "409": ({"status": 409}, 409),
    "410": ({"status": 410}, 404),
    "418": ({"status": 418}, 502),
    "422": ({"status": 422}, 422),
    "422 with a detail": ({"status": 422, "detail": TYPED_TEXT}, 422),
    "422 with messages": (
        {"status": 422, "errors": {"cursor": ["<b>This cursor</b> is not one.", '"><x-hostile>'], "q": ["Too long."]}},
        422,
    ),
}
#: Another app's route.
ELSEWHERE = {"energy": "/finance", "operations": "/energy", "finance": "/operations"}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the failures of an app are tried.

    :param page: a page that any user of the app may read.
    :param reads: the backend's path of the record or the page of rows that it shows.
    :param breaks: a function that the page's view calls: module and name.
    :param takes_forms: a page that only takes forms; empty for none.
    :param shown_despite: statuses of failure pages in place of which the page is shown, without what it reads.
    """

    app: str
    page: str
    reads: str
    breaks: tuple[Any, str]
    takes_forms: str = ""
    shown_despite: frozenset[int] = frozenset()


PLACES = (
    Place(
        app="auth_app",
        page="/profile?cursor=next",
        reads="/iam/auth/sessions",
        breaks=(profile_views, "device_name"),
        takes_forms="/profile/sign-ins/row_0/revoke",
        # Its cursor is taken for an old link's, and the first page is shown.
        shown_despite=frozenset({400, 422}),
    ),
    Place(
        app="energy",
        page="/energy/clients/row_0",
        reads="/energy/clients/row_0",
        breaks=(record_views, "render"),
        takes_forms="/energy/clients/row_0/delete",
    ),
    Place(
        app="operations",
        page="/operations/work-orders/row_0",
        reads="/operations/work-orders/row_0",
        breaks=(record_views, "render"),
        takes_forms="/operations/work-orders/row_0/complete",
    ),
    Place(
        app="finance",
        page="/finance/invoices/row_0",
        reads="/finance/invoices/row_0",
        breaks=(record_views, "render"),
    ),
)


def failure_cases() -> Iterator[Case]:
    """The failure pages."""
    for place in PLACES:
        case = partial(Case, site=place.app)
        for name, (answer, failure) in ANSWERS.items():
            status = 200 if failure in place.shown_despite else failure
            shows = (answer["detail"],) if "detail" in answer and status != 200 else ()
            yield case(name=f"failure, backend {name}", status=status, steps=_read(place, answer), shows=shows)
            yield case(
                name=f"failure for a program, backend {name}", status=status, steps=_read(place, answer, **PROGRAM)
            )
        for name, status, steps in _others(place):
            yield case(name=f"failure, {name}", status=status, steps=steps)


def _read(place: Place, answer: dict[str, Any], **headers: str) -> Steps:
    def steps(visit: Visit) -> None:
        visit.backend.refuses("GET", place.reads, **answer)
        visit.user().at(place.page, **headers)

    return steps


def _others(place: Place) -> Iterator[tuple[str, int, Steps]]:
    def fails(fault: Any, *, path: str | None, **headers: str) -> Steps:
        def steps(visit: Visit) -> None:
            visit.backend.fails(fault, path=path)
            visit.user().at(place.page, **headers)

        return steps

    yield "malformed answer", 503, fails("malformed", path=place.reads)
    yield "answer in HTML", 503, fails("html", path=place.reads)
    yield "outage of all", 503, fails("malformed", path=None)
    yield "outage of all, for a program", 503, fails("malformed", path=None, **PROGRAM)
    yield "the profile fails too", 403, partial(_without_profile, place)
    yield "401", 401, lambda visit: _rejected(place, visit)
    yield "401, for a program", 401, lambda visit: _rejected(place, visit, **PROGRAM)
    yield "no such page", 404, lambda visit: visit.user().at(f"/{place.page.split('/')[1]}/nothing/<b>here")
    yield "no such page, for a program", 404, lambda visit: visit.user().at("/logout/nothing", **PROGRAM)
    yield "no such page, signed out", 404, lambda visit: visit.signed_out().get("/.well-known/nothing")
    yield "language switch opened", 405, lambda visit: visit.user().get("/locale")
    yield "language switch opened, signed out", 405, lambda visit: visit.signed_out().get("/locale")
    yield "page that takes no form", 405, lambda visit: visit.user().send(place.page)
    yield "language switch that expired", 403, lambda visit: visit.signed_out(checks_csrf=True).post("/locale")
    yield "sign-out that expired", 403, lambda visit: visit.user(checks_csrf=True).send("/logout")
    yield "form of another account", 409, lambda visit: visit.user().send("/logout", {"madeFor": "0123456789abcdef"})
    yield "too many fields", 413, lambda visit: visit.user().send("/logout", {f"f{n}": "" for n in range(1001)})
    yield "too many fields, signed out", 413, partial(_too_much, path="/locale")
    yield "form that can't be read", 400, partial(_unreadable, path="/logout")
    yield "fault of ours", 500, partial(_fault, place)
    yield "malformed address", 400, lambda visit: visit.user().at("/../me")
    yield "app denied by the profile", 403 if place.app != "auth_app" else 200, partial(_denied, place)
    if place.app in ELSEWHERE:
        yield "form for another app", 404, lambda visit: _elsewhere(place, visit)
        yield "form without the permission", 403, lambda visit: visit.user("NONE").send(place.page)
    if place.takes_forms:
        opened = place.takes_forms
        yield "page that takes only forms", 405, lambda visit: visit.user().at(opened)
        yield "outage of a form", 503, partial(_form_outage, place)


def _without_profile(place: Place, visit: Visit) -> None:
    visit.backend.refuses("GET", place.reads, status=403)
    visit.backend.fails("malformed", path="/me")
    visit.user().at(place.page)


def _rejected(place: Place, visit: Visit, **headers: str) -> None:
    visit.backend.fails(401)
    visit.user(without=(VAR_REFRESH_TOKEN,)).at(place.page, **headers)


def _too_much(visit: Visit, *, path: str) -> None:
    visit.signed_out().post(path, {f"field{number}": "" for number in range(1001)})


def _unreadable(visit: Visit, *, path: str) -> None:
    visit.user().post(visit.path(path), data=b"x", content_type="multipart/form-data; boundary=")


def _fault(place: Place, visit: Visit) -> None:
    visit.backend.answers("GET", place.reads, json={"id": "row_0", "items": [{"id": "row_0"}]})
    module, name = place.breaks
    with patch.object(module, name, side_effect=RuntimeError("<b>secret internals</b>")):
        visit.user().at(place.page)


def _denied(place: Place, visit: Visit) -> None:
    visit.backend.answers("GET", place.reads, json={"id": "row_0", "items": []})
    visit.user(permissions=["IAM_ADMIN"]).at(place.page)


def _elsewhere(place: Place, visit: Visit) -> None:
    visit.user("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP").send(ELSEWHERE[place.app])


def _form_outage(place: Place, visit: Visit) -> None:
    visit.backend.fails("malformed")
    visit.user().send(place.takes_forms)
