"""Each app keeps its messages in a cookie of its own: ports share cookies on localhost."""

from __future__ import annotations

import dataclasses

import pytest
from django.conf import settings
from django.contrib import messages
from django.contrib.messages.storage import default_storage
from django.http import HttpResponse
from django.test import RequestFactory, override_settings

from portal.config.projects import PROJECT_BY_APP

APPS = ["auth_app", "energy", "operations", "finance"]


def with_app(app: str, *, gateway: str = "http://localhost:8000") -> override_settings:
    origins = {**settings.PORTAL.origins, "auth_app": gateway}
    config = dataclasses.replace(settings.PORTAL, project=PROJECT_BY_APP[app], origins=origins)
    return override_settings(PORTAL=config, SESSION_COOKIE_SECURE=config.secure)


def said(text: str) -> HttpResponse:
    storage = default_storage(RequestFactory().get("/"))
    storage.add(messages.SUCCESS, text)
    response = HttpResponse()
    storage.update(response)
    return response


@pytest.mark.parametrize("app", APPS)
def test_an_app_reads_its_own_messages_and_leaves_the_others_alone(app: str) -> None:
    request = RequestFactory().get("/")
    for other in APPS:
        with with_app(other):
            (cookie,) = said(f"from {other}").cookies.values()
        request.COOKIES[cookie.key] = cookie.value
    assert len(request.COOKIES) == len(APPS)
    with with_app(app):
        storage = default_storage(request)
        assert [str(message) for message in storage] == [f"from {app}"]
        response = HttpResponse()
        storage.update(response)
    assert list(response.cookies) == [f"messages_{app}"]
    assert response.cookies[f"messages_{app}"]["max-age"] == 0


def test_under_https_the_browser_keeps_other_hosts_from_setting_it() -> None:
    with with_app("energy", gateway="https://auth.example.com"):
        (cookie,) = said("hello").cookies.values()
    assert cookie.key == "__Host-messages_energy"
    assert (cookie["secure"], cookie["path"], cookie["domain"], cookie["httponly"]) == (True, "/", "", True)
