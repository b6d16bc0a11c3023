"""A page is rendered once for who sees the same. Whoever sees anything else gets a page of their own, and at once."""

import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from jinja2 import UndefinedError
from markupsafe import Markup, escape

from portal.config.cookies import REFUSED_PLATFORM, VAR_THEME, VAR_TIME_ZONE
from portal.process import Pool
from portal.testing import Backend, SignedIn
from portal.testing.fixtures import backend
from portal.web import context_processors
from portal.web.context_processors import CSRF_HOLE, render_kept
from portal.web.cookies.message_storage import AppCookieStorage
from portal.web.submissions import SUBMISSION_HOLE
from portal.web.templating import part_cache
from tests.budgets.views import noting_submit
from tests.support.nothing_kept import TOKEN, no_time_passes, nothing_kept, shown

__all__ = ["backend"]
CLIENTS = "/energy/clients"
PAGE, ROW, HOME = f"/en{CLIENTS}", f"/en{CLIENTS}/c1", "/en/energy"
ADA = {"id": "c1", "name": "Ada", "city": "Bern", "createdAt": "2025-12-31T23:30:00Z"}
HTMX_LIST = {"hx-request": "true", "hx-target": "list"}
HTMX_ROWS = {"hx-request": "true", "hx-target": "rows"}
Made = list[str]
NewPage = Callable[..., list[HttpResponse]]


@pytest.fixture
def app() -> str:
    return "energy"


@pytest.fixture
def browser(backend: Backend, signed_in: SignedIn) -> Client:
    """Of somebody who may open the app, whose backend has a client, and nothing else."""
    backend.lists(CLIENTS, [ADA])
    for name in ("energy/sessions", "energy/stations", "energy/chargers", "energy/meters", "finance/invoices"):
        backend.lists(f"/{name}", [])
    for figures in ("summary", "state"):
        backend.answers("GET", f"/energy/{figures}", json={"counts": {"clients": 1}})
    return signed_in("ENERGY_APP")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    """The templates of the pages that were rendered, while no time passes."""
    names: list[str] = []
    render_part, render = context_processors.render_part, context_processors.render

    def noting_part(template: str, variables: Any) -> Any:
        # The parts of the sidebar have none.
        if "csrf_input" in variables:
            names.append(template)
        return render_part(template, variables)

    def noting(request: HttpRequest, template: str, context: Any) -> HttpResponse:
        names.append(template)
        return render(request, template, context)

    monkeypatch.setattr(context_processors, "render_part", noting_part)
    monkeypatch.setattr(context_processors, "render", noting)
    with no_time_passes():
        yield names


def with_cookies(browser: Client, **cookies: str) -> Client:
    """The same sign-in, with other preferences."""
    other = Client(headers={"accept": "text/html", "sec-fetch-mode": "navigate"})
    for name, value in {**{name: each.value for name, each in browser.cookies.items()}, **cookies}.items():
        other.cookies[name] = value
    return other


# --- once ---


@pytest.mark.parametrize(
    ("path", "headers"),
    [(PAGE, {}), (f"{PAGE}?pages=3", {}), (PAGE, HTMX_LIST), (PAGE, HTMX_ROWS), (ROW, {}), (HOME, {})],
    ids=["list", "pages of a list", "list for htmx", "rows for htmx", "record", "overview"],
)
def test_a_page_is_rendered_once_while_its_data_stays_the_same(
    browser: Client, made: Made, path: str, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Future[Any]] = []
    monkeypatch.setattr(Pool, "submit", noting_submit(begun))
    browser.get(path, headers=headers)
    # Behind a first page the process finds out what the backend has: from then on it shows that.
    wait(begun)
    part_cache.clear()
    made.clear()
    first, second, head = (
        browser.get(path, headers=headers),
        browser.get(path, headers=headers),
        browser.head(path, headers=headers),
    )
    assert len(made) == 1
    assert shown(first) == shown(second)
    assert {name: value for name, value in first.headers.items() if name != "X-Request-Id"} == {
        name: value for name, value in head.headers.items() if name != "X-Request-Id"
    }
    with nothing_kept():
        assert shown(browser.get(path, headers=headers)) == shown(first)
    assert CSRF_HOLE.encode() not in second.content


def test_the_token_of_each_view_is_its_own_and_its_browsers(browser: Client) -> None:
    strict = Client(enforce_csrf_checks=True, headers={"accept": "text/html", "sec-fetch-mode": "navigate"})
    strict.cookies = browser.cookies
    tokens = [TOKEN.findall(strict.get(PAGE).content.decode()) for _ in range(2)]
    assert [len(set(each)) for each in tokens] == [1, 1]
    assert len(tokens[0]) == 4, "of the table, the language, the sign-out, and the colours"
    assert tokens[0][0] != tokens[1][0]

    def status(token: str) -> int:
        return strict.post("/locale", {"locale": "en", "csrfmiddlewaretoken": token}).status_code

    assert [status(each[0]) for each in tokens] == [303, 303]
    another = with_cookies(browser)
    del another.cookies[next(name for name in another.cookies if "csrf" in name)]
    assert status(TOKEN.findall(another.get(PAGE).content.decode())[0]) == 403


def test_nothing_is_kept_in_debug(browser: Client, made: Made, settings) -> None:
    settings.PORTAL = replace(settings.PORTAL, debug=True)
    assert shown(browser.get(PAGE)) == shown(browser.get(PAGE))
    assert len(made) == 2


# --- for who sees something else ---


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"path": f"/de{CLIENTS}"}),
        ({}, {"path": f"{PAGE}?q=Ada"}),
        ({"path": f"{PAGE}?q=Ada"}, {"path": f"{PAGE}?q=Ada&x=%3Cscript%3E"}),
        ({}, {"path": f"{PAGE}?pages=3"}),
        ({}, {"headers": HTMX_LIST}),
        ({"headers": HTMX_ROWS}, {"headers": HTMX_LIST}),
        ({}, {VAR_THEME: "dark"}),
        ({VAR_TIME_ZONE: "Asia/Kolkata"}, {VAR_TIME_ZONE: "UTC"}),
        ({}, {REFUSED_PLATFORM: "FINANCE"}),
        ({"path": ROW}, {"path": ROW, "headers": {"referer": f"http://testserver{PAGE}?q=Ada"}}),
        ({"path": HOME}, {"path": f"{HOME}?period=7d"}),
    ],
)
def test_other_views_are_kept_apart(browser: Client, one: dict[str, Any], other: dict[str, Any]) -> None:
    def view(path: str = PAGE, headers: dict[str, str] | None = None, **cookies: str) -> str:
        return shown(with_cookies(browser, **cookies).get(path, headers=headers))

    seen = [view(**each) for each in (one, other) * 2]
    with nothing_kept():
        alone = [view(**each) for each in (one, other)]
    assert seen == alone * 2
    assert alone[0] != alone[1]


@pytest.mark.parametrize("path", [PAGE, ROW, HOME])
def test_users_in_turn_each_get_their_own(browser: Client, signed_in: SignedIn, path: str) -> None:
    """They differ in name, address, permissions, and in nothing but their accounts."""
    browsers = [
        browser,
        signed_in("ENERGY_APP", name="Ben"),
        signed_in("ENERGY_APP", email="ben@example.com"),
        signed_in("ENERGY_APP", "FINANCE_APP"),
        signed_in("ENERGY_APP"),
    ]
    seen = [shown(each.get(path)) for each in browsers * 2]
    with nothing_kept():
        alone = [shown(each.get(path)) for each in browsers]
    assert seen == alone * 2
    assert len({*alone}) == len(browsers)


def test_the_sidebar_marks_the_page_beside_which_it_stands(browser: Client) -> None:
    paths = [PAGE, f"{HOME}/stations", HOME] * 2
    pages = [shown(browser.get(path)) for path in paths]
    assert [re.findall(r'<a class="side-link" href="([^"]*)"[^>]* aria-current="page"', each) for each in pages] == [
        [path] for path in paths
    ]


def test_a_profile_that_fails_leaves_its_placeholder_to_that_page_alone(browser: Client, backend: Backend) -> None:
    def lacks_the_user() -> bool:
        page = shown(browser.get(PAGE))
        assert ("data-placeholder" in page) != ("Ada Lovelace" in page)
        return "data-placeholder" in page

    backend.fails("malformed", path="/me")
    meanwhile = [lacks_the_user(), lacks_the_user()]
    backend.recovers()
    assert (meanwhile, lacks_the_user(), lacks_the_user()) == ([True, True], False, False)


# --- at once ---


def test_message_is_shown_once_and_at_once(browser: Client, backend: Backend, made: Made) -> None:
    for _ in range(2):
        browser.get(PAGE)
    backend.answers("POST", CLIENTS, json={"id": "c2", "name": "Ida"}, status=201)
    assert browser.post(f"{PAGE}/new", {"name": "Ida", "email": "ida@example.com"}).status_code == 303
    pages = [shown(browser.get(PAGE)) for _ in range(2)]
    assert ["Ida was created." in each for each in pages] == [True, False]
    assert [re.findall(r'data-row-id="(\w+)"( data-created)?', each) for each in pages] == [
        [("c2", " data-created"), ("c1", "")],
        [("c2", ""), ("c1", "")],
    ]


def test_part_of_a_list_leaves_the_message(browser: Client) -> None:
    request, response = RequestFactory().get(PAGE), HttpResponse()
    storage = AppCookieStorage(request)
    storage.add(messages.INFO, "Said once.")
    storage.update(response)
    views = [(HTMX_LIST, False), (HTMX_ROWS, False), ({}, True), ({}, False)]
    for headers, _ in views:
        browser.get(PAGE, headers=headers)
    browser.cookies.update(response.cookies)
    said = ["Said once." in shown(browser.get(PAGE, headers=headers)) for headers, _ in views]
    assert said == [is_said for _, is_said in views]


def test_change_of_the_user_shows_at_once(browser: Client, backend: Backend) -> None:
    def cities() -> list[str]:
        pages = [shown(browser.get(path)) for path in (PAGE, ROW) * 2]
        return [city for page in pages for city in re.findall(r">\s*(Bern|Oslo|Rome)\s*</(?:td|dd)>", page)]

    assert cities() == ["Bern"] * 4
    for city in ("Oslo", "Bern", "Rome"):
        backend.answers("PATCH", f"{CLIENTS}/c1", json=ADA | {"city": city})
        typed = {"name": "Ada", "email": "ada@example.com", "city": city}
        assert browser.post(f"{ROW}/edit", typed).status_code == 303
        assert cities() == [city] * 4


def test_an_outage_is_told_while_it_lasts_beside_rows_that_were_kept(browser: Client, backend: Backend) -> None:
    def tells(**headers: str) -> bool:
        return "There is no newer answer" in shown(browser.get(PAGE, headers=headers))

    assert not tells()
    backend.fails("malformed", path=CLIENTS)
    reload = {"cache-control": "no-cache"}
    assert [tells(**reload), tells(**reload)] == [True, True]
    backend.recovers()
    assert [tells(**reload), tells()] == [False, False]


def test_404_of_a_list_is_that_pages_alone(browser: Client, backend: Backend) -> None:
    def offers() -> list[bool]:
        return [f'href="{HOME}/stations"' in shown(browser.get(path)) for path in (PAGE, ROW) * 2]

    backend.fails(404, path="/energy/stations")
    assert browser.get(f"{HOME}/stations", headers={"cache-control": "no-cache"}).status_code == 404
    assert offers() == [True] * 4
    backend.recovers()
    assert browser.get(f"{HOME}/stations").status_code == 200


# --- for who writes a view ---


@pytest.fixture
def page(settings, tmp_path: Path) -> NewPage:
    """The page of a template of this text."""
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [*settings.TEMPLATES[0]["DIRS"], tmp_path]}]
    part_cache.clear()
    names = map("page-{}.html".format, count())

    def page(html: str, *views: dict[str, Any], key: tuple[Any, ...] | None = ("key",)) -> Any:
        name = next(names)
        (tmp_path / name).write_text(html)
        request = RequestFactory().get(HOME)
        return [render_kept(request, name, partial(dict, each), key=key) for each in views or ({},)]

    return page


def test_a_template_that_uses_the_request_fails_where_no_name_may_be_missing(page: NewPage) -> None:
    """As in `DEBUG`: the page would be kept for other requests."""
    with pytest.raises(UndefinedError, match="'request' is undefined"):
        page("{{ request.path }}")


def test_each_form_of_each_view_has_a_submission_key_of_its_own(page: NewPage) -> None:
    first, second = page("{{ csrf_input }} {{ submission_input }}, {{ submission_input }}", {}, {})
    keys = [
        re.findall(r'<input type="hidden" name="submissionKey" value="([\w-]{22})">', each.content.decode())
        for each in (first, second)
    ]
    assert len({*keys[0], *keys[1]}) == 4
    assert str(SUBMISSION_HOLE).encode() not in first.content


@pytest.mark.parametrize("hole", [CSRF_HOLE, SUBMISSION_HOLE], ids=["csrf", "submission"])
def test_no_value_can_stand_for_a_token(page: NewPage, hole: Markup) -> None:
    [shown] = page("{{ text }}", {"text": str(hole)})
    assert shown.content.decode() == escape(str(hole))
