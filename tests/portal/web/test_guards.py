"""Guards around views: a response that another one replaces is closed, so nothing that it holds stays open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory
from django.urls import URLPattern

from portal.errors import SignInEndedError
from portal.web import guards
from portal.web.guards import platform_page, with_405_page


class Parts:
    """What a streaming response is made of."""

    def __init__(self) -> None:
        self.closed = 0

    def __iter__(self) -> Parts:
        return self

    def __next__(self) -> bytes:
        raise StopIteration

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def parts() -> Parts:
    return Parts()


@pytest.fixture
def page(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> URLPattern:
    monkeypatch.setattr(guards, "start_essentials", lambda _request: True)
    monkeypatch.setattr(guards, "is_from_another_account", lambda _request: False)
    monkeypatch.setattr(guards, "_denied", lambda _request: HttpResponse(status=403))
    return platform_page("page", lambda _request: StreamingHttpResponse(parts), name="page")


def denies(answer: Callable[[], bool], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "page_is_denied", lambda *_: answer())


def ended() -> bool:
    raise SignInEndedError("over")


def get(page: URLPattern) -> Any:
    return page.callback(RequestFactory().get("/page"))


def test_a_page_that_the_profile_allows_stays_open(
    page: URLPattern, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    denies(lambda: False, monkeypatch)
    response = get(page)
    assert (response.status_code, parts.closed) == (200, 0)
    response.close()
    assert parts.closed == 1


def test_a_page_that_the_profile_denies_is_closed(
    page: URLPattern, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    denies(lambda: True, monkeypatch)
    assert (get(page).status_code, parts.closed) == (403, 1)


def test_a_page_is_closed_where_the_sign_in_ends_with_the_profile(
    page: URLPattern, parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    denies(ended, monkeypatch)
    with pytest.raises(SignInEndedError):
        get(page)
    assert parts.closed == 1


def test_a_405_that_gets_a_page_is_closed(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "method_refused", lambda _request, allow: HttpResponse(status=405))

    def refusing(_request: object) -> StreamingHttpResponse:
        return StreamingHttpResponse(parts, status=405, headers={"Allow": "GET"})

    view: Any = with_405_page(refusing)  # type: ignore[arg-type]  # a team's view may stream
    assert view(RequestFactory().post("/page")).status_code == 405
    assert parts.closed == 1
