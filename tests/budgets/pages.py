"""The pages of an app: each route of its URL table, and the states and parts that no route names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from portal.config.projects import PROJECT_BY_APP
from tests.support.every_page.cases import HTMX_LIST, HTMX_ROWS
from tests.support.every_page.failures import PLACES
from tests.support.every_page.frame import HTMX_KEYS
from tests.support.every_page.lists import FIRST_OF_AN_APP

#: The id in every address.
ROW: Final = "row_0"
#: For who is not signed in.
SIGNED_OUT: Final = frozenset({"login", "login/forgot", "login/reset", "signed-out"})
_HTMX_SEARCH: Final = {"hx-request": "true", "hx-target": "palette-found"}


@dataclass(frozen=True, kw_only=True)
class Page:
    """One request.

    :param name: unique in its app.
    :param path: with the query.
    :param headers: beside those of a browser that opens a page.
    :param permissions: of the user; empty if nobody is signed in.
    :param profile: fields of `/me` in place of the usual ones.
    :param fails: a path of the backend that does not answer.
    :param breaks: a function that raises an error: its module and name.
    """

    name: str
    path: str
    permissions: tuple[str, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    profile: Mapping[str, Any] = field(default_factory=dict)
    fails: str = ""
    breaks: tuple[Any, str] | None = None


def pages_of(app: str, routes: Iterable[str]) -> Iterator[Page]:
    """The pages of an app.

    :param routes: of its URL table, without the locale.
    """
    platform = PROJECT_BY_APP[app].platform
    member = (platform.permission,) if platform else ("ENERGY_APP", "IAM_ADMIN")
    page, prefix = partial(Page, permissions=member), f"/en{platform.prefix}" if platform else "/en"
    for route in routes:
        who = () if route in SIGNED_OUT else member
        yield Page(name=re.sub("<.*?>", "<id>", route), path=f"/en/{re.sub('<.*?>', ROW, route)}", permissions=who)
        if route.endswith("/now"):
            yield page(name=f"{route} (by htmx)", path=f"/en/{route}", headers={"hx-request": "true"})
    yield page(name="/", path="/")
    yield page(name="sign-in-state", path="/sign-in-state")
    yield page(name="search (found)", path="/en/search?q=grace")
    yield page(name="search (found by htmx)", path="/en/search?q=grace", headers=_HTMX_SEARCH)
    yield page(name="help (keys by htmx)", path="/en/help", headers=HTMX_KEYS)
    yield page(name="404", path=f"{prefix}/nothing")
    for each in (each for each in FIRST_OF_AN_APP if each.app == app):
        name, path, second = each.path[1:], f"/en{each.path}", "cursor=after+20%26%3D"
        yield page(name=f"{name} (table by htmx)", path=path, headers=HTMX_LIST)
        yield page(name=f"{name} (more rows by htmx)", path=f"{path}?{second}", headers=HTMX_ROWS)
        yield page(name=f"{name} (second page)", path=f"{path}?{second}")
        yield page(name=f"{name} (search)", path=f"{path}?q=grace&sort={each.sort}")
        yield page(name=f"{name} (200 rows)", path=f"{path}?pages=10")
        for menu in each.menus:
            yield page(name=f"{name} (menu)", path=f"{path}?menu={menu}")
    for place in (place for place in PLACES if place.app == app):
        path = f"/en{place.page}"
        yield page(name="403", path=path if platform else "/en/accounts", profile={"permissions": ["NONE"]})
        yield page(name="500", path=path, breaks=place.breaks)
        yield page(name="503", path=path, fails=place.reads)
        yield Page(name="signed out", path=path, permissions=())
