"""The one log line of a page that fails. The causes, made for real: tests/portal/api/test_call_log.py."""

import logging
import re
from itertools import pairwise

import pytest
import responses
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils.log import log_response

from portal.errors import ApiMalformedError, ApiTimeoutError, ApiUnavailableError, PortalError, StoreUnavailableError
from portal.web.errors.failure_log import explain_failure
from tests.portal.web.conftest import BACKEND


def chained(*errors: Exception) -> PortalError:
    """The first error, with the others as its causes, innermost last."""
    for outer, inner in pairwise([*errors, None]):
        outer.__cause__ = inner
    return errors[0]


REFUSED = ConnectionRefusedError(111, "Connection refused")
LATER, PRIVATE, STORE = "Later.", RuntimeError("GET /me?q=private"), StoreUnavailableError("store 'refresh'")


@pytest.mark.parametrize(
    ("errors", "cause"),
    [
        (
            [ApiUnavailableError(LATER), PRIVATE, REFUSED],
            "no answer of the backend: ConnectionRefusedError: Connection refused",
        ),
        ([ApiUnavailableError(LATER), PRIVATE], "no answer of the backend: RuntimeError"),
        ([ApiTimeoutError("It took too long.")], "no answer of the backend: ApiTimeoutError: It took too long."),
        ([ApiUnavailableError("ada@example.com", status=502)], "the backend answered 502"),
        (
            [ApiMalformedError("No JSON.", status=200), ValueError("private")],
            "the backend's answer can't be used: ValueError",
        ),
        (
            [ApiUnavailableError(LATER), STORE, REFUSED],
            "no answer of the store: ConnectionRefusedError: Connection refused",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_it_names_side_and_innermost_cause(
    caplog: pytest.LogCaptureFixture, errors: list[Exception], cause: str
) -> None:
    explain_failure(RequestFactory().get("/en/energy/clients?q=private"), chained(*errors), status=503)
    (line,) = caplog.records
    assert (line.levelno, line.getMessage()) == (logging.ERROR, f"GET /en/energy/clients: 503: {cause}")
    assert (line.method, line.path, line.status, line.cause) == ("GET", "/en/energy/clients", 503, cause)


def test_own_line_replaces_djangos_but_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    request, response = RequestFactory().get("/en"), HttpResponse(status=503)
    explain_failure(request, ApiTimeoutError(), status=503)
    log_response("Service Unavailable: %s", request.path, response=response, request=request)
    try:
        1 / 0  # noqa: B018  it raises
    except ZeroDivisionError as error:
        log_response("Internal Server Error", response=HttpResponse(status=500), request=request, exception=error)
    other = RequestFactory().get("/en")
    log_response("Service Unavailable: %s", other.path, response=HttpResponse(status=503), request=other)
    assert [record.getMessage() for record in caplog.records][1:] == [
        "Internal Server Error",
        "Service Unavailable: /en",
    ]


@pytest.mark.parametrize("status", [401, 422])
def test_a_status_that_a_page_shows_on_purpose_has_no_line(
    backend: responses.RequestsMock, energy_user: Client, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    backend.get(re.compile(f"{BACKEND}/energy/.*"), status=status)
    assert energy_user.get("/en/energy/clients/cli_1").status_code == status
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
