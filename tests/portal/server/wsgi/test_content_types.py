"""What an application sees of a request's `Content-Type`."""

from __future__ import annotations

import pytest

from portal.server.wsgi import with_plain_content_types


def seen_of(**environ: str) -> str:
    def application(environ, start_response):
        start_response("200 OK", [])
        return [repr(environ.get("CONTENT_TYPE")).encode()]

    [body] = with_plain_content_types(application)(environ, lambda *_: None)
    return body.decode()


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("application/x-www-form-urlencoded", "application/x-www-form-urlencoded"),
        ("application/json; charset=utf-8", "application/json"),
        ("text/plain;charset*=none''x", "text/plain"),
        ("multipart/form-data; boundary=----WebKit7MA4", 'multipart/form-data; boundary="----WebKit7MA4"'),
        ('multipart/form-data; charset=hex; BOUNDARY="a b"', "multipart/form-data"),
        ('multipart/form-data; boundary="=_a"; charset=hex', 'multipart/form-data; boundary="=_a"'),
        (";", ""),
    ],
)
def test_the_type_and_the_boundary_alone(sent: str, seen: str) -> None:
    assert seen_of(CONTENT_TYPE=sent) == repr(seen)


def test_a_request_without_a_type_has_none() -> None:
    assert seen_of() == "None"
