"""The spans of :mod:`portal.telemetry.tracing`, by OpenTelemetry's API."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.trace import Tracer

    from portal.telemetry.tracing import AttributeValue

_PROPAGATOR: Final = TraceContextTextMapPropagator()


class OpenSpan:
    """See :class:`portal.telemetry.tracing.Span`."""

    def __init__(self, span: trace.Span, tracer: Tracer) -> None:
        self._span = span
        self._tracer = tracer

    def set(self, name: str, value: AttributeValue) -> None:
        """See :class:`portal.telemetry.tracing.Span`."""
        self._span.set_attribute(name, value)

    def rename(self, name: str) -> None:
        """See :class:`portal.telemetry.tracing.Span`."""
        self._span.update_name(name)

    def fail(self, why: str) -> None:
        """See :class:`portal.telemetry.tracing.Span`."""
        self._span.set_attribute("error.type", why)
        self._span.set_status(Status(StatusCode.ERROR))

    def part(self, kind: str, what: str, *, outcome: str) -> None:
        """See :class:`portal.telemetry.tracing.Span`."""
        began = getattr(self._span, "start_time", None)
        attributes = {"portal.endpoint": what, "portal.outcome": outcome}
        self._tracer.start_span(f"{kind} {what}", start_time=began, attributes=attributes).end()

    def headers(self) -> Mapping[str, str]:
        """See :class:`portal.telemetry.tracing.Span`."""
        carrier: dict[str, str] = {}
        _PROPAGATOR.inject(carrier)
        return carrier


class OpenTelemetrySpans:
    """See :class:`portal.telemetry.tracing.SpanMaker`."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    @contextmanager
    def request(self, *, method: str, path: str, traceparent: str | None) -> Iterator[OpenSpan]:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        # Of the same thread's last request, nothing may be left.
        parent = _PROPAGATOR.extract({} if traceparent is None else {"traceparent": traceparent})
        attributes: dict[str, Any] = {"http.request.method": method, "url.path": path}
        with self._open(method, SpanKind.SERVER, attributes, context=parent) as span:
            yield span

    @contextmanager
    def call(self, *, method: str, to: str, path: str) -> Iterator[OpenSpan]:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        attributes = {"http.request.method": method, "peer.service": to, "url.path": path}
        with self._open(f"{method} {to}", SpanKind.CLIENT, attributes) as span:
            yield span

    @contextmanager
    def work(self, kind: str, what: str) -> Iterator[OpenSpan]:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        with self._open(f"{kind} {what}", SpanKind.INTERNAL, {"portal.endpoint": what}) as span:
            yield span

    def note(self, name: str, value: AttributeValue) -> None:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        trace.get_current_span().set_attribute(name, value)

    def ids(self) -> Mapping[str, str]:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        context = trace.get_current_span().get_span_context()
        if not context.is_valid:
            return {}
        return {
            "trace_id": trace.format_trace_id(context.trace_id),
            "span_id": trace.format_span_id(context.span_id),
        }

    @contextmanager
    def _open(
        self, name: str, kind: SpanKind, attributes: Mapping[str, Any], *, context: Any = None
    ) -> Iterator[OpenSpan]:
        with self._tracer.start_as_current_span(
            name,
            context=context,
            kind=kind,
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as made:
            span = OpenSpan(made, self._tracer)
            try:
                yield span
            except Exception as error:
                span.fail(type(error).__name__)
                raise
