"""Guards around views: a response that another one replaces is closed, so nothing that it holds stays open."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from portal.errors import ApiNotFoundError, SignInEndedError
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


@pytest.mark.parametrize(
    ("denies", "status", "closed"),
    [(lambda: False, 200, False), (lambda: True, 403, True), (lambda: refuses(SignInEndedError("over")), None, True)],
    ids=["allowed", "denied", "the sign-in ends with the profile"],
)
def test_a_page_that_the_profile_does_not_allow_is_closed(
    monkeypatch: pytest.MonkeyPatch, denies: Callable[[], bool], status: int | None, closed: bool
) -> None:
    response = StreamingHttpResponse([])
    page = page_of(lambda _request: response, monkeypatch, denies=denies)
    with nullcontext() if status else pytest.raises(SignInEndedError):
        assert page(RequestFactory().get("/page")).status_code == status
    assert response.closed is closed


@pytest.mark.parametrize(("method", "ran"), [("get", 1), ("post", 0)])
def test_denial_outweighs_errors_and_precedes_forms(monkeypatch: pytest.MonkeyPatch, method: str, ran: int) -> None:
    calls = []

    def failing(request: Any) -> HttpResponse:
        calls.append(request)
        raise ApiNotFoundError(status=404)

    page = page_of(failing, monkeypatch, denies=lambda: True)
    assert page(getattr(RequestFactory(), method)("/page")).status_code == 403
    assert len(calls) == ran


def test_a_405_that_gets_a_page_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "method_refused", lambda _request, allow: HttpResponse(status=405))
    refusal = HttpResponse(status=405, headers={"Allow": "GET"})
    assert with_405_page(lambda _request: refusal)(RequestFactory().post("/page")) is not refusal
    assert refusal.closed
