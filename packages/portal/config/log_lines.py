"""What a line of the log looks like, whoever writes it: for people, or as one JSON object (`APP_LOG_FORMAT`).

Everybody writes with :mod:`logging`; structlog gives the lines their form. A line has the time (UTC), the level, the
app, the logger and the message; within a request also `request_id` and `user`, which
:mod:`portal.web.middleware` gives. See docs/reference/log.md.

No traceback shows a variable's value: one of them may be a token. What looks like a JWT is taken out of a line, whoever
writes it, and so are the tokens of the request.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from logging import LogRecord
from textwrap import indent
from typing import Any, Final

from structlog.processors import JSONRenderer, format_exc_info
from structlog.stdlib import ExtraAdder, ProcessorFormatter
from structlog.typing import EventDict, Processor, WrappedLogger

#: What the lines of this thread say beside their message: a function, called only where a line is written. It costs a
#: request a tenth of a microsecond; structlog's own context variables, which are bound by name, cost two.
log_context: ContextVar[Callable[[], Mapping[str, object]] | None] = ContextVar("log_context", default=None)

LOG_FORMATS: Final = ("text", "json")
#: What a logger may give beside its message, for programs. Anything else stays out of the log: Django's own lines
#: bring the request, whose text holds the address with its query.
EXTRA_FIELDS: Final = (
    "request_id",
    "called",
    "method",
    "path",
    "status",
    "outcome",
    "duration_ms",
    "attempt",
    "attempts",
    "cause",
)
#: What stands in place of a token.
REMOVED: Final = "[token]"
#: The name under which :data:`log_context` gives the tokens of the request. No line has it.
SECRETS: Final = "secrets"
#: What structlog adds to an event, and takes out again.
_OURS: Final = frozenset({"_record", "_from_structlog"})
#: A text of fewer characters is no token (RFC 6749, section 10.10), and may be a word of the line.
_SHORTEST_TOKEN: Final = 16
#: Each JWT begins with the base64 of `{"`. Without a dot it is something else, such as a cursor. That matches too, so
#: that a line is read once.
_JWT_BEGINS: Final = "eyJ"
_JWT: Final = re.compile(r"eyJ[A-Za-z0-9_-]{13,}((?:\.[A-Za-z0-9_-]+)*)")
#: Control characters, and what else ends a line, as they stand in a line: whoever names a thing writes no line of
#: their own.
_ESCAPES: Final = {
    number: chr(number).encode("unicode_escape").decode()
    for number in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029)
}
#: The same of a traceback, which has lines of its own.
_ESCAPES_BELOW: Final = {number: text for number, text in _ESCAPES.items() if chr(number) != "\n"}


def line_formatter(*, app: str, log_format: str) -> ProcessorFormatter:
    """The formatter of every handler: `"()": "portal.config.log_lines.line_formatter"`.

    :param app: the project's folder, in each line.
    :param log_format: one of :data:`LOG_FORMATS`.
    """
    as_json = log_format == "json"
    # A line for people says all this in its message; of the fields, only those of the request follow.
    extra: list[Processor] = [ExtraAdder(EXTRA_FIELDS if as_json else ("request_id",))]
    return ProcessorFormatter(
        foreign_pre_chain=[*extra, _add_context, _shorten_refusal, format_exc_info],
        processors=[_remove_tokens, _Line(app=app), JSONRenderer(default=str) if as_json else _as_text],
    )


def _add_context(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    context = log_context.get()
    return event if context is None else {**context(), **event}


def _shorten_refusal(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Take the traceback from Django's line about a request that can't be read, such as a form of 2,000 fields.

    Whoever sends such requests could fill the log with them.
    """
    if _is_refusal(event["_record"]):
        event.pop("exc_info", None)
    return event


def _is_refusal(record: LogRecord) -> bool:
    """Whether Django says here that a request was the caller's mistake."""
    status = getattr(record, "status_code", None)
    is_of_django = record.name.startswith(("django.request", "django.security"))
    return is_of_django and isinstance(status, int) and status < HTTPStatus.INTERNAL_SERVER_ERROR


def _remove_tokens(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Take the tokens out of all that a logger gives, before it is a line: whoever sends one can't break that."""
    tokens = [token for token in event.pop(SECRETS, ()) if token is not None and len(token) >= _SHORTEST_TOKEN]
    for name in event.keys() - _OURS:
        text = str(event[name])
        found = _without_tokens(text, tokens)
        if found != text:
            event[name] = found
    return event


def _without_tokens(text: str, tokens: Iterable[str]) -> str:
    for token in tokens:
        text = text.replace(token, REMOVED)
        if '"' in token or "\\" in token or not token.isascii():
            text = text.replace(json.dumps(token)[1:-1], REMOVED)
    if _JWT_BEGINS in text:
        text = _JWT.sub(lambda found: REMOVED if found[1] else found[0], text)
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """Puts what every line has in its place, in front of what only some have."""

    app: str

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        record = event.pop("_record")
        event.pop("_from_structlog")
        exception, stack = event.pop("exception", None), event.pop("stack_info", None)
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC)
            .isoformat(timespec="milliseconds")
            .replace("+00:00", "Z"),
            # Of the caller's mistakes, Django calls some errors; no operator must act.
            "level": "WARNING" if _is_refusal(record) else record.levelname,
            "app": self.app,
            "logger": record.name,
            "message": event.pop("event"),
        }
        line |= {name: value for name, value in event.items() if value is not None}
        return line | {name: text for name, text in (("exception", exception), ("stack", stack)) if text}


def _as_text(_logger: WrappedLogger, _method: str, line: EventDict) -> str:
    """`time LEVEL app logger message key=value …`, and below it, indented, a traceback."""
    below = [line.pop(name) for name in ("exception", "stack") if name in line]
    head = " ".join(str(line.pop(name)) for name in ("time", "level", "app", "logger", "message"))
    text = head + "".join(f" {name}={value}" for name, value in line.items())
    if not text.isprintable():
        text = text.translate(_ESCAPES)
    return "\n".join([text, *(indent(more.translate(_ESCAPES_BELOW), "    ") for more in below)])
