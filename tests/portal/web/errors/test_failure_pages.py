"""Every error has its page, and a problem document for programs."""

import json
import re
from types import SimpleNamespace

import pytest
import responses
from django.test import Client, RequestFactory
from django.utils import translation
from pytest_django.asserts import assertInHTML

from portal import errors
from portal.web.errors.failure_pages import render_failure, server_error
from tests.portal.web.conftest import BACKEND

#: Its page's status and `Retry-After`.
CASES = [
    (errors.ApiUnauthorizedError(status=401), 401, None),
    (errors.ApiNotFoundError(status=404), 404, None),
    (errors.ApiValidationError("Odd."), 422, None),
    (errors.ApiValidationError("Odd.", status=400), 400, None),
    (errors.ApiClientError(status=418), 502, None),
    (errors.ApiUnavailableError(), 503, "5"),
    (errors.ApiUnavailableError(retry_after=0.2), 503, "1"),
    (errors.ApiMalformedError(), 503, "5"),
    (errors.StoreUnavailableError("locks"), 503, "1"),
    (errors.UsageError("a fault of ours"), 500, None),
]


def request_for(**headers: str):
    return RequestFactory(headers=headers).get("/en/energy/clients?q=x")


@pytest.mark.parametrize(("error", "status", "seconds"), CASES, ids=lambda value: type(value).__name__)
def test_error_has_a_page_and_a_problem(error: errors.PortalError, status: int, seconds: str | None) -> None:
    response = render_failure(request_for(accept="text/html"), error)
    assert response.status_code == status
    body = response.content.decode()
    assert f'data-status="{status}"' in body
    assert 'data-pathname="/en/energy/clients"' in body
    assert 'lang="en"' in body
    assert response["Cache-Control"] == "private, no-store"
    assert response.get("Retry-After") == seconds
    for headers in ({"accept": "application/json"}, {"accept": "text/html", "hx-request": "true"}):
        response = render_failure(request_for(**headers), error)
        problem = json.loads(response.content)
        assert response["Content-Type"] == "application/problem+json"
        assert response.status_code == problem["status"] == status
        assert problem["type"] == "about:blank"
        assert problem["title"]


def test_field_messages_of_the_backend_are_shown_escaped() -> None:
    error = errors.ApiValidationError(errors={"cursor": ["<b>This cursor</b> is not one of this list."]}, status=400)
    with translation.override("de"):
        body = render_failure(request_for(accept="text/html"), error).content.decode()
    assert 'lang="de"' in body
    assert '<p class="lede">Etwas an der Anfrage ist nicht gültig.</p>' in body
    words = "&lt;b&gt;This cursor&lt;/b&gt; is not one of this list."
    assertInHTML(f'<ul role="list" lang="en"><li>{words}</li></ul>', body)


@pytest.mark.parametrize(("method", "is_offered"), [("get", True), ("post", False)])
def test_only_a_page_is_offered_once_more_since_a_retry_is_a_get(method: str, is_offered: bool) -> None:
    request = getattr(RequestFactory(headers={"accept": "text/html"}), method)("/en/energy/clients")
    response = render_failure(request, errors.ApiClientError(status=418))
    assert (b"Try again</a>" in response.content) is is_offered


def test_a_page_of_an_error_that_has_a_fault_itself_is_a_problem_document(caplog: pytest.LogCaptureFixture) -> None:
    request = request_for(accept="text/html")
    # The frame of the page reads this attribute.
    request.edge_user = SimpleNamespace(signed_in=True)
    response = server_error(request)
    assert (response.status_code, json.loads(response.content)["status"]) == (500, 500)
    assert "has a fault itself" in caplog.text


def test_while_the_backend_is_down_the_page_does_not_call_it() -> None:
    request = request_for(accept="text/html")
    request.edge_user = SimpleNamespace(signed_in=True, home_url="/en/energy", user=None, platforms=())
    # The request has no query client: reading the profile would fail.
    response = render_failure(request, errors.ApiTimeoutError())
    assert response.status_code == 503
    assert "data-placeholder" in response.content.decode()


@pytest.mark.parametrize(
    ("path", "status", "offers"),
    [
        ("clients?cursor=stale", 422, True),
        ("clients/cli_1", 503, True),
        ("clients/cli_1", 403, False),
        ("clients", 503, False),
    ],
)
def test_a_list_or_a_record_that_fails_leads_back_to_the_list_unless_that_would_fail_too(
    backend: responses.RequestsMock, energy_user: Client, path: str, status: int, offers: bool
) -> None:
    backend.get(re.compile(f"{BACKEND}/energy/clients.*"), status=status, json={"title": "no"})
    response = energy_user.get(f"/en/energy/{path}")
    assert response.status_code == status
    body = response.content.decode()
    assert ("Back to the list" in body) is offers
    assert not offers or re.search(r'<a class="button[^>]+ href="/en/energy/clients">', body)


def test_address_of_a_form_can_not_be_opened(energy_user: Client) -> None:
    problem = energy_user.get("/en/energy/clients/cli_1/delete", headers={"accept": "application/json"})
    assert (problem["Content-Type"], problem["Allow"]) == ("application/problem+json", "POST")
    response = energy_user.get("/de/energy/clients/cli_1/delete")
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "Diese Adresse lässt sich so nicht öffnen" in response.content.decode()


def test_the_request_after_a_rejected_one_has_the_projects_own_urls(energy_user: Client) -> None:
    """The rejection has URLs of its own, which stay with the thread until the next request."""
    for _ in range(2):
        assert energy_user.post("/en/finance/x").status_code == 403
        assert energy_user.get("/en/logout").status_code == 200
