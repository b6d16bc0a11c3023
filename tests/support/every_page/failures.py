"""Every failure page, in the shell and alone, in every app."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

from portal.config.cookies import VAR_REFRESH_TOKEN
from portal_gateway.views import profile as profile_views
from portal_pages.records import record_views
from tests.support.every_page.acts import answers, at, fails, get, journey, post, refuses, send, stranger, user
from tests.support.every_page.cases import Case, Steps, Visit
from tests.support.every_page.rows import TYPED_TEXT

#: What the backend can answer to a read, and the status of the page.
ANSWERS: tuple[tuple[int, dict[str, Any], int], ...] = (
    *((status, {}, status) for status in (403, 404, 409)),
    *((status, {}, 502) for status in (401, 418)),
    (422, {"detail": TYPED_TEXT}, 422),
    (422, {"errors": {"cursor": ["<b>This cursor</b> is not one.", '"><x-hostile>'], "q": ["Too long."]}}, 422),
)
#: Another app's route.
ELSEWHERE = {"energy": "/finance", "operations": "/energy", "finance": "/operations"}


class Place(NamedTuple):
    """An app's place for failures.

    :param page: a page that any user of the app may read.
    :param reads: the backend's path of the record or the page of rows that it shows.
    :param act: a page that only takes forms; empty for none.
    """

    app: str
    page: str
    reads: str
    act: str = ""


CLIENT, ORDER, INVOICE = "/energy/clients/row_0", "/operations/work-orders/row_0", "/finance/invoices/row_0"
PLACES = (
    Place("auth_app", "/profile?cursor=next", "/iam/auth/sessions", "/profile/sign-ins/row_0/revoke"),
    Place("energy", CLIENT, CLIENT, f"{CLIENT}/delete"),
    Place("operations", ORDER, ORDER, f"{ORDER}/complete"),
    Place("finance", INVOICE, INVOICE),
)


def failure_cases() -> Iterator[Case]:
    """The failure pages."""
    for place in PLACES:
        case = partial(Case, site=place.app)
        for told, answer, failure in ANSWERS:
            # The profile takes its cursor for an old link's, and shows the first page.
            status = 200 if (place.app, failure) == ("auth_app", 422) else failure
            shows = (answer["detail"],) if "detail" in answer and status != 200 else ()
            steps = journey(refuses("GET", place.reads, status=told, **answer), at(place.page))
            name = f"failure, backend {told} {' '.join(answer)}"
            yield case(name=name, status=status, steps=steps, shows=shows)
        for name, status, steps in _others(place):
            yield case(name=f"failure, {name}", status=status, steps=steps)


def _others(place: Place) -> Iterator[tuple[str, int, Steps]]:
    app, checked = place.page.split("/")[1], {"checks_csrf": True}
    empty = answers("GET", place.reads, json={"id": "row_0", "items": []})
    yield "malformed answer", 503, journey(fails("malformed", path=place.reads), at(place.page))
    yield "outage of all", 503, journey(fails("malformed"), at(place.page))
    yield "401", 401, journey(fails(401), at(place.page), by=user(without=(VAR_REFRESH_TOKEN,)))
    yield "no such page", 404, journey(at(f"/{app}/nothing/<b>here"))
    yield "no such page, signed out", 404, journey(get("/.well-known/nothing"), by=stranger())
    yield "page that takes no form", 405, journey(send(place.page))
    yield "language switch that expired", 403, journey(post("/locale"), by=stranger(**checked))
    yield "sign-out that expired", 403, journey(send("/logout"), by=user(**checked))
    yield "form of another account", 409, journey(send("/logout", {"madeFor": "0123456789abcdef"}))
    yield "too many fields", 413, journey(send("/logout", {f"field{n}": "" for n in range(1001)}))
    yield "form that can't be read", 400, _unreadable
    yield "fault of ours", 500, partial(_fault, place)
    yield "malformed address", 400, journey(at("/../me"))
    denied = journey(empty, at(place.page), by=user(permissions=["IAM_ADMIN"]))
    yield "app denied by the profile", 403 if place.app != "auth_app" else 200, denied
    if place.app in ELSEWHERE:
        everywhere = user("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP")
        yield "form for another app", 404, journey(send(ELSEWHERE[place.app]), by=everywhere)
        yield "form without the permission", 403, journey(send(place.page), by=user("NONE"))
    if place.act:
        yield "outage of a form", 503, journey(fails("malformed"), send(place.act))


def _unreadable(visit: Visit) -> None:
    visit.user().post(visit.path("/logout"), data=b"x", content_type="multipart/form-data; boundary=")


def _fault(place: Place, visit: Visit) -> None:
    visit.backend.answers("GET", place.reads, json={"id": "row_0", "items": [{"id": "row_0"}]})
    module, name = (profile_views, "device_name") if place.app == "auth_app" else (record_views, "render_kept")
    with patch.object(module, name, side_effect=RuntimeError("<b>secret internals</b>")):
        visit.user().at(place.page)
