"""What stands around an application: bodies read and known, plain content types, cookies that were lost."""

from __future__ import annotations

import io

import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from portal.server.wsgi import MAX_READ_BYTES, for_granian


def ask(wrapped, **environ: object):
    return wrapped(environ, lambda *_: None)


def telling(name: str):
    """An application that tells what it sees of a variable."""
    return lambda environ, _start_response: [repr(environ.get(name)).encode()]


# --- the body of a response: a known one as a list, so that granian knows its length ---


def test_a_known_body_is_a_list_of_one_part_and_its_response_is_closed() -> None:
    response = HttpResponse(["a ", "page"])
    assert ask(for_granian(lambda *_: response)) == [b"a page"]
    assert response.closed


def test_a_stream_and_what_another_application_returns_are_left_to_the_server() -> None:
    for response in (StreamingHttpResponse([b"a"]), FileResponse(io.BytesIO(b"a")), [b"a"]):
        assert ask(for_granian(lambda *_, response=response: response)) is response
        assert not getattr(response, "closed", False)


# --- the body of a request that the application does not read is read all the same, up to a limit ---


def early(environ, _start_response):
    environ["wsgi.input"].read(3)
    return [b"answer"]


@pytest.mark.parametrize(
    ("size", "told", "left"),
    [
        *((size, {"CONTENT_LENGTH": str(size)}, 0) for size in (3, MAX_READ_BYTES)),
        (100_000, {"HTTP_TRANSFER_ENCODING": "chunked"}, 0),
        (MAX_READ_BYTES + 103, {"CONTENT_LENGTH": str(MAX_READ_BYTES + 103)}, 100),
        # Without a body nothing is read.
        *((7, told, 4) for told in ({"CONTENT_LENGTH": "0"}, {})),
    ],
)
def test_the_rest_of_a_body_is_read_up_to_a_limit(size: int, told: dict[str, str], left: int) -> None:
    stream = io.BytesIO(b"x" * size)
    assert ask(for_granian(early), **{"wsgi.input": stream, **told}) == [b"answer"]
    assert len(stream.read()) == left


# --- headers ---


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("application/json; charset=utf-8", "application/json"),
        ("multipart/form-data; boundary=----WebKit7MA4", 'multipart/form-data; boundary="----WebKit7MA4"'),
        ('multipart/form-data; charset=hex; BOUNDARY="a b"', "multipart/form-data"),
        ('multipart/form-data; boundary="=_a"; charset=hex', 'multipart/form-data; boundary="=_a"'),
        (None, None),
    ],
)
def test_the_type_and_the_boundary_alone(sent: str | None, seen: str | None) -> None:
    environ = {} if sent is None else {"CONTENT_TYPE": sent}
    assert ask(for_granian(telling("CONTENT_TYPE")), **environ) == [repr(seen).encode()]


def test_lost_cookies_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    wrapped = for_granian(telling("HTTP_COOKIE"))
    assert (ask(wrapped, HTTP_COOKIE="a=b"), ask(wrapped)) == ([b"'a=b'"], [b"None"])
    assert caplog.records == []
    assert [ask(wrapped, HTTP_COOKIE="") for _ in range(3)] == [[b"''"]] * 3
    assert len(caplog.records) == 1
    assert "outside ASCII" in caplog.text
