"""Every failure page, in the shell and alone, in every app."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

from portal.config.cookies import VAR_REFRESH_TOKEN
from portal_gateway.views import profile as profile_views
from portal_pages.records import record_views
from tests.support.every_page.acts import answers, at, fails, get, journey, post, refuses, send, stranger, user
from tests.support.every_page.cases import PROGRAM, Case, Steps, Visit
from tests.support.every_page.rows import TYPED_TEXT

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
        breaks=(record_views, "render_kept"),
        takes_forms="/energy/clients/row_0/delete",
    ),
    Place(
        app="operations",
        page="/operations/work-orders/row_0",
        reads="/operations/work-orders/row_0",
        breaks=(record_views, "render_kept"),
        takes_forms="/operations/work-orders/row_0/complete",
    ),
    Place(
        app="finance",
        page="/finance/invoices/row_0",
        reads="/finance/invoices/row_0",
        breaks=(record_views, "render_kept"),
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
    return journey(refuses("GET", place.reads, **answer), at(place.page, **headers))


def _others(place: Place) -> Iterator[tuple[str, int, Steps]]:
    def outage(fault: Any, path: str | None, **headers: str) -> Steps:
        return journey(fails(fault, path=path), at(place.page, **headers))

    def rejected(**headers: str) -> Steps:
        return journey(fails(401), at(place.page, **headers), by=user(without=(VAR_REFRESH_TOKEN,)))

    def fields(number: int) -> dict[str, str]:
        return {f"field{n}": "" for n in range(number)}

    app, signed_out, checked = place.page.split("/")[1], stranger(), {"checks_csrf": True}
    without_profile = (refuses("GET", place.reads, status=403), fails("malformed", path="/me"))
    empty = answers("GET", place.reads, json={"id": "row_0", "items": []})
    yield "malformed answer", 503, outage("malformed", place.reads)
    yield "answer in HTML", 503, outage("html", place.reads)
    yield "outage of all", 503, outage("malformed", None)
    yield "outage of all, for a program", 503, outage("malformed", None, **PROGRAM)
    yield "the profile fails too", 403, journey(*without_profile, at(place.page))
    yield "401", 401, rejected()
    yield "401, for a program", 401, rejected(**PROGRAM)
    yield "no such page", 404, journey(at(f"/{app}/nothing/<b>here"))
    yield "no such page, for a program", 404, journey(at("/logout/nothing", **PROGRAM))
    yield "no such page, signed out", 404, journey(get("/.well-known/nothing"), by=signed_out)
    yield "language switch opened", 405, journey(get("/locale"))
    yield "language switch opened, signed out", 405, journey(get("/locale"), by=signed_out)
    yield "page that takes no form", 405, journey(send(place.page))
    yield "language switch that expired", 403, journey(post("/locale"), by=stranger(**checked))
    yield "sign-out that expired", 403, journey(send("/logout"), by=user(**checked))
    yield "form of another account", 409, journey(send("/logout", {"madeFor": "0123456789abcdef"}))
    yield "too many fields", 413, journey(send("/logout", fields(1001)))
    yield "too many fields, signed out", 413, journey(post("/locale", fields(1001)), by=signed_out)
    yield "form that can't be read", 400, _unreadable
    yield "fault of ours", 500, partial(_fault, place)
    yield "malformed address", 400, journey(at("/../me"))
    denied = journey(empty, at(place.page), by=user(permissions=["IAM_ADMIN"]))
    yield "app denied by the profile", 403 if place.app != "auth_app" else 200, denied
    if place.app in ELSEWHERE:
        everywhere = user("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP")
        yield "form for another app", 404, journey(send(ELSEWHERE[place.app]), by=everywhere)
        yield "form without the permission", 403, journey(send(place.page), by=user("NONE"))
    if place.takes_forms:
        yield "page that takes only forms", 405, journey(at(place.takes_forms))
        yield "outage of a form", 503, journey(fails("malformed"), send(place.takes_forms))


def _unreadable(visit: Visit) -> None:
    visit.user().post(visit.path("/logout"), data=b"x", content_type="multipart/form-data; boundary=")


def _fault(place: Place, visit: Visit) -> None:
    visit.backend.answers("GET", place.reads, json={"id": "row_0", "items": [{"id": "row_0"}]})
    module, name = place.breaks
    with patch.object(module, name, side_effect=RuntimeError("<b>secret internals</b>")):
        visit.user().at(place.page)
