"""A body that the application does not read is read all the same, up to a limit."""

from __future__ import annotations

import io

import pytest

from portal.server.wsgi import MAX_READ_BYTES, with_read_bodies


def early(environ, start_response):
    start_response("303 See Other", [])
    environ["wsgi.input"].read(3)
    return [b"answer"]


def rest_of(body: bytes, **environ: str) -> int:
    """How many bytes are left unread behind the application."""
    stream = io.BytesIO(body)
    answer = with_read_bodies(early)({"wsgi.input": stream, **environ}, lambda *_: None)
    assert answer == [b"answer"]
    return len(stream.read())


@pytest.mark.parametrize("size", [3, 4, 100_000, MAX_READ_BYTES])
def test_the_rest_of_a_body_is_read(size: int) -> None:
    assert rest_of(b"x" * size, CONTENT_LENGTH=str(size)) == 0


def test_a_body_whose_length_is_not_told_is_read() -> None:
    assert rest_of(b"x" * 100_000, HTTP_TRANSFER_ENCODING="chunked") == 0


def test_a_longer_one_is_not_read_to_its_end() -> None:
    assert rest_of(b"x" * (MAX_READ_BYTES + 103), CONTENT_LENGTH=str(MAX_READ_BYTES + 103)) == 100


def test_without_a_body_nothing_is_read() -> None:
    assert rest_of(b"123next", CONTENT_LENGTH="0") == len(b"next")
    assert rest_of(b"123next") == len(b"next")
