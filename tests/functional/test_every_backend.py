"""Each kind of backend, and every page and form against it: nothing breaks, and nothing that is shown is wrong.

The sandbox is started as each of them (`SANDBOX_PROFILE`). A person who may do everything goes everywhere
(`tests.support.walk`), for the poorest and the richest kind with `DEBUG`, for the others as in production.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, parse_qsl, unquote, urljoin, urlsplit

import pytest

from portal.config.contract_names import CURSOR_PARAM, FROM_SUFFIX, LIMIT_PARAM, TO_SUFFIX
from portal.config.limits import STALE_TIME_S
from portal.config.projects import PROJECTS
from portal.query import DeclaredList, DeclaredQuery, Endpoint, offers
from portal.services.endpoint_list import declared_hooks
from tests.support.http_browser import HttpBrowser
from tests.support.offers import offered
from tests.support.open_pages import table_of
from tests.support.walk import SNAKE, WORD, Call, Portal, Visit, Walker, running_portal, sandbox_to_walk
from tests.support.walk.rows import Row, all_rows, fits
from tests.support.whole_runs import IS_WHOLE

#: Seconds. The first test of a kind starts its servers and goes everywhere.
pytestmark = pytest.mark.timeout(600)
#: In a short run the poorest and the richest kind alone.
KINDS = ("document", "contract", "full", "strict", SNAKE) if IS_WHOLE else ("document", "full")
WITH_DEBUG = {"document", "full", SNAKE}
#: In a page whose address has a parameter that is not offered.
LEFT_OUT = "The service behind this list does not offer"
#: A name that a template misspells, in the log of production.
UNDEFINED = re.compile(r".*Template variable warning.*")
APPS = tuple(project.app for project in PROJECTS)
#: Addresses that nothing has, and rows that are not there, which a person types.
TYPED = (
    *("/en/nothing", "/en/energy/nothing", "/en/energy/clients/none", "/en/energy/meters/none"),
    *("/en/energy/clients/none/edit", "/en/operations/work-orders/none", "/en/finance/invoices/none"),
)
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


@dataclass(frozen=True, kw_only=True)
class Walked:
    """What came of one kind of backend."""

    kind: str
    portal: Portal
    visits: tuple[Visit, ...]
    typed: tuple[Visit, ...]
    rows: dict[str, dict[str, Row]]
    calls: tuple[Call, ...]


@pytest.fixture(scope="module")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sandbox_to_walk(tmp_path_factory.mktemp("seeded") / "sandbox")


@pytest.fixture(scope="module", params=KINDS)
def walked(request: pytest.FixtureRequest, seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walked]:
    """All pages, then all pages and all forms, of one kind."""
    kind, folder = request.param, tmp_path_factory.mktemp(request.param)
    running = running_portal(folder, seeded=seeded, profile=kind, is_debug=kind in WITH_DEBUG)
    with running as portal, HttpBrowser() as browser:
        rows = all_rows(portal)
        walker = Walker(portal, browser)
        walker.walk()
        visits, calls = tuple(walker.visits), tuple(portal.backend.answers)
        walker.sign_in()
        typed = tuple(walker.open(urljoin(portal.origins[app_of(path)], path)) for path in TYPED)
        yield Walked(kind=kind, portal=portal, visits=visits, typed=typed, rows=rows, calls=calls)


def of_kind(kind: str) -> pytest.MarkDecorator:
    """The test is for one kind of backend; in a short run it is left out where the kind is."""
    marks = [] if kind in KINDS else [pytest.mark.whole]
    return pytest.mark.parametrize("walked", [pytest.param(kind, marks=marks)], indirect=True)


def app_of(path: str) -> str:
    return next((app for app in ("energy", "operations", "finance") if path.startswith(f"/en/{app}/")), "auth_app")


def told(found: Sequence[object]) -> str:
    return "\n".join(map(str, found))


def test_no_page_and_no_form_is_an_error(walked: Walked) -> None:
    broken = [visit for visit in (*walked.visits, *walked.typed) if visit.status >= 500]
    log = walked.portal.log.read_text()
    assert broken == [], told(broken) + log[-3000:]
    assert UNDEFINED.findall(log) == []


def test_each_page_that_is_offered_answers(walked: Walked) -> None:
    # A link with a parameter that is not offered leads to a page that says so.
    dead = [visit for visit in walked.visits if visit.status != 200 or LEFT_OUT in visit.html]
    assert dead == [], told(dead)


def test_each_form_is_taken(walked: Walked) -> None:
    wrong = [visit for visit in walked.visits if visit.method == "POST" and visit.page.is_wrong]
    assert wrong == [], told(wrong)


def test_only_what_is_offered_is_asked(walked: Walked) -> None:
    with offered(*walked.portal.offers):
        wrong = [call for call in walked.calls if not any(takes(hook, call) for hook in hooks_of(call))]
    # Another row's version is 412, and a row that is not there any more 404.
    wrong += [call for call in walked.calls if call[2] in {400, 403, 405, 410, 501}]
    wrong += [call for call in walked.calls if call[2] == 404 and "{" not in hooks_of(call)[0].path_shape]
    assert wrong == [], told(wrong)


def hooks_of(call: Call) -> list[Endpoint[Any]]:
    """The declarations of a call, that with the fewest rows in its path first."""
    path = unquote(urlsplit(call[1]).path)
    found = [
        hook
        for hook in declared_hooks()
        if re.fullmatch(re.sub(r"{.*?}", "[^/]+", hook.path_shape), path) and getattr(hook, "method", "GET") == call[0]
    ]
    fewest = min((hook.path_shape.count("{") for hook in found), default=0)
    return [hook for hook in found if hook.path_shape.count("{") == fewest]


def takes(hook: Endpoint[Any], call: Call) -> bool:
    """Return whether a call and all its parameters are offered."""
    params = dict(parse_qsl(urlsplit(call[1]).query)).keys() - {LIMIT_PARAM, CURSOR_PARAM}
    return offers(hook) and (not isinstance(hook, DeclaredList) or all(offers(hook, name) for name in params))


def test_only_typed_words_are_searched(walked: Walked) -> None:
    searched = {
        value for _, address, _ in walked.calls for name, value in parse_qsl(urlsplit(address).query) if name == "q"
    }
    entered = {value for visit in walked.visits for _, value in visit.sent}
    assert searched <= {WORD} | entered


def test_no_list_is_asked_twice_for_a_page(walked: Walked) -> None:
    wrong = []
    for visit in walked.visits:
        # Whatever the number of its rows: a total is no call of its own.
        asked = Counter(re.sub(r"\blimit=\d+&?", "", address) for method, address, _ in visit.calls if method == "GET")
        if visit.method == "GET" and max(asked.values(), default=1) > 1:
            wrong.append((visit.url, visit.calls))
    assert wrong == [], told(wrong)


def test_page_makes_the_calls_of_its_parts_alone(walked: Walked) -> None:
    named = {
        f"{app}: {route}": {name for what, name in found if what == "call"} | {"user.get_me"}
        for app in APPS
        for route, found in table_of(app).items()
    }
    seen = [(visit, call) for visit in walked.visits if visit.method == "GET" for call in visit.calls]
    wrong = [
        (str(visit), call)
        for visit, call in seen
        if len(named.get(visit.route, ())) > 1 and not named[visit.route] & {hook.key for hook in hooks_of(call)}
    ]
    assert wrong == [], told(wrong)


def test_sign_in_asks_for_the_profile_alone(walked: Walked) -> None:
    before = len(walked.portal.backend.answers)
    with HttpBrowser() as browser:
        Walker(walked.portal, browser).sign_in()
    asked = [(method, address) for method, address, _ in walked.portal.backend.answers[before:]]
    assert asked == [("POST", "/auth/login"), ("GET", "/me")]


def test_a_second_view_makes_no_call_again(walked: Walked) -> None:
    """What the first view reads anew behind its answer may come as late as the second one: it is made once."""
    again = [(visit.url, call) for visit in walked.visits for call in visit.again or () if call in visit.calls]
    assert [(url, call) for url, call in again if not is_read_anew(call)] == []


def is_read_anew(call: Call) -> bool:
    """Return whether its declaration says so."""
    hooks = [hook for hook in hooks_of(call) if isinstance(hook, DeclaredQuery)]
    return any(not hook.cache or hook.stale_time_s < STALE_TIME_S for hook in hooks)


def test_each_row_fits_the_address_of_its_list(walked: Walked) -> None:
    wrong = []
    for visit in walked.visits:
        params = parse_qs(urlsplit(visit.last_url).query)
        rows = walked.rows.get(visit.route.partition(": ")[2], {})
        for name in params.keys() & narrowing(visit.route) if visit.method == "GET" else ():
            # A filter of several values shows the rows of each.
            shown = [rows.get(row_id, {}) for row_id in visit.page.rows]
            wrong += [(visit.url, row) for row in shown if not any(fits(row, name, value) for value in params[name])]
    assert wrong == [], told(wrong)


def narrowing(route: str) -> set[str]:
    """The parameters that narrow the list of a route."""
    app, _, path = route.partition(": ")
    ends = {"filter": ("",), "range": (FROM_SUFFIX, TO_SUFFIX)}
    return {name + end for what, name in table_of(app).get(path, ()) for end in ends.get(what, ())}


@of_kind("full")
def test_no_page_is_left_out(walked: Walked) -> None:
    visited = {visit.route for visit in walked.visits}
    routes = {f"{app}: {route}" for app in walked.portal.origins for route in table_of(app)}
    assert routes - visited == set(NOT_OFFERED)


# ── A backend that filters nothing, and is declared to do all ───────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def misdeclared(seeded: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    folder = tmp_path_factory.mktemp("misdeclared")
    with running_portal(folder, seeded=seeded, profile="contract", APP_BACKEND_OFFERS="all") as portal:
        yield portal


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


def declared(*kinds: str) -> list[Declared]:
    """Those of every page of any app."""
    found = (
        Declared(app, route, what, name) for app in APPS for route, each in table_of(app).items() for what, name in each
    )
    return sorted({each for each in found if each.what in kinds})


def narrowed(each: Declared, rows: dict[str, Row]) -> str:
    """The query of a list that some of its rows fit, and others do not."""
    field = "permissions" if each.name == "permission" else each.name
    values = [row[field] for row in rows.values() if row.get(field)] or ["fault"]
    if each.what == "range":
        return f"{each.name}From={sorted(map(str, values))[len(values) // 2][:10]}"
    return f"{each.name}={values[0][0] if isinstance(values[0], list) else values[0]}"


@pytest.mark.whole
def test_no_list_file_or_number_has_others_rows(misdeclared: Portal) -> None:
    known = all_rows(misdeclared)
    with HttpBrowser() as browser:
        walker = Walker(misdeclared, browser)
        walker.sign_in()
        wrong = []
        for each in declared("filter", "range"):
            rows = known[each.route]
            name, _, value = (query := narrowed(each, rows)).partition("=")
            fitting = {row_id for row_id, row in rows.items() if fits(row, name, value)}
            assert fitting < set(rows), f"all rows fit {each}"
            origin = misdeclared.origins[each.app]
            page = walker.open(f"{origin}/en/{each.route}?{query}")
            wrong += [f"{page}: shows {row_id}" for row_id in page.page.rows if row_id not in fitting]
            counted = re.search(r'class="more-facts"><span>\s*([\d,]+)', page.html)
            if counted and int(counted[1].replace(",", "")) > len(fitting):
                wrong.append(f"{page}: counts {counted[1]}, not {len(fitting)}")
            file = browser.get(f"{origin}/en/{each.route}/export?{query}")
            lines = [line for line in file.text.splitlines() if line]
            if file.ok and len(lines) - 1 > len(fitting):
                wrong.append(f"{file.url}: has {len(lines) - 1} rows, not {len(fitting)}")
            wrong += [f"{found.status} {found}" for found in (page,) if found.status != 200]
    assert wrong == [], told(wrong)


@pytest.mark.whole
def test_no_page_of_a_row_has_others_rows(misdeclared: Portal) -> None:
    lists = all_rows(misdeclared)
    known = {row_id: row for rows in lists.values() for row_id, row in rows.items()}
    with HttpBrowser() as browser:
        walker = Walker(misdeclared, browser)
        walker.sign_in()
        wrong = []
        for each in declared("related"):
            route = each.route.partition("/<")[0]
            for row_id in list(lists[route])[-3:]:
                page = walker.open(f"{misdeclared.origins[each.app]}/en/{route}/{row_id}")
                assert page.status == 200, str(page)
                shown = [known[other] for other in page.page.rows if other in known]
                wrong += [f"{page}: shows {row}" for row in shown if row.get(each.name, row_id) != row_id]
    assert wrong == [], told(wrong)
