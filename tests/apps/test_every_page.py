"""Every page and fragment of every app, in every state, with hostile rows (`tests.support.every_page`).

Each case runs in the default language, and every third one in another; the others take turns. Two users look in turn at
the page of every third case that is no failure.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import cycle
from pathlib import Path

import pytest
from django.http.response import HttpResponseBase
from jinja2 import Environment

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.config.locales import DEFAULT_LOCALE, LOCALES
from tests.support.every_page import CASES, SITES, problems_of, running_site
from tests.support.every_page.cases import Browser, Case, Visit
from tests.support.every_page.sites import RunningSite
from tests.support.nothing_kept import nothing_kept
from tests.support.whole_runs import IS_WHOLE, sample

#: Seconds. The first test of an app makes all its pages, in two languages and once more in `DEBUG`.
pytestmark = pytest.mark.timeout(1200)
OTHER_LOCALES = [locale for locale in LOCALES if locale != DEFAULT_LOCALE]
ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [
    ROOT / "packages" / "portal" / "web" / "templates",
    ROOT / "packages" / "portal_pages" / "templates",
    *(ROOT / "apps" / site / "templates" for site in SITES if "+" not in site),
]
#: What differs between two requests for one page: tokens, keys, account tags, a login attempt, an address, the time.
RANDOM = re.compile(
    r'(?<=value=")(?:[A-Za-z0-9]{64}|[0-9a-f]{32}|[\w-]{22})(?=")|\b[0-9a-f]{16}\b|(?<=state=)[\w-]{43}'
    r'|\b10(?:\.\d+){3}\b|(?<=datetime=")[^"]+" data-local="clock">[\d:.]+'
)
#: The user's own id, of which each run of a case has another one.
OWN_ID = re.compile(r"\bacc_[0-9a-f]{32}\b")


@dataclass(frozen=True)
class Run:
    """All cases of an app.

    :ivar problems: in both languages of each case.
    :ivar mixed: cases whose page is not, for each of two users who look at it in turn, what it is where nothing is kept.
    :ivar differing: cases whose HTML differs from what it is in `DEBUG`.
    :ivar loaded: the templates that were loaded in `DEBUG`.
    :ivar compiled: those that were compiled there, each as often as it was.
    """

    problems: list[str]
    mixed: list[str]
    differing: list[str]
    loaded: set[str]
    compiled: Counter[tuple[Environment, str | None]]


@pytest.fixture(scope="module")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Run]:
    """Runs all cases of an app, once."""
    return cache(lambda site: run_all(site, state_dir=tmp_path_factory.mktemp("state")))


def run_all(site: str, *, state_dir: Path) -> Run:
    """Run all cases in `DEBUG` and a third, in another language, as in production; in a short run a part of these.

    A quarter runs in both in the default language, to compare the HTML: that differs by template, not by state.
    """
    cases = sample((case for case in CASES if case.site == site), step=3)
    app, problems, mixed, in_debug = site.partition("+")[0], [], [], {}

    def look_in_turn(visit: Visit) -> None:
        if not is_same_in_turn(visit):
            mixed.append(visit.name)

    def html_at(running: RunningSite, case: Case, locale: str, *, is_turn: bool = False) -> list[str]:
        responses = running.run(case, locale=locale, then=look_in_turn if is_turn else lambda visit: None)
        if (status := responses[-1].status_code) != case.status:
            problems.append(f"{case.id}, {locale}: status {status}")
        return html_of(responses)

    def check(contents: list[str], case: Case, locale: str) -> None:
        for content in contents:
            found = problems_of(content, app=app, locale=locale, shows=case.shows if content is contents[-1] else ())
            problems.extend(f"{case.id}, {locale}: {problem}" for problem in found)

    with running_site(site, state_dir=state_dir, is_debug=True) as in_debug_site:
        for case in cases:
            check(contents := html_at(in_debug_site, case, DEFAULT_LOCALE), case, DEFAULT_LOCALE)
            in_debug[case] = comparable(contents)
    # After a failure another page is shown, for what has been learned.
    stable = [case for case in cases if case.status < 400 and not case.name.startswith("failure")]
    step = 3 if IS_WHOLE else 4
    turns = stable[::step]
    with running_site(site, state_dir=state_dir) as running:
        differing = [
            case.id
            for case in dict.fromkeys((*cases[::4], *turns[::2]))
            if comparable(html_at(running, case, DEFAULT_LOCALE, is_turn=case in turns[::2])) != in_debug[case]
        ]
        for locale, case in zip(cycle(OTHER_LOCALES), dict.fromkeys((*cases[::step], *turns[1::2])), strict=False):
            check(html_at(running, case, locale, is_turn=case in turns[1::2]), case, locale)
    return Run(problems, mixed, differing, in_debug_site.loaded, in_debug_site.compiled)


def comparable(contents: list[str]) -> str:
    """What is the same whoever looks, and whenever."""
    return OWN_ID.sub("", RANDOM.sub("", "".join(contents)))


def is_same_in_turn(visit: Visit) -> bool:
    """Whether a page that two users look at in turn is, for each, the one that is shown where nothing is kept."""
    browser, request = visit.last
    if request["REQUEST_METHOD"] != "GET":
        return True  # it is rendered for this request alone
    is_signed_in = VAR_ACCESS_TOKEN in browser.cookies
    other = visit.user(name="Grace <b>Hopper</b>") if is_signed_in else visit.signed_out()

    def pages(*browsers: Browser) -> list[str]:
        return [RANDOM.sub("", "".join(html_of([each.ask(**request)]))) for each in browsers]

    # The first look was that of the case: by now everything is kept that may be.
    seen = pages(other, browser)
    with nothing_kept():
        return seen == pages(other, browser)


def html_of(responses: list[HttpResponseBase]) -> list[str]:
    """The pages and fragments among the responses."""
    contents = [b"".join(each).decode() for each in responses if each["Content-Type"].startswith("text/html")]
    return [content for content in contents if content]


def test_each_case_has_a_name_of_its_own() -> None:
    names = [case.id for case in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("site", SITES)
def test_each_page_keeps_the_rules(run_of: Callable[[str], Run], site: str) -> None:
    run = run_of(site)
    assert run.problems == [], "\n".join(run.problems)
    assert run.mixed == [], "two users look at a page in turn"
    assert run.differing == [], "in DEBUG no name may be missing"
    assert run.compiled
    assert {name: times for (_, name), times in run.compiled.items() if times > 1} == {}, "no file has changed"


#: What the page of no app has; a test of its own shows it.
OF_NO_APP = {"portal/icons/list.svg"}  # tests/portal_pages/test_sidebar.py


@pytest.mark.whole
def test_each_template_is_part_of_a_case(run_of: Callable[[str], Run]) -> None:
    loaded = set().union(*(run_of(site).loaded for site in SITES))
    files = {str(path.relative_to(folder)) for folder in FOLDERS for path in folder.rglob("*.*")}
    assert files - loaded - OF_NO_APP == set(), "tests/support/every_page has no case that shows it"


#: A whole document, but for what is to be tried.
PAGE = '<!doctype html><html lang="en" data-app="energy" data-pathname="/en/x">{}</html>'


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<p>a<script>alert(1)</script></p>", "has an element 'script'"),
        ('<p onclick="x">a</p>', "has an attribute 'onclick'"),
        ("<p {%x%}>a</p>", "has an attribute '{%x%}'"),
        ('<a href="javascript:x">a</a>', "a has the address 'javascript:x'"),
        ("<!-- a -->", "has a comment ' a '"),
        ("<p>{{ row.name }}</p>", "shows a template's mark {{"),
        ("<p>&amp;lt;b&amp;gt;</p>", "shows '&lt;', escaped twice"),
        ("<p>None</p>", "shows Python's 'None'"),
        ("<p>&lt;bound method x&gt;</p>", "shows Python's '<bound'"),
        ("<div><p></div></p>", "the tag 'div' is out of place"),
        ('<p id="a"></p><p id="a"></p>', "has the id 'a' 2 times"),
        ('<label for="a"></label>', "label names no id: 'a'"),
        ('<form method="post"></form>', "has 1 forms that send, and 0 tokens"),
        ("<p>a</p>", "does not show '<b>'"),
        (PAGE.format("<main></main>"), "has no main part"),
        (PAGE.format("<title> · </title>"), "has no title"),
        (PAGE.format(""), "has the style sheets [], the icons [], the scripts []"),
        (PAGE.replace("energy", "finance"), "is the document "),
        ("<html>", "is the document {}"),
    ],
)
def test_a_page_that_breaks_a_rule_is_found(content: str, problem: str) -> None:
    found = list(problems_of(content, app="energy", locale="en", shows=("<b>",)))
    assert any(each.startswith(problem) for each in found), found


def test_a_page_that_keeps_the_rules_has_no_problem() -> None:
    assert list(problems_of("<p>&lt;b&gt; None. {{7*7}}</p>", app="energy", locale="en", shows=("<b>",))) == []
