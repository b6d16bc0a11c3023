"""Tokens in, cookies out, the whole way: through a project's own middlewares, with the edge before them."""

from __future__ import annotations

import contextlib
import logging
import re

import pytest
import responses
from django.test import Client, override_settings

from portal.config.cookies import VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from tests.portal.web.conftest import BACKEND, access_token, profile
from tests.portal.web.test_middleware import NAVIGATION, set_cookies
from tests.support.refresh_world import jwt


@pytest.fixture
def browser(account, refresh):
    client = Client(headers=NAVIGATION, raise_request_exception=False)
    client.cookies[VAR_ACCESS_TOKEN] = access_token(account, "ENERGY_APP", lifetime_s=-60)
    client.cookies[VAR_REFRESH_TOKEN] = refresh
    return client


def test_a_backend_that_is_down_is_a_503_and_the_cookies_stay(backend, browser):
    backend.post(f"{BACKEND}/refresh", body=ConnectionRefusedError())
    response = browser.get("/en/energy")
    assert response.status_code == 503
    assert "Retry-After" in response
    assert not {VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN} & set(set_cookies(response))


@pytest.fixture
def store_is_down():
    entry = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": "redis://127.0.0.1:1/0",
        "OPTIONS": {"serializer": "sqlite_cache.JSONSerializer"},
    }
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        yield


def test_with_the_store_down_a_fresh_token_gets_its_page(backend, browser, account, store_is_down):
    browser.cookies[VAR_ACCESS_TOKEN] = access_token(account, "ENERGY_APP")
    backend.get(f"{BACKEND}/me", json=profile(account, "ENERGY_APP"))
    backend.get(re.compile(f"{BACKEND}/energy/.*"), json={"items": [], "hasNext": False, "nextCursor": None})
    response = browser.get("/en/energy")
    assert response.status_code == 200
    assert not {VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN} & set(set_cookies(response))


def test_with_the_store_down_an_expired_token_is_a_503_and_the_backend_is_not_asked(backend, browser, store_is_down):
    response = browser.get("/en/energy")
    assert (response.status_code, response["Retry-After"]) == (503, "1")
    assert not {VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN} & set(set_cookies(response))
    # A page of an earlier test may still be asking, for its own account.
    sent = [f"{call.request.headers.get('Authorization')} {call.request.body!r}" for call in backend.calls]
    tokens = [browser.cookies[name].value for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)]
    assert not [asked for asked in sent if any(token in asked for token in tokens)]


def test_no_log_line_of_a_page_holds_a_token(backend, browser, account, caplog):
    caplog.set_level(logging.DEBUG)
    sent = [browser.cookies[name].value for name in (VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN)]
    new = jwt(sub=account)
    backend.post(f"{BACKEND}/refresh", json={"accessToken": new, "refreshToken": f"second-{account}"})
    backend.get(f"{BACKEND}/me", status=503)
    with contextlib.suppress(responses.ConnectionError):
        browser.get("/en/energy")
    assert caplog.text
    for token in (*sent, new, f"second-{account}"):
        assert token not in caplog.text
