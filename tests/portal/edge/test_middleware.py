"""`ProxyMiddleware` translates: requests to contexts, decisions to responses."""

import dataclasses
import importlib
import json
import logging
from collections.abc import Mapping

import jwt
import pytest
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory, override_settings
from django.urls import resolve, reverse
from django.utils import translation

from portal.api.tokens import TokenPair, TokenStore
from portal.config.portal_config import PortalConfig, TokenVerification
from portal.edge.middleware import ProxyMiddleware

SECRET = "a secret of at least thirty-two bytes"
ENERGY = jwt.encode({"sub": "u-1", "permissions": ["ENERGY_APP"]}, SECRET)


class View:
    """The inside of the onion: keeps the request that arrived."""

    request: HttpRequest | None = None
    headers: Mapping[str, str] = {}

    def __call__(self, request: HttpRequest) -> HttpResponse:
        self.request, self.language = request, translation.get_language()
        return HttpResponse("the view", headers=self.headers)


@pytest.fixture
def view() -> View:
    return View()


@pytest.fixture
def proxy(view: View) -> ProxyMiddleware:
    return ProxyMiddleware(view)


def make(
    path: str = "/en/energy", *, method: str = "GET", access: str | None = None, refresh: str | None = None, **options
) -> HttpRequest:
    request = RequestFactory().generic(method, path, **options)
    request.request_id = "r-1"
    request.token_store = TokenStore(TokenPair(access=access, refresh=refresh))
    return request


def config(**changes: object) -> PortalConfig:
    return dataclasses.replace(settings.PORTAL, **changes)


def test_a_forwarded_request_carries_its_pathname_its_user_and_its_language(proxy, view) -> None:
    response = proxy(make("/de/energy/clients/%C3%A9?q=x", access=ENERGY))
    assert response.content == b"the view"
    assert view.request.META["HTTP_X_PATHNAME"] == view.request.headers["x-pathname"] == "/de/energy/clients/%C3%A9"
    assert view.language == view.request.LANGUAGE_CODE == "de"
    user = view.request.edge_user
    assert (user.signed_in, user.platforms, user.primary, user.locale) == (True, ("ENERGY",), "ENERGY", "de")
    assert (user.home_url, user.user.subject) == ("/de/energy", "u-1")


def test_an_x_pathname_of_the_callers_own_never_arrives(proxy, view) -> None:
    request = make("/en/energy", access=ENERGY, HTTP_X_PATHNAME="/en/finance")
    assert request.headers["x-pathname"] == "/en/finance", "something before the edge has already looked"
    proxy(request)
    assert view.request.headers["x-pathname"] == "/en/energy"
    # A request that is not gated knows its user and the visitor's language.
    proxy(make("/locale", method="POST", access=ENERGY, HTTP_X_PATHNAME="/en/finance", HTTP_ACCEPT_LANGUAGE="tr"))
    assert "HTTP_X_PATHNAME" not in view.request.META
    assert "x-pathname" not in view.request.headers
    assert (view.language, view.request.edge_user.home_url) == ("tr", "/tr/energy")


OF_A_NAVIGATION = {"Cookie", "Accept", "Sec-Fetch-Mode", "X-Requested-With", "HX-Request"}


@pytest.mark.parametrize(
    ("method", "path", "access", "vary"),
    [
        ("GET", "/", None, {"Accept-Language", "Cookie"}),
        ("GET", "/EN/x", None, None),
        ("GET", "/en/energy", None, OF_A_NAVIGATION),
        ("GET", "/en/finance", ENERGY, OF_A_NAVIGATION),
        ("POST", "/en/a\\b", ENERGY, OF_A_NAVIGATION),
        ("OPTIONS", "/en/energy", ENERGY, None),
    ],
)
def test_own_answers_are_not_stored_and_vary(*, proxy, view, method, path, access, vary) -> None:
    response = proxy(make(path, access=access, method=method))
    assert view.request is None
    assert response["Cache-Control"] == "private, no-store"
    assert (set(response["Vary"].split(", ")) if "Vary" in response else None) == vary


def test_a_program_gets_a_problem_document_and_htmx_where_to_go_too(proxy) -> None:
    response = proxy(make("/en/energy", HTTP_ACCEPT="application/json"))
    assert (response.status_code, response["Content-Type"]) == (401, "application/problem+json")
    problem = {"type": "about:blank", "title": "Unauthorized", "status": 401, "detail": "Sign in to continue."}
    assert json.loads(response.content) == problem | {"requestId": "r-1"}
    assert not {"Location", "HX-Redirect"} & set(response.headers)
    response = proxy(
        make("/en/energy", HTTP_HX_REQUEST="true", HTTP_HX_CURRENT_URL="http://localhost:8001/en/energy/c")
    )
    assert response.status_code == 401
    assert response["HX-Redirect"].startswith("http://localhost:8000/en/login?next=http%3A%2F%2Flocalhost%3A8001%2Fen")


def test_options_names_the_methods(proxy, view) -> None:
    response = proxy(make("/en/energy", method="OPTIONS"))
    assert (response.status_code, response["Allow"], response.content) == (204, "GET, HEAD, POST, OPTIONS", b"")
    assert "Content-Type" not in response


def test_a_dead_token_is_cleared_except_in_row_0_and_beside_a_refresh_token(proxy) -> None:
    for path, refresh, is_cleared in (("/en/logout", None, True), ("/en/..", None, False), ("/en/logout", "r", False)):
        request = make(path, access="garbage", refresh=refresh)
        proxy(request)
        assert request.token_store.cleared is is_cleared


def test_a_signed_in_page_is_private_unless_the_view_says_otherwise(proxy, view) -> None:
    assert proxy(make(access=ENERGY))["Cache-Control"] == "private, no-store"
    assert "Cache-Control" not in proxy(make("/en/logout"))
    view.headers = {"Cache-Control": "private, max-age=60"}
    assert proxy(make(access=ENERGY))["Cache-Control"] == "private, max-age=60"


def test_a_person_is_shown_a_refusal_as_the_projects_own_page(proxy, view) -> None:
    proxy(make("/en/finance/x", method="POST", access=ENERGY))
    assert view.request.urlconf == "portal.edge.rejection_page"
    assert view.request.edge_rejection == 403
    assert view.request.edge_user.signed_in
    assert view.request.META["HTTP_X_PATHNAME"] == "/en/finance/x"
    # Its view stands before all others, and their links can be reversed.
    urls = importlib.import_module("portal.edge.rejection_page")
    for path in ("/", "/en/finance/x", "/healthz"):
        assert resolve(path, urlconf=urls).func is urls.reject
    assert reverse("healthz", urlconf=urls) == "/healthz"


def test_debug_names_the_rule_and_nothing_else_does(view) -> None:
    assert "X-Edge-Rule" not in ProxyMiddleware(view)(make("/"))
    with override_settings(PORTAL=config(debug=True)):
        proxy = ProxyMiddleware(view)
        assert proxy(make("/"))["X-Edge-Rule"] == "1-normal-form"
        assert proxy(make(access=ENERGY))["X-Edge-Rule"] == "5-forward"
        assert proxy(make("/__debug__/render"))["X-Edge-Rule"] == "0-ungated"
    assert ProxyMiddleware(view)(make("/__debug__/render")).status_code == 307


def test_the_start_warns_outside_debug_while_tokens_are_only_decoded(caplog) -> None:
    key = TokenVerification(key=SECRET, algorithms=("HS256",))
    for changes, warns in (({}, True), ({"debug": True}, False), ({"verification": key}, False)):
        caplog.clear()
        with override_settings(PORTAL=config(**changes)), caplog.at_level(logging.WARNING):
            ProxyMiddleware(View())
        assert ("APP_JWT_KEY" in caplog.text) is warns
