"""A request whose cookies the server in front has lost is named in the log, once."""

from __future__ import annotations

import pytest

from portal.server.wsgi import naming_lost_cookies


def application(environ, start_response):
    start_response("200 OK", [])
    return [str(environ.get("HTTP_COOKIE")).encode()]


def ask(wrapped, **environ: str) -> bytes:
    return b"".join(wrapped(environ, lambda *_: None))


def test_a_request_with_cookies_or_without_any_is_not_named(caplog: pytest.LogCaptureFixture) -> None:
    wrapped = naming_lost_cookies(application)
    assert ask(wrapped, HTTP_COOKIE="a=b") == b"a=b"
    assert ask(wrapped) == b"None"
    assert caplog.records == []


def test_an_empty_cookie_header_is_named_once_and_the_request_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    wrapped = naming_lost_cookies(application)
    assert [ask(wrapped, HTTP_COOKIE="") for _ in range(3)] == [b"", b"", b""]
    assert len(caplog.records) == 1
    assert "outside ASCII" in caplog.text
