"""`ApiAccessMiddleware`: tokens in, cookies out, on every class of response."""

import dataclasses
import json
import math
import re
import time
from types import SimpleNamespace

import pytest
import responses
from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.test import RequestFactory, override_settings

from portal.api.refresh.sealing import seal
from portal.api.refresh.token_record import State, TokenRecord, issued_record
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
from portal.config.limits import REQUEST_BUDGET_S
from portal.errors import SignInEndedError, UsageError
from portal.services.user import UserQueries
from portal.testing import access_token, profile_of
from portal.web.middleware import ApiAccessMiddleware
from portal.web.query_client import read_user_agent
from portal.web.request import PortalRequest
from tests.portal.web.conftest import BACKEND

NAVIGATION = {"accept": "text/html"}
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
    "error": lambda: HttpResponse(status=500),
    "stream": lambda: StreamingHttpResponse(iter([b"a", b"b"])),
}


# --- in ---


@pytest.mark.parametrize(
    ("sent", "forwarded"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"),
        ("a\r\nX-Admin: 1", "aX-Admin: 1"),
        ("Bröwser \ud800/1", "Brwser /1"),
        ("x" * 5000, "x" * 400),
        (" \t ", None),
        (None, None),
    ],
)
def test_the_backend_gets_the_user_agent_without_what_no_header_can_carry(sent, forwarded):
    assert read_user_agent(sent) == forwarded


def test_all_calls_of_a_request_share_its_time():
    left = []

    def view(request):
        left.append(request.api_deadline.remaining())
        return HttpResponse()

    run(view)
    assert 0 < left[0] <= REQUEST_BUDGET_S


# --- out ---


def keep(tokens, refresh):
    pass


def sign_in(tokens, refresh):
    tokens.sign_in(NEW)


def renew(tokens, refresh):
    tokens.rotate(NEW, replaced=refresh)


def clear(tokens, refresh):
    tokens.clear()


BROUGHT = {VAR_PERMITTED_PLATFORMS: "%5B%22ENERGY%22%5D"}
NEW_TOKENS = {VAR_ACCESS_TOKEN: NEW.access, VAR_REFRESH_TOKEN: NEW.refresh}


@pytest.mark.parametrize("make", RESPONSES.values(), ids=RESPONSES)
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (keep, {}),
        # The platforms of the last user are not carried into a new sign-in.
        (sign_in, NEW_TOKENS | {VAR_PERMITTED_PLATFORMS: "", SIGN_IN_NAME: "a new one"}),
        (renew, NEW_TOKENS | BROUGHT),
        (clear, dict.fromkeys(SIGN_IN_COOKIES, "")),
    ],
)
def test_what_becomes_of_the_tokens_sets_the_cookies_of_every_class_of_response(make, change, expected, refresh):
    def view(request):
        change(request.token_store, refresh)
        return make()

    cookies = BROUGHT | {VAR_REFRESH_TOKEN: refresh, VAR_SELECTED_LOCALE: "de", VAR_WAY_BACK: "ended%20/en/energy"}
    response = run(view, cookies=cookies)
    found = set_cookies(response)
    if change is sign_in:
        assert re.fullmatch("[A-Za-z0-9_-]{12}", found[SIGN_IN_NAME])
        found[SIGN_IN_NAME] = "a new one"
    assert found == expected
    assert {name for name, value in found.items() if not value} == {
        name for name, morsel in response.cookies.items() if morsel["max-age"] == 0 and name != VAR_WAY_BACK
    }
    assert response.get("Cache-Control") == ("private, no-store" if expected else None)
    # After a sign-in, a sign-out or a page no way back is left.
    removed = response.cookies.get(VAR_WAY_BACK)
    assert (removed and removed["max-age"]) == (
        0 if change in {sign_in, clear} or response.status_code == 200 else None
    )


def set_by_hand(name: str, deed: str):
    def view(request):
        request.resolver_match = SimpleNamespace(view_name="payments")
        response = HttpResponse("page")
        response.set_cookie("own", "1")
        _ = response.set_cookie(name, "forged") if deed == "set" else response.delete_cookie(name)
        return response

    return view


@pytest.mark.parametrize("deed", ["set", "delete"])
@pytest.mark.parametrize("name", [*SIGN_IN_COOKIES, SIGN_IN_NAME])
def test_a_cookie_of_a_sign_in_that_a_view_sets_is_dropped_and_in_debug_an_error(name, deed, caplog, settings):
    assert set_cookies(run(set_by_hand(name, deed))) == {"own": "1"}
    assert f"the view 'payments' sets the cookie {name} itself" in caplog.text
    assert "forged" not in caplog.text
    settings.DEBUG = True
    with pytest.raises(UsageError, match=f"'payments' sets the cookie {name} itself"):
        run(set_by_hand(name, deed))


def test_new_tokens_are_set_whatever_a_view_has_set_itself():
    def view(request):
        request.token_store.sign_in(NEW)
        return set_by_hand(VAR_ACCESS_TOKEN, "set")(request)

    assert set_cookies(run(view))[VAR_ACCESS_TOKEN] == "new-access"


def test_no_tokens_are_set_for_a_sign_in_that_was_signed_out_meanwhile(refresh):
    def view(request):
        request.token_store.rotate(NEW, replaced=refresh)
        records = api_session().refresher._records
        records.replace(refresh, *(TokenRecord(sign_in="", state=state) for state in ("issued", "out")), lifetime_s=60)
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
        records = api_session().refresher._records
        for head, pair in ((refresh, middle), (middle.refresh, newest)):
            issued = issued_record(pair, sign_in="", before=(), now=time.time())
            records.issue(pair.refresh, issued, asked_at=time.time(), lifetime_s=60)
            replaced = TokenRecord(sign_in="", state=State.NEXT, next=seal(pair.refresh, under=head))
            records.replace(head, records.newest(head).record, replaced, lifetime_s=60)
        return HttpResponse()

    response = run(view, cookies={VAR_REFRESH_TOKEN: refresh})
    assert set_cookies(response) == {VAR_ACCESS_TOKEN: newest.access, VAR_REFRESH_TOKEN: newest.refresh}


# --- the end of a sign-in ---


@pytest.mark.parametrize(
    ("known_since_s", "method", "brings_way_back", "are_removed"),
    [
        # Found out by this request.
        (None, "GET", False, True),
        (None, "POST", False, True),
        # Known before it came.
        (-60, "GET", False, True),
        # An upload may have left long before it came.
        (-60, "POST", False, False),
        (-60, "POST", True, False),
        # Known while it ran, or told with newer tokens.
        (60, "GET", False, False),
        (math.inf, "GET", False, False),
        (math.inf, "GET", True, True),
    ],
)
def test_end_removes_cookies_of_no_newer_sign_in(refresh, known_since_s, method, brings_way_back, are_removed):
    def view(request):
        since = None if known_since_s is None else time.time() + known_since_s
        request.token_store.end(rejected=refresh, known_since=since)
        raise SignInEndedError("ended")

    cookies = {VAR_REFRESH_TOKEN: refresh} | ({VAR_WAY_BACK: "ended%20"} if brings_way_back else {})
    response = run(view, cookies=cookies, method=method)
    assert (response.status_code, response["Location"]) == (302 if method == "GET" else 303, "/")
    assert response["Cache-Control"] == "private, no-store"
    assert set_cookies(response) == (dict.fromkeys(SIGN_IN_COOKIES, "") if are_removed else {})
    assert are_removed or brings_way_back or VAR_WAY_BACK in response.cookies


@pytest.mark.parametrize("raises", [False, True])
@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [("HEAD", NAVIGATION, 302), ("DELETE", NAVIGATION, 303), ("GET", {"accept": "*/*", "hx-request": "true"}, 401)],
)
def test_a_refused_refresh_leads_to_the_root_whatever_the_view_returns_or_raises(raises, method, headers, status):
    replaced = StreamingHttpResponse([])

    def view(request):
        request.token_store.end(rejected=request.token_store.current.refresh)
        if raises:
            raise SignInEndedError("refused")
        return replaced

    response = run(view, cookies={VAR_REFRESH_TOKEN: "r"}, method=method, headers=headers)
    assert response.status_code == status
    if status == 401:
        assert (response["HX-Redirect"], response["Content-Type"]) == ("/", "application/problem+json")
        assert json.loads(response.content)["status"] == 401
    else:
        assert (response["Location"], response.content) == ("/", b"")
    assert set_cookies(response) == dict.fromkeys(SIGN_IN_COOKIES, "")
    assert response["Cache-Control"] == "private, no-store"
    assert response["X-Frame-Options"] == "DENY"
    assert "Content-Security-Policy" in response
    assert replaced.closed is not raises, "what is replaced holds nothing open"


# --- what the backend is told of the browser ---


@pytest.mark.parametrize(("forwards", "told"), [(True, ("Firefox/140.0", "192.0.2.7")), (False, ("portal", None))])
def test_browsers_name_and_address_pass_only_where_asked(
    backend: responses.RequestsMock, account: str, forwards: bool, told: tuple[str, str | None]
) -> None:
    backend.get(f"{BACKEND}/me", json=profile_of(account))
    request = RequestFactory().get("/en", headers={"user-agent": "Firefox/140.0"}, REMOTE_ADDR="192.0.2.7")
    request.COOKIES[VAR_ACCESS_TOKEN] = access_token(account)

    def view(request: PortalRequest) -> HttpResponse:
        UserQueries.use_get_me_query(request).unwrap()
        return HttpResponse()

    with override_settings(PORTAL=dataclasses.replace(settings.PORTAL, forwards_browser=forwards)):
        ApiAccessMiddleware(view)(request)
    headers = backend.calls[0].request.headers
    assert (headers["User-Agent"], headers.get("X-Forwarded-For")) == told
