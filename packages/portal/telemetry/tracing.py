"""Spans of traces. While tracing is off, each function here is one comparison, and nothing of OpenTelemetry is loaded.

`portal.telemetry.trace_export` switches it on, in a process that serves, and is the other side of :class:`SpanMaker`.

A span tells no more than: the endpoint of a query, the method and the path of a call, an outcome. It has no token, no
name, no query of an address and no value of a row: docs/how-to/trace-a-request.md.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol, TypeAlias

AttributeValue: TypeAlias = str | int | bool

#: What became of it: of a query a `CacheStatus` or `background`, of a refresh a `RefreshOutcome`.
OUTCOME: Final = "portal.outcome"
EDGE_RULE: Final = "portal.edge.rule"
REQUEST_ID_ATTRIBUTE: Final = "portal.request_id"


class Span:
    """A part of a trace that is under way; while tracing is off, this class itself, which does nothing."""

    def set(self, name: str, value: AttributeValue) -> None:
        """Add an attribute."""

    def rename(self, name: str) -> None:
        """Give it another name."""

    def fail(self, why: str) -> None:
        """Mark it as failed.

        :param why: the class of an error, or a status.
        """

    def part(self, kind: str, what: str, *, outcome: str) -> None:
        """Add a child that began with this span and ends now."""

    def headers(self) -> Mapping[str, str]:
        """The headers by which a called server continues the trace."""
        return {}


class SpanMaker(Protocol):
    """Makes spans. See the functions of this module."""

    def request(self, *, method: str, path: str, traceparent: str | None) -> AbstractContextManager[Span]:
        """The span of a request that is served."""
        ...

    def call(self, *, method: str, to: str, path: str) -> AbstractContextManager[Span]:
        """The span of a call over HTTP."""
        ...

    def work(self, kind: str, what: str) -> AbstractContextManager[Span]:
        """The span of work within this process."""
        ...

    def note(self, name: str, value: AttributeValue) -> None:
        """Add an attribute to the span that is under way in this thread."""
        ...

    def ids(self) -> Mapping[str, str]:
        """`trace_id` and `span_id` of the span that is under way in this thread."""
        ...


_NOTHING: Final[AbstractContextManager[Span]] = nullcontext(Span())
_maker: SpanMaker | None = None


def use_span_maker(maker: SpanMaker | None) -> None:
    """Switch tracing on, for this process; off with None."""
    global _maker  # noqa: PLW0603  one for each process, set before its first request
    _maker = maker


def is_on() -> bool:
    """Whether this process makes traces."""
    return _maker is not None


def span(kind: str, what: str) -> AbstractContextManager[Span]:
    """The span of a query, a mutation, a refresh: `query energy.get_clients`.

    :param what: the endpoint's key.
    """
    return _NOTHING if _maker is None else _maker.work(kind, what)


def request_span(*, method: str, path: str, traceparent: str | None) -> AbstractContextManager[Span]:
    """The span of a request that is served.

    :param traceparent: of the trace that it continues (W3C Trace Context); None for a new one.
    """
    return _NOTHING if _maker is None else _maker.request(method=method, path=path, traceparent=traceparent)


def call_span(*, method: str, to: str, path: str) -> AbstractContextManager[Span]:
    """The span of a call over HTTP.

    :param to: what is called, such as `backend`.
    :param path: without a query.
    """
    return _NOTHING if _maker is None else _maker.call(method=method, to=to, path=path)


def note(name: str, value: AttributeValue) -> None:
    """Add an attribute to the span that is under way in this thread."""
    if _maker is not None:
        _maker.note(name, value)


def trace_fields() -> Mapping[str, str]:
    """What a log line says of the trace that it belongs to: `trace_id` and `span_id`, or nothing."""
    return {} if _maker is None else _maker.ids()
