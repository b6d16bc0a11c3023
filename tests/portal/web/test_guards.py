"""Guards around views: a response that another one replaces is closed, so nothing that it holds stays open."""

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from portal.errors import ApiNotFoundError, ApiUnauthorizedError, SignInEndedError
from portal.web import guards
from portal.web.guards import platform_page, with_405_page


def page_of(view: Any, monkeypatch: pytest.MonkeyPatch, *, denies: Callable[[], bool]) -> Any:
    """The guarded view of a user whose profile denies the page, or allows it."""
    monkeypatch.setattr(guards, "start_essentials", lambda _request: True)
    monkeypatch.setattr(guards, "is_from_another_account", lambda _request: False)
    monkeypatch.setattr(guards, "_denied", lambda _request: HttpResponse(status=403))
    monkeypatch.setattr(guards, "page_is_denied", lambda *_: denies())
    return platform_page("page", view, name="page").callback


def refuses(error: Exception) -> bool:
    raise error


def asked_for(method: str = "get", *, check_one_user: Callable[[], None] = lambda: None) -> Any:
    request: Any = getattr(RequestFactory(), method)("/page")
    request.query_client = SimpleNamespace(check_one_user=check_one_user)
    return request


@pytest.mark.parametrize(
    ("denies", "one_user", "status", "error"),
    [
        (lambda: False, lambda: None, 200, None),
        (lambda: True, lambda: None, 403, None),
        (lambda: refuses(SignInEndedError("over")), lambda: None, None, SignInEndedError),
        (lambda: False, lambda: refuses(ApiUnauthorizedError(status=401)), None, ApiUnauthorizedError),
    ],
    ids=["allowed", "denied", "the sign-in ends with the profile", "tokens of two users"],
)
def test_page_that_the_profile_denies_is_closed(
    monkeypatch: pytest.MonkeyPatch, *, denies: Any, one_user: Any, status: int | None, error: Any
) -> None:
    response = StreamingHttpResponse([])
    page = page_of(lambda _request: response, monkeypatch, denies=denies)
    with pytest.raises(error) if error else nullcontext():
        assert page(asked_for(check_one_user=one_user)).status_code == status
    assert response.closed is (status != 200)


@pytest.mark.parametrize(("method", "ran"), [("get", 1), ("post", 0)])
def test_denial_outweighs_errors_and_precedes_forms(monkeypatch: pytest.MonkeyPatch, method: str, ran: int) -> None:
    calls = []

    def failing(request: Any) -> HttpResponse:
        calls.append(request)
        raise ApiNotFoundError(status=404)

    page = page_of(failing, monkeypatch, denies=lambda: True)
    assert page(asked_for(method)).status_code == 403
    assert len(calls) == ran


def test_405_that_gets_a_page_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "method_refused", lambda _request, allow: HttpResponse(status=405))
    refusal = HttpResponse(status=405, headers={"Allow": "GET"})
    assert with_405_page(lambda _request: refusal)(RequestFactory().post("/page")) is not refusal
    assert refusal.closed
