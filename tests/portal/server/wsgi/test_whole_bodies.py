"""How a response reaches the server: a known body as a list, so that granian knows its length."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from portal.server.wsgi import with_whole_bodies


def answer_of(response: Iterable[bytes]) -> Iterable[bytes]:
    return with_whole_bodies(lambda _environ, _start_response: response)({}, lambda *_: None)


@pytest.mark.parametrize("content", [b"", b"a page"])
def test_a_known_body_is_a_list_of_one_part_and_its_response_is_closed(content: bytes) -> None:
    response = HttpResponse(content)
    assert answer_of(response) == [content]
    assert response.closed


def test_a_body_written_in_parts_is_one_part() -> None:
    assert answer_of(HttpResponse(["a ", "page"])) == [b"a page"]


@pytest.mark.parametrize("response", [StreamingHttpResponse([b"a"]), FileResponse(io.BytesIO(b"a"))], ids=type)
def test_a_stream_is_left_to_the_server(response: StreamingHttpResponse) -> None:
    assert answer_of(response) is response
    assert not response.closed


def test_what_another_application_returns_is_left_as_it_is() -> None:
    parts = [b"a"]
    assert answer_of(parts) is parts
