"""`ApiAccessMiddleware`: tokens in, cookies out, on every class of response."""

from __future__ import annotations

import json
import re
import time

import pytest
import responses
from django.http import HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.test import RequestFactory

from portal.api import set_tokens
from portal.api.refresh.token_family import rotate
from portal.api.session import api_session
from portal.api.tokens import TokenPair
from portal.config.cookies import (
    SIGN_IN_COOKIES,
    SIGN_IN_NAME,
    VAR_ACCESS_TOKEN,
    VAR_PERMITTED_PLATFORMS,
    VAR_REFRESH_TOKEN,
    VAR_SELECTED_LOCALE,
    VAR_WAY_BACK,
)
from portal.errors import ApiUnauthorizedError, ApiUnavailableError, SignInEndedError, StoreUnavailableError
from portal.query import QueryClient
from portal.web import resolve_post_login_path
from portal.web.middleware import ApiAccessMiddleware
from portal.web.query_client import read_user_agent
from tests.portal.web.conftest import BACKEND, access_token, profile
from tests.support.refresh_world import jwt

NAVIGATION = {"accept": "text/html"}
FETCH = {"accept": "application/json", "sec-fetch-mode": "cors"}
NEW = TokenPair(access="new-access", refresh="new-refresh")


def run(view, *, cookies=None, method="GET", path="/en/energy", headers=None):
    """One request through the middleware alone."""
    request = RequestFactory().generic(method, path, headers=headers or NAVIGATION)
    request.COOKIES.update(cookies or {})
    request.META["HTTP_COOKIE"] = "; ".join(f"{name}={value}" for name, value in (cookies or {}).items())
    request.edge_user = None
    middleware = ApiAccessMiddleware(lambda request: _with_exceptions(middleware, view, request))
    return middleware(request)


def _with_exceptions(middleware, view, request):
    try:
        return view(request)
    except Exception as error:
        response = middleware.process_exception(request, error)
        if response is None:
            raise
        return response


def set_cookies(response) -> dict[str, str]:
    """All but the way back, which `test_way_back.py` tells of."""
    return {morsel.key: morsel.value for morsel in response.cookies.values() if morsel.key != VAR_WAY_BACK}


RESPONSES = {
    "page": lambda: HttpResponse("page"),
    "redirect": lambda: HttpResponseRedirect("/elsewhere"),
    "not found": lambda: HttpResponse(status=404),
    "error": lambda: HttpResponse(status=500),
    "no content": lambda: HttpResponse(status=204),
    "not modified": lambda: HttpResponse(status=304),
    "stream": lambda: StreamingHttpResponse(iter([b"a", b"b"])),
}
each_response = pytest.mark.parametrize("make", RESPONSES.values(), ids=RESPONSES.keys())


# --- in ---


def test_a_request_has_its_tokens_its_deadline_its_id_and_a_client():
    seen = []
    run(lambda request: seen.append(request) or HttpResponse(), cookies={VAR_ACCESS_TOKEN: "a", VAR_REFRESH_TOKEN: "r"})
    (request,) = seen
    assert request.token_store.incoming == TokenPair(access="a", refresh="r")
    assert 9 < request.api_deadline.remaining() <= 10
    assert re.fullmatch("[0-9a-f]{32}", request.request_id)
    assert isinstance(request.query_client, QueryClient)


@pytest.mark.parametrize(
    ("sent", "kept"), [("abc-1.2_X", True), ("", False), ("a b", False), ("x" * 129, False), ("a\nb", False)]
)
def test_a_sound_request_id_is_passed_on_and_any_other_replaced(sent, kept):
    seen = []
    run(lambda request: seen.append(request.request_id) or HttpResponse(), headers={**NAVIGATION, "x-request-id": sent})
    assert (seen[0] == sent) is kept


@pytest.mark.parametrize(
    ("sent", "forwarded"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"),
        ("a\r\nX-Admin: 1", "aX-Admin: 1"),
        ("Bröwser \ud800/1", "Brwser /1"),
        ("x" * 5000, "x" * 400),
        (" \t ", None),
        ("", None),
        (None, None),
    ],
)
def test_the_backend_gets_the_user_agent_without_what_no_header_can_carry(sent, forwarded):
    assert read_user_agent(sent) == forwarded


# --- out ---


@each_response
def test_tokens_that_were_kept_set_no_cookies(make):
    response = run(lambda _: make(), cookies={VAR_ACCESS_TOKEN: "a", VAR_REFRESH_TOKEN: "r"})
    assert not response.cookies
    assert "Cache-Control" not in response


@each_response
def test_a_sign_in_sets_its_cookies_on_every_class_of_response(make):
    def view(request):
        request.token_store.sign_in(NEW)
        return make()

    response = run(view)
    name = set_cookies(response)[SIGN_IN_NAME]
    assert set_cookies(response) == {
        VAR_ACCESS_TOKEN: NEW.access,
        VAR_REFRESH_TOKEN: NEW.refresh,
        SIGN_IN_NAME: name,
    }
    assert response["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize(
    "change", [lambda tokens: tokens.sign_in(NEW), lambda tokens: tokens.clear()], ids=["in", "out"]
)
def test_after_a_sign_in_or_a_sign_out_no_way_back_is_left(change):
    def view(request):
        change(request.token_store)
        return HttpResponse()

    removed = run(view, cookies={VAR_WAY_BACK: "ended%20/en/energy"}).cookies[VAR_WAY_BACK]
    assert (removed.value, removed["max-age"]) == ("", 0)


@each_response
def test_a_refresh_sets_its_cookies_on_every_class_of_response(make, refresh):
    def view(request):
        request.token_store.rotate(NEW, replaced=refresh)
        return make()

    response = run(view, cookies={VAR_REFRESH_TOKEN: refresh, VAR_PERMITTED_PLATFORMS: '["ENERGY"]'})
    assert set_cookies(response) == {
        VAR_ACCESS_TOKEN: NEW.access,
        VAR_REFRESH_TOKEN: NEW.refresh,
        VAR_PERMITTED_PLATFORMS: "%5B%22ENERGY%22%5D",
    }
    assert response["Cache-Control"] == "private, no-store"


@each_response
def test_a_dead_sign_in_is_cleared_on_every_class_of_response(make):
    def view(request):
        request.token_store.clear()
        return make()

    response = run(view, cookies={VAR_ACCESS_TOKEN: "a", VAR_SELECTED_LOCALE: "de"})
    assert set_cookies(response) == dict.fromkeys(SIGN_IN_COOKIES, "")
    assert all(morsel["max-age"] == 0 for morsel in response.cookies.values())
    assert response["Cache-Control"] == "private, no-store"


def test_the_platforms_of_the_last_user_are_not_carried_into_a_new_sign_in():
    def view(request):
        request.token_store.sign_in(NEW)
        return HttpResponse()

    response = run(view, cookies={VAR_REFRESH_TOKEN: "r", VAR_PERMITTED_PLATFORMS: "%5B%22ENERGY%22%5D"})
    assert response.cookies[VAR_PERMITTED_PLATFORMS].value == ""
    assert response.cookies[VAR_PERMITTED_PLATFORMS]["max-age"] == 0
    assert VAR_PERMITTED_PLATFORMS not in run(view).cookies, "nothing to remove"


def test_the_profile_of_the_last_user_is_not_carried_into_a_new_sign_in(backend, account):
    backend.get(f"{BACKEND}/me", status=503)
    pair = TokenPair(access=access_token(account), refresh="r")

    def view(request):
        request.me_platforms = ("FINANCE",)
        set_tokens(request.token_store, pair)
        return HttpResponse(resolve_post_login_path(request, access_token=pair.access))

    assert VAR_PERMITTED_PLATFORMS not in run(view).cookies


@pytest.mark.parametrize("brought", ["", '["FINANCE"]', "%5B%22ENERGY%22%5D"])
def test_a_new_sign_in_has_the_platforms_that_resolve_post_login_path_learned(
    backend: responses.RequestsMock, account: str, brought: str
):
    """The cookie lives as long as the new refresh token, so it is written also where its value stays the same."""
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    pair = TokenPair(access=access_token(account), refresh=jwt(exp=int(time.time()) + 7200))

    def view(request):
        set_tokens(request.token_store, pair)
        return HttpResponse(resolve_post_login_path(request, access_token=pair.access))

    response = run(view, cookies={VAR_PERMITTED_PLATFORMS: brought} if brought else {})
    assert response.content == b"/energy"
    platforms = response.cookies[VAR_PERMITTED_PLATFORMS]
    assert platforms.value == "%5B%22ENERGY%22%5D"
    assert platforms["max-age"] == response.cookies[VAR_REFRESH_TOKEN]["max-age"]
    assert 3600 < platforms["max-age"] <= 7200


def test_no_tokens_are_set_for_a_sign_in_that_was_signed_out_meanwhile(refresh):
    def view(request):
        request.token_store.rotate(NEW, replaced=refresh)
        records = api_session().refresher._records
        records.mark_signed_out([records.get(refresh).secret], lifetime_s=60)
        return HttpResponse("a page that was on its way")

    response = run(view, cookies={VAR_REFRESH_TOKEN: refresh})
    assert response.status_code == 200
    assert not response.cookies
    assert response["Cache-Control"] == "private, no-store"


def test_the_latest_pair_is_set(refresh):
    newest = TokenPair(access="newest-access", refresh=f"{refresh}-newest")
    middle = TokenPair(access="middle-access", refresh=f"{refresh}-middle")

    def view(request):
        request.token_store.rotate(middle, replaced=refresh)
        records, family = api_session().refresher._records, None
        for head, pair in ((refresh, middle), (middle.refresh, newest)):
            family, _ = rotate(family, latest_refresh=head, submitted=head, pair=pair, now=time.time())
            records.set_rotation(records.get(refresh).secret, family, submitted=[head], lifetime_s=60)
        return HttpResponse()

    response = run(view, cookies={VAR_REFRESH_TOKEN: refresh})
    assert set_cookies(response) == {VAR_ACCESS_TOKEN: newest.access, VAR_REFRESH_TOKEN: newest.refresh}


# --- the end of a sign-in ---


def ended(request):
    request.token_store.end(rejected=request.token_store.current.refresh)
    return HttpResponse("the response of the view")


def raising(request):
    ended(request)
    raise SignInEndedError("refused")


@pytest.mark.parametrize("view", [ended, raising])
@pytest.mark.parametrize(("method", "status"), [("GET", 302), ("HEAD", 302), ("POST", 303), ("DELETE", 303)])
def test_a_refused_refresh_redirects_to_the_root_whatever_the_view_returns_or_raises(view, method, status):
    response = run(view, cookies={VAR_REFRESH_TOKEN: "r"}, method=method)
    assert (response.status_code, response["Location"], response.content) == (status, "/", b"")
    assert set_cookies(response) == dict.fromkeys(SIGN_IN_COOKIES, "")
    assert response["Cache-Control"] == "private, no-store"
    assert response["X-Frame-Options"] == "DENY"
    assert "Content-Security-Policy" in response


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ApiUnauthorizedError(status=401), 401),
        (ApiUnavailableError(retry_after=1), 503),
        (StoreUnavailableError("x"), 503),
    ],
    ids=["rejected", "api", "store"],
)
def test_an_error_that_a_view_lets_escape_has_its_page_and_clears_nothing(error, status):
    def view(_):
        raise error

    response = run(view, cookies={VAR_ACCESS_TOKEN: "a", VAR_REFRESH_TOKEN: "r"})
    assert (response.status_code, response.headers.get("Retry-After")) == (status, "1" if status == 503 else None)
    assert not response.cookies


@pytest.mark.parametrize("headers", [FETCH, {"accept": "*/*", "hx-request": "true"}], ids=["fetch", "htmx"])
def test_a_script_gets_401_and_the_address_to_open(headers):
    response = run(ended, cookies={VAR_REFRESH_TOKEN: "r"}, headers=headers)
    assert (response.status_code, response["HX-Redirect"]) == (401, "/")
    assert response["Content-Type"] == "application/problem+json"
    assert json.loads(response.content)["status"] == 401
    assert set_cookies(response) == dict.fromkeys(SIGN_IN_COOKIES, "")


def test_a_response_is_closed_that_the_end_of_the_sign_in_replaces():
    closed = []

    class Parts:
        def __iter__(self):
            return iter(())

        def close(self):
            closed.append(True)

    def view(request):
        ended(request)
        return StreamingHttpResponse(Parts())

    assert run(view, cookies={VAR_REFRESH_TOKEN: "r"})["Location"] == "/"
    assert closed == [True]
