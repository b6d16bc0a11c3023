"""A request is freed with the next one, with its tokens and what it has read: none waits for a garbage collection."""

import gc
import logging
import weakref
from collections.abc import Callable, Iterator
from wsgiref.util import setup_testing_defaults

import pytest
import responses
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse
from django.test import Client

from portal.testing import page_of
from tests.portal.web.conftest import BACKEND
from tests.support.processes import until

PAGES = {
    "list": ("/en/energy/clients", {}),
    "fragment of a list": ("/en/energy/clients", {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "list"}),
    "form of a record": ("/en/energy/clients/one/edit", {}),
    "redirect of the edge": ("/en/finance", {}),
    # An error that the request keeps must not keep the request, by way of its traceback.
    "record that is not there": ("/en/energy/clients/gone", {}),
    "list whose call fails": ("/en/energy/stations", {}),
    "page of which a part fails": ("/en/energy", {}),
}
seen: list[weakref.ref[HttpRequest]] = []


def watch(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """A middleware that notes each request, and keeps none."""

    def note(request: HttpRequest) -> HttpResponse:
        seen.append(weakref.ref(request))
        return get_response(request)

    return note


@pytest.fixture
def server(settings) -> WSGIHandler:
    settings.MIDDLEWARE = [f"{__name__}.watch", *settings.MIDDLEWARE]
    seen.clear()
    return WSGIHandler()


@pytest.fixture(autouse=True)
def _no_kept_lines(caplog: pytest.LogCaptureFixture) -> None:
    """pytest keeps each line of the log, and Django's have the request."""
    caplog.set_level(logging.CRITICAL, logger="django.request")


@pytest.fixture(autouse=True)
def _no_garbage_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(("path", "headers"), PAGES.values(), ids=PAGES)
def test_a_request_is_freed_when_the_next_one_comes(
    server: WSGIHandler, backend: responses.RequestsMock, energy_user: Client, path: str, headers: dict[str, str]
) -> None:
    backend.get(f"{BACKEND}/energy/clients", json=page_of([]))
    backend.get(f"{BACKEND}/energy/clients/gone", status=404)
    backend.get(f"{BACKEND}/energy/clients/one", json={"id": "one"})
    backend.get(f"{BACKEND}/energy/sessions", json=page_of([]))
    cookies = "; ".join(f"{name}={cookie.value}" for name, cookie in energy_user.cookies.items())
    for number in range(4):
        environ = {"PATH_INFO": path, "HTTP_HOST": "testserver", "HTTP_ACCEPT": "text/html", "HTTP_COOKIE": cookies}
        setup_testing_defaults(environ)
        response = server(environ | headers, lambda status, headers: None)
        response.close()
        if number == 0:
            # What the test before has left is replaced by the first request.
            gc.collect()
            seen.clear()
    # A thread that called the backend beside a page may let go of its request a moment later than the page is there.
    until(lambda: not any(request() for request in seen[:2]), what="both are freed", seconds=5)
    # The last one stays for the lines that the server may still log about it.
    assert [request() is None for request in seen] == [True, True, False]
    # Garbage collection alone frees these.
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    gc.set_debug(0)
    kinds = {type(each) for each in gc.garbage}
    gc.garbage.clear()
    assert not [kind for kind in kinds if kind.__module__.startswith("portal")]
