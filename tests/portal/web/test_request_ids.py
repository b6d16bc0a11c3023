"""An error page shows its request's id (contract, section 6). Every response carries it: test_security_headers.py."""

import re
from collections.abc import Callable

import pytest
import responses
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.test import Client

from tests.portal.web.conftest import BACKEND

ID = "0123-from.the_proxy"
NAVIGATION = {"accept": "text/html", "x-request-id": ID}
PROGRAM = {"accept": "application/json", "x-request-id": ID}

SIGN_OUT = '<form method="post" action="/en/logout" data-sign-out>'
SIGN_IN_AGAIN = '<form method="post" action="/en/logout" data-sign-in-again>'


@pytest.fixture
def stranger() -> Client:
    return Client(headers=NAVIGATION)


@pytest.mark.parametrize("sent", ["", "not sound", "x" * 129, "a\nb"])
def test_a_request_without_a_sound_id_gets_a_new_one(stranger: Client, sent: str) -> None:
    first, second = (stranger.get("/healthz", headers={"x-request-id": sent})["X-Request-Id"] for _ in range(2))
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert first != second


def shown(response) -> list[str]:
    return re.findall(r"<code data-request-id>([^<]*)</code>", response.content.decode())


@pytest.mark.parametrize("status", [401, 404, 418, 503])
def test_page_and_problem_show_the_id(backend: responses.RequestsMock, energy_user: Client, status: int) -> None:
    backend.get(f"{BACKEND}/energy/clients/cli_1", status=status)
    page, problem = (energy_user.get("/en/energy/clients/cli_1", headers=each) for each in (NAVIGATION, PROGRAM))
    assert page.status_code >= 400
    assert shown(page) == [page["X-Request-Id"]] == [problem.json()["requestId"]] == [ID]


def test_pages_of_djangos_handlers_show_it(energy_user: Client, settings) -> None:
    settings.ROOT_URLCONF = "tests.support.mistaken_urls"
    energy_user.raise_request_exception = False
    strict = Client(headers=NAVIGATION, enforce_csrf_checks=True)
    strict.cookies = energy_user.cookies
    found = {
        500: energy_user.get("/en/energy/in-view", headers=NAVIGATION),
        404: energy_user.get("/en/energy/nothing", headers=NAVIGATION),
        405: energy_user.get("/locale", headers=NAVIGATION),
        413: energy_user.post("/en/energy/in-view", {"name": "x" * 3_000_000}, headers=NAVIGATION),
        400: energy_user.post("/en/energy/in-view", b"x" * 9, content_type="multipart/form-data", headers=NAVIGATION),
        403: strict.post("/en/energy/in-view", headers=NAVIGATION),
    }
    # What is not open, by the edge's own page.
    for status, response in (*found.items(), (403, energy_user.post("/en/finance", headers=NAVIGATION))):
        assert response.status_code == status
        assert shown(response) == [response["X-Request-Id"]] == [ID], status
        assert response.content.decode().count(SIGN_OUT) == 1, "on every page of a signed-in user"
        assert "csrfmiddlewaretoken" in response.content.decode()


def raises_afterwards(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], None]:
    """A middleware outside of ours that fails on the way out."""

    def middleware(request: HttpRequest) -> None:
        get_response(request)
        raise ZeroDivisionError

    return middleware


def test_an_error_outside_of_every_middleware_of_ours_has_its_id(energy_user: Client, settings) -> None:
    settings.MIDDLEWARE = [f"{__name__}.raises_afterwards", *settings.MIDDLEWARE]
    energy_user.raise_request_exception = False
    response = energy_user.get("/en/energy/nothing", headers=NAVIGATION)
    assert (response.status_code, response["X-Request-Id"], shown(response)) == (500, ID, [ID])


def test_sign_in_again_replaces_sign_out(
    backend: responses.RequestsMock, energy_user: Client, stranger: Client
) -> None:
    backend.get(f"{BACKEND}/energy/clients/cli_1", status=401)
    body = energy_user.get("/en/energy/clients/cli_1").content.decode()
    assert (body.count(SIGN_IN_AGAIN), body.count(SIGN_OUT)) == (1, 0)
    assert "csrfmiddlewaretoken" in body
    assert energy_user.get("/en/logout").content.decode().count('action="/en/logout"') == 1
    assert "data-sign-out" not in stranger.get("/static/nothing.css").content.decode()
