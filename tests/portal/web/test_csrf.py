"""The CSRF token of our pages is Django's: its middleware accepts what it would accept, and nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CsrfViewMiddleware, get_token
from django.template.backends.utils import csrf_input as csrf_input_of_django
from django.test import RequestFactory, override_settings
from markupsafe import escape

from portal.web.context_processors import essentials
from portal.web.csrf import CsrfInput, characters_of, csrf_token

TOKEN = "[A-Za-z0-9]{64}"
COOKIE = settings.CSRF_COOKIE_NAME
TokenMaker = Callable[[HttpRequest], str]


class Browser:
    """A browser whose tabs share the cookie."""

    def __init__(self) -> None:
        self.cookies: dict[str, str] = {}

    def open(self, view: Callable[[HttpRequest], str]) -> str:
        """A page: what the view returns."""
        return self._ask(RequestFactory().get("/"), view).content.decode()

    def send(self, token: str) -> int:
        """The status of a form with this token."""
        request = RequestFactory().post("/", {"csrfmiddlewaretoken": token})
        return self._ask(request, lambda request: "done").status_code

    def _ask(self, request: HttpRequest, view: Callable[[HttpRequest], str]) -> HttpResponse:
        request.COOKIES.update(self.cookies)
        middleware = CsrfViewMiddleware(lambda request: HttpResponse(view(request)))
        refused = middleware.process_request(request) or middleware.process_view(request, view, (), {})
        response = middleware.process_response(request, refused or HttpResponse(view(request)))
        self.cookies |= {name: cookie.value for name, cookie in response.cookies.items()}
        return response


@pytest.fixture
def browser() -> Browser:
    return Browser()


@pytest.fixture(autouse=True)
def _plain_refusals() -> Iterator[None]:
    """Django's own failure view; ours needs a whole project."""
    with override_settings(CSRF_FAILURE_VIEW="django.views.csrf.csrf_failure"):
        yield


@pytest.mark.parametrize(
    ("make", "make_next"), [(csrf_token, csrf_token), (csrf_token, get_token), (get_token, csrf_token)]
)
def test_the_tokens_of_one_browser_are_all_accepted(browser: Browser, make: TokenMaker, make_next: TokenMaker) -> None:
    """Of two tabs, of a page from before a change of version, and again after a form was sent."""
    first = browser.open(make)
    secret = browser.cookies[COOKIE]
    second = browser.open(make_next)
    assert [browser.send(token) for token in (first, second, first)] == [200, 200, 200]
    assert browser.cookies[COOKIE] == secret


def test_a_token_of_another_browser_is_refused(browser: Browser) -> None:
    browser.open(csrf_token)
    assert browser.send(Browser().open(csrf_token)) == 403


@pytest.mark.parametrize("cookie", ["", "a" * 31 + "-", "ä" * 32, "a" * 65])
def test_a_cookie_that_is_no_secret_is_replaced(browser: Browser, cookie: str) -> None:
    browser.cookies[COOKIE] = cookie
    token = browser.open(csrf_token)
    assert re.fullmatch("[A-Za-z0-9]{32}", browser.cookies[COOKIE])
    assert browser.send(token) == 200


def test_each_page_masks_the_secret_anew_and_its_forms_share_one_token(browser: Browser) -> None:
    def page(request: HttpRequest) -> str:
        context = essentials(request)
        return f"{escape(context['csrf_input'])} {escape(context['csrf_input'])}"

    first, second = browser.open(page).split("> "), browser.open(page).split("> ")
    assert first[0] + ">" == first[1]
    assert first != second
    assert browser.cookies[COOKIE] not in first[1] + second[1]


def test_a_page_without_a_form_sets_no_cookie(browser: Browser) -> None:
    browser.open(lambda request: str(essentials(request).keys()))
    assert not browser.cookies


def test_the_input_its_tokens_and_secrets_have_the_form_of_djangos(browser: Browser) -> None:
    ours = browser.open(lambda request: escape(CsrfInput(request)))
    djangos = browser.open(csrf_input_of_django)
    assert re.sub(TOKEN, "…", ours) == re.sub(TOKEN, "…", djangos)
    for _ in range(200):
        browser.cookies.clear()
        assert re.fullmatch(TOKEN, browser.open(csrf_token))
        assert re.fullmatch("[A-Za-z0-9]{32}", browser.cookies[COOKIE])


def test_each_character_is_as_likely_as_any_other() -> None:
    counts = Counter(characters_of(bytes(range(256))).decode())
    assert counts == dict.fromkeys(CSRF_ALLOWED_CHARS, 4)
