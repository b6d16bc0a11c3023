"""The form of a log line: one for people, one for programs, the same content."""

import contextvars
import json
import logging
import sys
from collections.abc import Callable, Iterator

import pytest

from portal.config.base_settings import build_settings
from portal.config.log_lines import LOG_FORMATS, REMOVED, SECRETS, line_formatter, log_context
from tests.settings import PORTAL

Write = Callable[..., str]
BEGIN = 1_800_000_000.5


@pytest.fixture(autouse=True)
def nothing_bound() -> Iterator[None]:
    token = log_context.set(None)
    yield
    log_context.reset(token)


def bind(**fields: object) -> None:
    log_context.set(lambda: fields)


def write(log_format: str, message: str = "done", *args: object, level: int = logging.INFO, **options) -> str:
    """The text that one record becomes."""
    extra = options.pop("extra", {})
    logger = logging.getLogger("portal.test")
    record = logger.makeRecord(
        "portal.test", level, "file.py", 1, message, args, options.pop("exc_info", None), extra=extra
    )
    record.created = BEGIN
    return line_formatter(app="energy", log_format=log_format).format(record)


def test_a_line_is_text_for_people_and_one_json_object_for_programs_with_the_same_content() -> None:
    """What a logger gives beside its message is for programs, as far as it is known."""
    bind(request_id="r-1", user="0123456789abcdef")
    extra = {"method": "GET", "path": "/me", "status": 503, "request": "<WSGIRequest: GET '/en/energy?q=private'>"}
    text, line = (
        write(log_format, "%d pages of %s", 3, "clients", level=logging.WARNING, extra=extra)
        for log_format in ("text", "json")
    )
    assert text == (
        "2027-01-15T08:00:00.500Z WARNING energy portal.test 3 pages of clients request_id=r-1 user=0123456789abcdef"
    )
    assert json.loads(line) == {
        "time": "2027-01-15T08:00:00.500Z",
        "level": "WARNING",
        "app": "energy",
        "logger": "portal.test",
        "message": "3 pages of clients",
        "request_id": "r-1",
        "user": "0123456789abcdef",
        "method": "GET",
        "path": "/me",
        "status": 503,
    }


@pytest.mark.parametrize("log_format", LOG_FORMATS)
def test_what_a_request_gives_is_worked_out_for_each_line_and_goes_with_a_copied_context(log_format: str) -> None:
    names = iter(["first", None, "third"])
    log_context.set(lambda: {"user": next(names)})
    lines = [write(log_format) for _ in range(2)]
    context = contextvars.copy_context()
    log_context.set(None)
    assert ("first" in lines[0], "user" in lines[1], "third" in context.run(write, log_format)) == (True, False, True)
    assert "user" not in write(log_format)


@pytest.mark.parametrize("log_format", LOG_FORMATS)
@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x1c", "\x85", "\u2028", "\x00", "\x1b[2K"], ids=ascii)
def test_nobody_who_names_a_thing_writes_a_line_of_their_own(log_format: str, end: str) -> None:
    bind(request_id=f"r{end}2027 INFO energy portal.test forged")
    line = write(log_format, "Not Found: /en/%s", f"x{end}2027-01-15 INFO energy portal.test forged")
    assert len(line.splitlines()) == 1
    assert end not in line


@pytest.mark.parametrize("log_format", LOG_FORMATS)
def test_any_text_and_any_value_can_be_written(log_format: str) -> None:
    bind(part=frozenset({"x"}))
    line = write(log_format, "half \ud800, whole é \U0001f600")
    assert line.encode("utf-8", "backslashreplace")
    assert "whole" in line
    assert "frozenset({'x'})" in line


def failure() -> tuple:
    secret = "a-token-in-a-variable"
    try:
        try:
            raise ConnectionRefusedError(111, "Connection refused")
        except OSError as error:
            raise RuntimeError(f"{len(secret)}\n2027-01-15 INFO energy portal.test forged") from error
    except RuntimeError:
        return sys.exc_info()


def test_a_traceback_stands_below_its_line_or_is_one_field_of_it_and_shows_no_variable() -> None:
    first, _, below = write("text", "it broke", exc_info=failure()).partition("\n")
    assert first == "2027-01-15T08:00:00.500Z INFO energy portal.test it broke"
    assert all(line.startswith("    ") for line in below.splitlines() if line)
    assert "ConnectionRefusedError: [Errno 111] Connection refused" in below
    assert "a-token-in-a-variable" not in below.replace('secret = "a-token-in-a-variable"', "")
    (line,) = write("json", "it broke", exc_info=failure()).splitlines()
    assert json.loads(line)["exception"].startswith("Traceback (most recent call last):")


@pytest.mark.parametrize("code", ["\x1b[2K", "\x9b2K", "\r", "\x08"], ids=ascii)
def test_a_traceback_brings_no_control_character_to_a_terminal(code: str) -> None:
    written = write("text", "it broke", exc_info=(RuntimeError, RuntimeError(f"a server said {code}"), None))
    assert "a server said" in written
    assert code not in written


def test_every_logger_of_a_project_writes_through_one_handler_and_the_audit_log_has_its_own() -> None:
    settings = build_settings(PORTAL)["LOGGING"]
    assert list(settings["handlers"]) == ["stderr", "audit"]
    assert settings["root"]["handlers"] == ["stderr"]
    audit = settings["loggers"].pop("portal.audit")
    assert (audit["handlers"], audit["propagate"]) == (["audit"], False)
    assert all(not logger.get("handlers") for logger in settings["loggers"].values())
    assert all(logger.get("propagate", True) for logger in settings["loggers"].values())


@pytest.mark.parametrize(("status", "level", "is_traced"), [(400, "WARNING", False), (500, "ERROR", True)])
def test_refused_request_is_a_warning_without_traceback(status: int, level: str, is_traced: bool) -> None:
    record = logging.getLogger("django.request").makeRecord(
        "django.request", logging.ERROR, "file.py", 1, "Bad", (), failure(), extra={"status_code": status}
    )
    line = json.loads(line_formatter(app="energy", log_format="json").format(record))
    assert (line["level"], "exception" in line) == (level, is_traced)


JWT = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJhY2NfMSJ9.c2lnbmF0dXJlLW9mLXRoaXM"
OPAQUE = 'opaque"refresh\\token-of-1'


@pytest.mark.parametrize("log_format", LOG_FORMATS)
@pytest.mark.parametrize("token", [JWT, f"{JWT}.cGFydA.", OPAQUE], ids=["signed", "encrypted", "opaque"])
@pytest.mark.parametrize(
    "line",
    [
        lambda token: {"message": "token %s.", "args": (token,)},
        lambda token: {"message": f"Bearer {token}"},
        lambda token: {"message": "%r", "args": ({"VAR_ACCESS_TOKEN": token.replace("\\", "")},)},
        lambda token: {"extra": {"cause": token, "path": f"/en?token={token}"}},
        lambda token: {"exc_info": (RuntimeError, RuntimeError(f"refused: {token}"), None)},
    ],
    ids=["argument", "message", "mapping", "extra fields", "traceback"],
)
def test_no_token_stands_in_a_line(log_format: str, token: str, line: Callable) -> None:
    """What looks like a JWT, whoever's it is; and the tokens of the request, which look like nothing."""
    given = line(token)
    bind(**{SECRETS: (None, OPAQUE, OPAQUE.replace("\\", ""), "short"), "request_id": "r-1"})
    written = write(log_format, given.pop("message", "done"), *given.pop("args", ()), **given)
    assert not {part for part in (*token.split("."), json.dumps(token)[1:-1]) if part and part in written}
    assert SECRETS not in written
    if "message" in line(token):
        assert REMOVED in written


@pytest.mark.parametrize("text", ["eyJjdXJzb3IiOiJvZi1hLWxpc3QifQ", "eyJ.a.b", "a short one", "heyJude.and.others"])
def test_what_is_no_token_stays_in_its_line(text: str) -> None:
    bind(**{SECRETS: ("short", "")})
    assert text in write("text", "after %s", text)


@pytest.mark.parametrize("log_format", LOG_FORMATS)
@pytest.mark.parametrize("cookie", ['", "app": "energy"', "u00e9 is not a token", "energy portal.test"])
def test_a_cookie_like_a_piece_of_the_line_leaves_the_line_whole(log_format: str, cookie: str) -> None:
    """Whoever sends the cookie chooses its text."""
    before = write(log_format, "é is not a token")
    bind(**{SECRETS: (cookie,)})
    assert write(log_format, "é is not a token") == before


def test_a_line_of_an_attacker_is_read_once() -> None:
    """From each of its beginnings to the end of the line would be a billion characters."""
    text = "eyJ-" * 100_000
    assert text in write("text", text)
