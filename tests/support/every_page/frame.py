"""The frame around every page: the user, the platforms, messages, sign-out, in every app."""

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
from tests.support.every_page.acts import at, fails, journey, lists, user
from tests.support.every_page.cases import Case, Visit
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
    "no name and no email": {"name": "", "email": None},
    "many words": {"name": "  ö. von der & <Ümlaut> "},
    **{f"hostile name, {name}": {"name": HOSTILE_TEXTS[name]} for name in ("directions", "long", "half a pair")},
}


#: Clients that a search finds.
FOUND = [{"id": f"cli_{number}", "name": HOSTILE_TEXT, "email": HOSTILE_TEXT} for number in range(25)]


def frame_cases() -> Iterator[Case]:
    """The frame in every app."""
    everywhere, essentials, failed_profile = user(*ALL), at("/essentials"), fails("malformed", path="/me")
    for app, (path, reads) in PAGES.items():
        case = partial(Case, site=app)
        row, page, lost = lists(reads, [{"id": "row_0"}]), at(path), 503 if app == "auth_app" else 200
        for name, profile in PROFILES.items():
            shows = (profile["name"],) if name.startswith("hostile") else ()
            person = user(**profile)
            yield case(name=f"user, {name}", steps=journey(row, page, by=person), shows=shows)
        yield case(name="user of all platforms", steps=journey(row, page, by=everywhere))
        yield case(name="user whose access token has expired", steps=journey(row, page, by=user(expired=True)))
        yield case(name="user whose profile fails", steps=journey(failed_profile, row, page), status=lost)
        yield case(name="essentials of all platforms", steps=journey(essentials, by=everywhere))
        hostile = user(**PROFILES["hostile name"])
        yield case(name="essentials of a hostile name", steps=journey(essentials, by=hostile))
        yield case(name="search, nothing found", steps=partial(_search, [], {}))
        yield case(name="search", steps=partial(_search, FOUND, {}), shows=(HOSTILE_TEXT,))
        for target in ("found", "palette-found"):
            headers = {"hx-request": "true", "hx-target": target}
            yield case(name=f"search, htmx, {target}", steps=partial(_search, FOUND, headers), shows=(HOSTILE_TEXT,))
        yield case(name="help", steps=journey(at("/help"), by=everywhere))
        yield case(name="sign-out page", steps=journey(at("/logout")))
        unknown = user(without=(VAR_ACCESS_TOKEN,))
        yield case(name="sign-out page of an unknown account", steps=journey(at("/logout"), by=unknown))
        yield case(name="messages", steps=partial(_messages, app))
        address = "/logout?a=%3Cscript%3E&b='\"><x-hostile>&c={{7*7}}{%25x%25}"
        yield case(name="a hostile address", steps=journey(at(address)))


def _search(clients: list[dict[str, Any]], headers: dict[str, str], visit: Visit) -> None:
    for platform, each in searched_lists():
        visit.backend.lists(f"{platform.prefix}/{each.path}", clients if each.path == "clients" else [])
    if clients:
        visit.backend.fails("malformed", path="/finance/invoices")
    visit.user(*ALL).at(f"/search?{urlencode({'q': TYPED_TEXT[:150]})}", **headers)


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
