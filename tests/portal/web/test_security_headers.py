"""The security headers: the same on every kind of response, and a view's own wins. So is the request's id."""

import pytest
import responses
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings

from portal.config.cookies import VAR_REFRESH_TOKEN
from portal.config.projects import PROJECTS
from portal.web.guards import neutral_page
from portal.web.urls import portal_patterns
from tests.portal.web.conftest import BACKEND

HTTPS = "Strict-Transport-Security"
POLICY = "Content-Security-Policy"
FRAMES = "X-Frame-Options"
OF_FILES = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
OF_PAGES = OF_FILES | {
    FRAMES: "DENY",
    POLICY: {
        "default-src 'self'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        " ".join(["form-action 'self'", *(project.local_url(port_base=8000) for project in PROJECTS)]),
    },
}
NAMES = {*OF_PAGES, HTTPS, f"{POLICY}-Report-Only"}
OWN_POLICY = "default-src 'none'"


def broken(request: HttpRequest) -> HttpResponse:
    raise ValueError("a mistake in a view")


def of_its_own(request: HttpRequest) -> HttpResponse:
    return HttpResponse(headers={POLICY: OWN_POLICY, FRAMES: "SAMEORIGIN", "Referrer-Policy": "no-referrer"})


def sign_in_ended(request: HttpRequest) -> HttpResponse:
    request.token_store.end(rejected=request.token_store.current.refresh)
    return HttpResponse("the response of the view")


handler400 = "portal.web.errors.failure_pages.bad_request"
handler403 = "portal.web.errors.failure_pages.permission_denied"
handler404 = "portal.web.errors.failure_pages.page_not_found"
handler500 = "portal.web.errors.failure_pages.server_error"
urlpatterns = portal_patterns(
    pages=[
        neutral_page("energy/broken", broken, name="broken"),
        neutral_page("energy/of-its-own", of_its_own, name="of-its-own"),
        neutral_page("energy/ended", sign_in_ended, name="ended"),
        # The shell and the failure pages link to these.
        *(
            neutral_page(f"energy/{name}", of_its_own, name=name)
            for name in ("home", "clients", "stations", "chargers", "sessions", "meters")
        ),
    ]
)


@pytest.fixture(autouse=True)
def _these_urls() -> None:
    with override_settings(ROOT_URLCONF=__name__):
        yield


@pytest.fixture
def browser(backend: responses.RequestsMock, energy_user: Client) -> Client:
    backend.get(f"{BACKEND}/energy/clients", status=503)
    energy_user.raise_request_exception = False
    return energy_user


def security_headers(response: HttpResponse) -> dict[str, object]:
    """The security headers of a response; the policy's directives as a set, each with its sources in order."""
    found: dict[str, object] = {name: response[name] for name in NAMES if name in response}
    if POLICY in found:
        directives = (directive.split() for directive in response[POLICY].split("; "))
        found[POLICY] = {" ".join([name, *sorted(sources)]) for name, *sources in directives}
    return found


#: Method, path and headers of a request, the status of its response, and whether the browser is signed in.
REQUESTS = {
    "probe": ("GET", "/healthz", {}, 200, False),
    "page": ("GET", "/en/logout", {}, 200, True),
    "options": ("OPTIONS", "/en/energy", {}, 204, True),
    "redirect to a language": ("GET", "/energy", {}, 307, False),
    "malformed address": ("GET", "/en/a%5cb", {}, 400, False),
    "unknown host": ("GET", "/en/energy", {"host": "elsewhere.test"}, 400, False),
    "rejected as a page": ("POST", "/en/finance/x", {}, 403, True),
    "server error": ("GET", "/en/energy/broken", {}, 500, True),
    "end of a sign-in, for htmx": ("GET", "/en/energy/ended", {"accept": "*/*", "hx-request": "true"}, 401, True),
    "file of a view": ("GET", "/favicon.ico", {}, 200, False),
    "unknown static file": ("GET", "/static/none.css", {}, 404, False),
}


@pytest.mark.parametrize(("method", "path", "headers", "status", "signed_in"), REQUESTS.values(), ids=REQUESTS)
def test_every_response_has_them(
    *, browser: Client, method: str, path: str, headers: dict[str, str], status: int, signed_in: bool
) -> None:
    if signed_in:
        browser.cookies[VAR_REFRESH_TOKEN] = "r"
    else:
        browser.cookies.clear()
    response = browser.generic(
        method, path, headers={"accept": "text/html", "x-request-id": "0123.of_a-proxy"} | headers
    )
    response.close()
    assert (response.status_code, response["X-Request-Id"]) == (status, "0123.of_a-proxy")
    assert security_headers(response) == OF_PAGES


def test_a_static_file_has_those_that_concern_a_file() -> None:
    later = {"x-request-id": "r-1", "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"}
    response = Client(headers=later).get("/static/portal/css/shell.css")
    assert (response.status_code, response["X-Request-Id"]) == (304, "r-1")
    response.close()
    assert security_headers(response) == OF_FILES


def test_the_headers_of_a_view_win(browser: Client) -> None:
    found = security_headers(browser.get("/en/energy/of-its-own"))
    assert found == OF_FILES | {POLICY: {OWN_POLICY}, FRAMES: "SAMEORIGIN", "Referrer-Policy": "no-referrer"}


@pytest.mark.parametrize("path", ["/energy", "/en/energy/ended", "/static/portal/css/shell.css"])
def test_over_https_they_pin_https(browser: Client, path: str) -> None:
    browser.cookies[VAR_REFRESH_TOKEN] = "r"
    with override_settings(SECURE_HSTS_SECONDS=600):
        for secure, pin in ((True, "max-age=600"), (False, None)):
            response = browser.get(path, secure=secure)
            response.close()
            assert security_headers(response).pop(HTTPS, None) == pin, secure


def test_in_debug_djangos_technical_pages_have_no_policy(browser: Client) -> None:
    """They have styles within the page."""
    with override_settings(DEBUG=True):
        response = browser.get("/en/energy/broken")
        assert b"ValueError" in response.content
        assert security_headers(response) == {name: OF_PAGES[name] for name in OF_PAGES if name != POLICY}
        assert security_headers(browser.get("/en/logout")) == OF_PAGES
