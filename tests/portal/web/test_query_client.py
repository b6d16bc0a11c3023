"""What the backend is told of the browser."""

from __future__ import annotations

import dataclasses

import pytest
import responses
from django.conf import settings
from django.http import HttpResponse
from django.test import RequestFactory, override_settings

from portal.config.cookies import VAR_ACCESS_TOKEN
from portal.services.user import UserQueries
from portal.testing import access_token, profile_of
from portal.web.middleware import ApiAccessMiddleware
from portal.web.request import PortalRequest
from tests.portal.web.conftest import BACKEND


@pytest.mark.parametrize(("forwards", "told"), [(True, ("Firefox/140.0", "192.0.2.7")), (False, ("portal", None))])
def test_the_browsers_name_and_address_are_passed_on_only_where_that_is_asked_for(
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
