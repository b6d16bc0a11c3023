"""Each kind of backend, and every page and form against it: nothing breaks, and nothing that is shown is wrong.

The sandbox is started as each of them (`SANDBOX_PROFILE`). A person who may do everything goes everywhere
(`tests.support.walk`), for the poorest and the richest kind with `DEBUG`, for the others as in production.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, parse_qsl, urljoin, urlsplit

import pytest

from portal.config.projects import PROJECTS
from tests.support.http_browser import HttpBrowser
from tests.support.open_pages import table_of
from tests.support.walk import Portal, Visit, Walker, running_portal, sandbox_to_walk
from tests.support.walk.rows import Row, all_rows, contradicts
from tests.support.whole_runs import IS_WHOLE

#: Seconds. The first test of a kind starts its servers and goes everywhere.
pytestmark = pytest.mark.timeout(600)
#: In a short run the poorest and the richest kind alone.
KINDS = ("document", "contract", "full", "strict") if IS_WHOLE else ("document", "full")
WITH_DEBUG = {"document", "full"}
#: A name that a template misspells, in the log of production.
UNDEFINED = re.compile(r".*Template variable warning.*")
APPS = tuple(project.app for project in PROJECTS)
#: What a backend answers that does not have a call; a gateway refuses it.
ABSENT = {404, 405, 410, 501}
#: Each process learns for itself that it is absent: it is told of a sign-out, and nothing is shown of that.
SIGN_OUT = "/auth/logout"
#: Addresses that nothing has, and rows that are not there, which a person types.
TYPED = (
    *("/en/nothing", "/en/energy/nothing", "/en/energy/clients/none", "/en/energy/meters/none"),
    *("/en/energy/clients/none/edit", "/en/operations/work-orders/none", "/en/finance/invoices/none"),
)
#: The address of one row.
ROW = re.compile(r"/[a-z]{3}_\w+|/none$")
#: Routes that no signed-in person is led to.
NOT_OFFERED = {
    **{f"{app}: login": "who is signed in is led home" for app in APPS},
    "auth_app: login/forgot": "who is signed in has no need of it",
    "auth_app: login/reset": "a link in a mail leads there",
    "auth_app: login/oidc": "another way to sign in, which a setting switches on",
    "auth_app: signed-out": "who is signed in is led home",
    "energy: energy/chargers/<row:row_id>/report": "who may make a work order makes one instead",
    **{f"{app}: essentials": "a part that scripts ask for where /me was not answered" for app in APPS},
}
#: Pages that read something anew at each view, and what.
READ_ANEW = {"auth_app: profile": "/iam/auth/sessions"}


@dataclass(frozen=True, kw_only=True)
class Walked:
    """What came of one kind of backend."""

    kind: str
    portal: Portal
    visits: tuple[Visit, ...]
    typed: tuple[Visit, ...]
    rows: dict[str, dict[str, Row]]
    calls: tuple[tuple[str, str, int], ...]


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sandbox_to_walk(tmp_path_factory.mktemp("seeded") / "sandbox")


@pytest.fixture(scope="module", params=KINDS)
def walked(request: pytest.FixtureRequest, seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    """All pages, then all pages and all forms, of one kind."""
    kind, is_debug = request.param, request.param in WITH_DEBUG
    folder = tmp_path_factory.mktemp(kind)
    with running_portal(folder, seeded=seeded, profile=kind, is_debug=is_debug) as portal, HttpBrowser() as browser:
        rows = all_rows(portal)
        # Where the backend does not filter, rows that belong elsewhere are looked for in a second list of each kind.
        walker = Walker(portal, browser, pages_of_a_shape=2 if kind == "contract" else 1)
        walker.walk()
        # What is refused to one user is asked again for another.
        visits, calls = tuple(walker.visits), tuple(portal.backend.answers_without(walker.other_tokens))
        walker.sign_in()
        typed = tuple(walker.open(urljoin(portal.origins[app_of(path)], path)) for path in TYPED)
        yield Walked(kind=kind, portal=portal, visits=visits, typed=typed, rows=rows, calls=calls)


def of_kind(kind: str) -> pytest.MarkDecorator:
    """The test is for one kind of backend; in a short run it is left out where the kind is."""
    marks = [] if kind in KINDS else [pytest.mark.whole]
    return pytest.mark.parametrize("walked", [pytest.param(kind, marks=marks)], indirect=True)


def app_of(path: str) -> str:
    return next((app for app in ("energy", "operations", "finance") if path.startswith(f"/en/{app}/")), "auth_app")


def told(found: list[object]) -> str:
    return "\n".join(map(str, found))


def test_no_page_and_no_form_is_an_error(walked: Walked) -> None:
    broken = [visit for visit in (*walked.visits, *walked.typed) if visit.status >= 500]
    log = walked.portal.log.read_text()
    assert broken == [], told(broken) + log[-3000:]
    assert UNDEFINED.findall(log) == []


def test_each_page_that_is_offered_answers(walked: Walked) -> None:
    # That a write is absent is learned from its first answer.
    refused = [
        visit for visit in walked.visits if visit.method == "POST" and {call[2] for call in visit.calls} & ABSENT
    ]
    # What a gateway refuses to everybody looks as if it were refused to this user: the page of the form says so.
    refused += [visit for visit in walked.visits if is_strict_no(walked, visit) and visit.status == 422]
    dead = [visit for visit in walked.visits if visit.status != 200 and visit not in refused]
    assert dead == [], told(dead)


def is_strict_no(walked: Walked, visit: Visit) -> bool:
    refused = any(method != "GET" and status == 403 for method, _, status in visit.calls)
    return walked.kind == "strict" and visit.method == "POST" and refused


def test_each_form_is_taken(walked: Walked) -> None:
    wrong = [visit for visit in walked.visits if visit.method == "POST" and visit.page.is_wrong]
    assert wrong == [], told(wrong)


def test_what_is_absent_is_asked_once(walked: Walked) -> None:
    refused = ABSENT | ({403} if walked.kind == "strict" else set())
    asked, known = [], set()
    for method, address, status in walked.calls:
        path = address.partition("?")[0]
        if path != SIGN_OUT and known & {(method, path), (method, address)}:
            asked.append((method, address, status))
        # A row that is not there is no call that is not there.
        if status in refused and not ROW.search(path):
            known.add((method, path if is_whole(address) else address))
    assert asked == [], told(asked)


def is_whole(address: str) -> bool:
    """Whether an answer says something of the call: what a list is asked for may be refused by itself."""
    path, _, query = address.partition("?")
    return path.endswith("/counts") or not {name for name, _ in parse_qsl(query)} - {"limit"}


def test_a_second_view_makes_no_call_again(walked: Walked) -> None:
    """What the first view reads anew behind its answer may come as late as the second one: it is made once."""
    made = [(visit.url, [call for call in visit.again or () if call in visit.calls]) for visit in walked.visits]
    routes = {visit.url: visit for visit in walked.visits}
    again = [(url, [call for call in calls if not is_read_anew(routes[url], call)]) for url, calls in made]
    assert [each for each in again if each[1]] == []


def is_read_anew(visit: Visit, call: tuple[str, str, int]) -> bool:
    """Whether the page says so, or the call is that of a row which was not there a moment ago."""
    _, address, status = call
    return address.partition("?")[0] == READ_ANEW.get(visit.route) or (status == 404 and bool(ROW.search(address)))


def test_no_row_contradicts_the_address_of_its_list(walked: Walked) -> None:
    wrong = []
    for visit in walked.visits:
        params = parse_qs(urlsplit(visit.last_url).query)
        rows = walked.rows.get(visit.route.partition(": ")[2], {})
        for row_id in visit.page.rows if visit.method == "GET" else ():
            row = rows.get(row_id, {})
            # A filter of several values shows the rows of each.
            wrong += [
                (visit.url, row)
                for name, each in params.items()
                if all(contradicts(row, name, value) for value in each)
            ]
    assert wrong == [], told(wrong)


@of_kind("full")
def test_no_page_is_left_out(walked: Walked) -> None:
    visited = {visit.route for visit in walked.visits}
    routes = {f"{app}: {route}" for app in walked.portal.origins for route in table_of(app)}
    assert routes - visited == set(NOT_OFFERED)


# ── The contract's backend: it does not filter ──────────────────────────────────────────────────────────────────────


class Declared(NamedTuple):
    """A filter or a range of a list, or a list on the page of a row.

    :param what: `filter`, `range` or `related`.
    :param name: the parameter; of a range its field.
    """

    app: str
    route: str
    what: str
    name: str

    def __str__(self) -> str:
        return f"{self.route} {self.what} {self.name}"


def declared() -> list[Declared]:
    """Those of every page of any app."""
    found = (
        Declared(app, route, what, name) for app in APPS for route, each in table_of(app).items() for what, name in each
    )
    return sorted(set(found))


def narrowed(each: Declared, rows: dict[str, Row]) -> str:
    """The query of a list that some of its rows fit, and others do not."""
    field = "permissions" if each.name == "permission" else each.name
    values = [row[field] for row in rows.values() if row.get(field)]
    assert values, f"no row has {each}"
    if each.what == "range":
        return f"{each.name}From={sorted(map(str, values))[len(values) // 2][:10]}"
    return f"{each.name}={values[0][0] if isinstance(values[0], list) else values[0]}"


@of_kind("contract")
def test_no_list_no_file_and_no_number_has_rows_of_another(walked: Walked) -> None:
    # As they are now: the forms have changed some.
    known = all_rows(walked.portal)
    with HttpBrowser() as browser:
        walker = Walker(walked.portal, browser)
        walker.sign_in()
        wrong = []
        for each in declared():
            if each.what == "related":
                continue
            rows = known[each.route]
            # Of what no row says of itself, nobody knows which rows fit.
            is_known = each.what == "range" or each.name == "permission" or each.name in next(iter(rows.values()))
            query = narrowed(each, rows) if is_known else f"{each.name}=fault"
            name, _, value = query.partition("=")
            fitting = {row_id for row_id, row in rows.items() if is_known and not contradicts(row, name, value)}
            assert fitting < set(rows), f"all rows fit {each}"
            origin = walked.portal.origins[each.app]
            page = walker.open(f"{origin}/en/{each.route}?{query}")
            wrong += [f"{page}: shows {row_id}" for row_id in page.page.rows if row_id in rows.keys() - fitting]
            counted = re.search(r'class="more-facts"><span>\s*([\d,]+)', page.html)
            if counted and int(counted[1].replace(",", "")) > len(fitting):
                wrong.append(f"{page}: counts {counted[1]}, not {len(fitting)}")
            file = browser.get(f"{origin}/en/{each.route}/export?{query}")
            wrong += [f"{file.url}: has {row_id}" for row_id in rows.keys() - fitting if row_id in file.text]
            lines = [line for line in file.text.splitlines() if line]
            if file.ok and len(lines) - 1 > len(fitting):
                wrong.append(f"{file.url}: has {len(lines) - 1} rows, not {len(fitting)}")
    assert wrong == [], told(wrong)


@of_kind("contract")
def test_no_page_of_a_row_has_rows_of_another(walked: Walked) -> None:
    known = {row_id: row for rows in walked.rows.values() for row_id, row in rows.items()}
    with HttpBrowser() as browser:
        walker = Walker(walked.portal, browser)
        walker.sign_in()
        wrong = []
        for each in declared():
            if each.what != "related":
                continue
            route = each.route.partition("/<")[0]
            for row_id in list(walked.rows[route])[-3:]:
                page = walker.open(f"{walked.portal.origins[each.app]}/en/{route}/{row_id}")
                assert page.status == 200, str(page)
                shown = [known[other] for other in page.page.rows if other in known]
                wrong += [f"{page}: shows {row}" for row in shown if row.get(each.name, row_id) != row_id]
    assert wrong == [], told(wrong)
