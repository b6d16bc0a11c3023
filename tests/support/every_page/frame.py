"""The frame around every page: the user, the platforms, messages, sign-out, in every app."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.test import RequestFactory

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.services.searched_lists import searched_lists
from portal.web.cookies.message_storage import AppCookieStorage
from tests.support.every_page.cases import HTMX_LIST, PROGRAM, Case, Visit
from tests.support.every_page.rows import HOSTILE_TEXT, HOSTILE_TEXTS, TYPED_TEXT

#: A page of each app that shows the whole frame, and the list that it reads.
PAGES = {
    "auth_app": ("/profile", "/iam/auth/sessions"),
    "energy": ("/energy/meters", "/energy/meters"),
    "operations": ("/operations/work-orders", "/operations/work-orders"),
    "finance": ("/finance/invoices", "/finance/invoices"),
}
ALL = ("ENERGY_APP", "OPERATIONS_APP", "FINANCE_APP")
#: Fields of `/me` in place of the usual ones.
PROFILES: dict[str, dict[str, Any]] = {
    "hostile name": {"name": HOSTILE_TEXT, "email": HOSTILE_TEXT},
    "no name": {"name": None},
    "no name and no email": {"name": "", "email": None},
    "one word": {"name": "ada"},
    "many words": {"name": "  ö. von der & <Ümlaut> "},
    "odd types": {"name": 7, "email": ["<b>"]},
    "markup alone": {"name": "<b>x</b>", "email": "'\"><x-hostile>"},
    **{f"hostile name, {name}": {"name": HOSTILE_TEXTS[name]} for name in ("directions", "long", "half a pair")},
}


HTMX_KEYS = {"hx-request": "true", "hx-target": "shortcuts-keys"}
#: Clients that a search finds.
FOUND = [{"id": f"cli_{number}", "name": HOSTILE_TEXT, "email": HOSTILE_TEXT} for number in range(25)]


def frame_cases() -> Iterator[Case]:
    """The frame in every app."""
    for app in PAGES:
        case = partial(Case, site=app)
        for name, profile in PROFILES.items():
            shows = (profile["name"],) if name.startswith("hostile") else ()
            yield case(name=f"user, {name}", steps=partial(_user, app, profile), shows=shows)
        yield case(name="user of all platforms", steps=partial(_user, app, {}, *ALL))
        yield case(name="user of another platform too", steps=partial(_user, app, {"permissions": list(ALL)}))
        yield case(
            name="user whose profile is none", steps=partial(_no_profile, app), status=503 if app == "auth_app" else 200
        )
        yield case(
            name="user whose profile fails",
            steps=partial(_failed_profile, app),
            status=503 if app == "auth_app" else 200,
        )
        yield case(name="user whose access token has expired", steps=partial(_user, app, {}, expired=True))
        yield case(name="essentials", steps=lambda visit: visit.user().at("/essentials"))
        yield case(name="essentials of all platforms", steps=lambda visit: visit.user(*ALL).at("/essentials"))
        yield case(
            name="essentials of a hostile name",
            steps=lambda visit: visit.user(**PROFILES["hostile name"]).at("/essentials", **HTMX_LIST),
        )
        yield case(name="essentials while the profile fails", steps=_essentials_fail, status=503)
        yield case(
            name="essentials while the profile fails, htmx", steps=partial(_essentials_fail, **HTMX_LIST), status=503
        )
        yield case(name="essentials, signed out", steps=lambda visit: visit.signed_out().at("/essentials"), status=401)
        yield case(name="search, without a text", steps=lambda visit: visit.user(*ALL).at("/search"))
        yield case(name="search, nothing found", steps=partial(_search, [], {}))
        yield case(name="search", steps=partial(_search, FOUND, {}), shows=(HOSTILE_TEXT,))
        for target in ("found", "palette-found"):
            headers = {"hx-request": "true", "hx-target": target}
            yield case(name=f"search, htmx, {target}", steps=partial(_search, FOUND, headers), shows=(HOSTILE_TEXT,))
        yield case(name="help", steps=lambda visit: visit.user(*ALL).at("/help"))
        yield case(name="help, the keys", steps=lambda visit: visit.user(*ALL).at("/help", **HTMX_KEYS))
        yield case(name="sign-out page", steps=lambda visit: visit.user().at("/logout"))
        yield case(name="sign-out page, signed out", steps=lambda visit: visit.signed_out().at("/logout"))
        yield case(name="sign-out page of an unknown account", steps=_unknown_account)
        yield case(name="sign-out", steps=lambda visit: visit.user().send("/logout"), status=303)
        yield case(name="messages", steps=partial(_messages, app))
        yield case(name="language switch", steps=_language, status=303)
        yield case(name="sign-in state", steps=lambda visit: visit.signed_out().get("/sign-in-state", headers=PROGRAM))
        yield case(
            name="a hostile address",
            steps=lambda visit: visit.user().at("/logout?a=%3Cscript%3E&b='\"><x-hostile>&c={{7*7}}{%25x%25}"),
        )
        if app != "auth_app":
            yield case(
                name="the gateway's sign-in page",
                steps=lambda visit: visit.signed_out().at("/login?next=/x"),
                status=302,
            )


def _open(app: str, visit: Visit, **who: Any) -> None:
    path, reads = PAGES[app]
    visit.backend.lists(reads, [{"id": "row_0"}])
    permissions = who.pop("permissions_of_token", ())
    visit.user(*permissions, **who).at(path)


def _user(app: str, profile: dict[str, Any], *args: Any, expired: bool = False) -> None:
    *permissions, visit = args
    _open(app, visit, permissions_of_token=permissions, expired=expired, **profile)


def _no_profile(app: str, visit: Visit) -> None:
    visit.backend.answers("GET", "/me", json=["no", "profile"])
    _open(app, visit)


def _failed_profile(app: str, visit: Visit) -> None:
    visit.backend.fails("malformed", path="/me")
    _open(app, visit)


def _essentials_fail(visit: Visit, **headers: str) -> None:
    visit.backend.fails("malformed", path="/me")
    visit.user().at("/essentials", **headers)


def _search(clients: list[dict[str, Any]], headers: dict[str, str], visit: Visit) -> None:
    for platform, each in searched_lists():
        visit.backend.lists(f"{platform.prefix}/{each.path}", clients if each.path == "clients" else [])
    if clients:
        visit.backend.fails(500, path="/finance/invoices")
    visit.user(*ALL).at(f"/search?{urlencode({'q': TYPED_TEXT[:150]})}", **headers)


def _unknown_account(visit: Visit) -> None:
    visit.user(without=(VAR_ACCESS_TOKEN,)).at("/logout")


def _messages(app: str, visit: Visit) -> None:
    """Each kind of message, shown once."""
    path, reads = PAGES[app]
    visit.backend.lists(reads, [{"id": "row_0"}])
    request, response = RequestFactory().get("/"), HttpResponse()
    storage = AppCookieStorage(request)
    for level in (messages.INFO, messages.SUCCESS, messages.WARNING, messages.ERROR):
        storage.add(level, "<b>Bold</b> & 'quoted' \"twice\" {{7*7}}{%x%} %s %(name)s")
    storage.add(messages.ERROR, TYPED_TEXT[:800])
    storage.update(response)
    browser = visit.user()
    browser.cookies.update(response.cookies)
    browser.at(path)
    browser.at(path)


def _language(visit: Visit) -> None:
    visit.signed_out().post("/locale", {"locale": visit.locale, "next": "/en/logout?a=b"})
