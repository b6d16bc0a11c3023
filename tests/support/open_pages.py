"""Every page that the running apps have, by their own URL tables: each is opened, in a browser, as somebody who may.

A new page is among them by being in the table. A URL with an id gets one of the list above it, and so does the page of
selected rows.
"""

import json
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from playwright.sync_api import BrowserContext, Page

from portal.config.projects import PROJECTS
from tests.support.harness import RunningStack, run_program

#: Who opens the pages; the first who may. None: nobody is signed in.
VISITORS: Final = (None, "all", "iam")
_TABLE: Final = """
import inspect, json
from collections.abc import Mapping
from django.urls import URLResolver, get_resolver
from django.urls.resolvers import LocalePrefixPattern
from portal.query import DeclaredQuery
from portal_pages import DetailView, ListView
def calls_of(part, depth=4):
    if isinstance(part, DeclaredQuery):
        return {part.key}
    parts = part if isinstance(part, (tuple, Mapping)) else getattr(part, "__dict__", ())
    parts = parts.values() if isinstance(parts, Mapping) else parts
    return {key for each in parts for key in calls_of(each, depth - 1)} if depth else set()
def declared_by(view):
    cells = inspect.unwrap(view).__closure__ or ()
    page = next((cell.cell_contents for cell in cells if isinstance(cell.cell_contents, (DetailView, ListView))), None)
    found = [("call", key) for key in sorted(calls_of(page))]
    if isinstance(page, ListView):
        found += [("filter", one.param) for one in page.filters] + [("range", one.field) for one in page.ranges]
    return found + ([("related", one._wire_names[one.by]) for one in page.related] if hasattr(page, "related") else [])
pages = [each for each in get_resolver().url_patterns
         if isinstance(each, URLResolver) and isinstance(each.pattern, LocalePrefixPattern)]
print(json.dumps({str(page.pattern): declared_by(page.callback) for part in pages for page in part.url_patterns}))
"""


@dataclass(frozen=True, kw_only=True)
class OpenPage:
    """A page that answered.

    :param route: as the URL table has it.
    :param path: with the locale; of selected rows, with one of them.
    :param visitor: who may open it; None for somebody who is not signed in.
    """

    app: str
    route: str
    path: str
    visitor: str | None

    @property
    def name(self) -> str:
        """Of a file, for example `energy-clients-id-edit`."""
        return re.sub(r"\W+", "-", re.sub(r"<.*?>", "id", f"{self.app}/{self.route}")).strip("-")


@cache
def table_of(app: str) -> dict[str, list[tuple[str, str]]]:
    """The routes of an app's pages, without the locale; of each, what its list or page of a row declares, by kind and name."""
    command = [sys.executable, "manage.py", "--app", app, "shell", "--verbosity=0", "-c", _TABLE]
    found = run_program(*command)
    table: dict[str, list[tuple[str, str]]] = json.loads(found.stdout.splitlines()[-1])
    return table


def open_pages(stack: RunningStack, contexts: dict[str | None, BrowserContext], *, locale: str) -> Iterator[OpenPage]:
    """The pages of all apps. A list as a file is none, and takes long.

    :param contexts: a browser for each visitor.
    :raises AssertionError: a page has a URL, answers GET, and opens for nobody.
    """
    for project in PROJECTS:
        closed = []
        for route in (route for route in table_of(project.app) if not route.endswith("/export")):
            for visitor in VISITORS:
                path = _path_of(stack, contexts[visitor], project.app, route, locale=locale)
                address = stack.url(project.app, path)
                answer = contexts[visitor].request.get(address, max_redirects=0)
                if answer.status == 200:
                    if _is_document(answer.headers, answer.text):
                        yield OpenPage(app=project.app, route=route, path=path, visitor=visitor)
                    break
                if answer.status == 405:
                    break
            else:
                closed.append(route)
        assert set(closed) <= _FOR_NOBODY, f"{project.app}: nobody of {VISITORS} may open {closed}"


#: Of a sign-in that the demonstration does not have; one that only leads to another; a part that only scripts ask for.
_FOR_NOBODY: Final = frozenset({"login/oidc", "login", "energy/now"})


def _is_document(headers: dict[str, str], text: object) -> bool:
    if not headers.get("content-type", "").startswith("text/html") or not callable(text):
        return False
    return str(text()).lstrip().lower().startswith("<!doctype")


def _path_of(stack: RunningStack, context: BrowserContext, app: str, route: str, *, locale: str) -> str:
    """The path of a route; an id is that of the first row of the list above it."""
    path = f"/{locale}"
    for part in route.split("/"):
        if part == "bulk":
            path += f"/{part}?row={_first_row(stack, context, app, path)}&list="
        elif "<" in part:
            path += f"/{_first_row(stack, context, app, path)}"
        else:
            path += f"/{part}"
    return path


def _first_row(stack: RunningStack, context: BrowserContext, app: str, path: str) -> str:
    listed = context.request.get(stack.url(app, path), max_redirects=0).text()
    row = re.search(r'data-row-id="([^"]+)"', listed)
    return row[1] if row else "none"


def signed_in_contexts(
    stack: RunningStack, make: Iterable[tuple[str | None, BrowserContext]]
) -> dict[str | None, BrowserContext]:
    """A browser for each visitor, who is signed in."""
    contexts = dict(make)
    for visitor, context in contexts.items():
        if visitor is None:
            continue
        page = context.new_page()
        page.goto(stack.url("auth_app", "/en/login"))
        with page.expect_navigation():
            submit_login(page, visitor)
        page.close()
    return contexts


def submit_login(page: Page, account: str) -> None:
    """Fill in the sign-in form that is shown, and send it."""
    page.locator("input[name=email]").fill(f"{account}@example.com")
    page.locator("input[name=password]").fill("demo")
    page.locator("form:has(input[name=email]) button").click()
    page.wait_for_load_state()
