"""The layer around an application: known bodies, plain content types, cookies that were lost."""

import base64
import hashlib
import io
import re

import pytest
from django.http import FileResponse, HttpResponse, StreamingHttpResponse

from portal_server.wsgi import for_granian


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


@pytest.mark.parametrize(("method", "reloads"), [("GET", True), ("POST", False)])
def test_page_without_cookies_is_told_so(method: str, reloads: bool) -> None:
    """The sign-in page and a form; its script may run, and sends nothing again."""
    started = []
    asked = {"HTTP_COOKIE": "", "HTTP_ACCEPT": "text/html", "PATH_INFO": "/de/login", "REQUEST_METHOD": method}
    [page] = for_granian(telling("HTTP_COOKIE"))(asked, lambda *answer: started.append(answer))
    [(status, headers)] = started
    assert status == "400 Bad Request"
    head, script = re.fullmatch(r"(.*)<script.*?>(.*)</script>", page.decode(), re.DOTALL).groups()
    assert "Die Cookies dieses Browsers sind nicht lesbar" in head
    assert (
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in dict(headers)["content-security-policy"]
    )
    assert ("<script data-reloads>" in page.decode()) is reloads
