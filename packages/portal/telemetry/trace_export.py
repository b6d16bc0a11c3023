"""Traces by OpenTelemetry: optional, loaded only where `OTEL_EXPORTER_OTLP_ENDPOINT` is set.

How to use it: docs/how-to/trace-a-request.md. Why so: docs/adr/0044-traces.md.

Of a span, this leaves the process: attributes that are known by name, and no words of an error.

Instrumentations of libraries change what they record with each version. So this list says what may leave, not what may
not: no address with its query, no command of Redis with its values, no message of an exception.

`start_tracing` is called in each process that serves, after it was forked, since the thread that sends spans survives
no fork.

OpenTelemetry's library reads its own variables: the address, headers, the sampler, the size of the queue. Spans for
which the queue has no room are dropped; a page never waits for the collector.
"""

import atexit
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final

import jinja2
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.jinja2 import Jinja2Instrumentor
from opentelemetry.instrumentation.redis import RedisInstrumentor
from opentelemetry.instrumentation.utils import unwrap
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from portal import __version__
from portal.config.portal_config import PortalConfig
from portal.telemetry.tracing import AttributeValue, Span, use_span_maker

_PROPAGATOR: Final = TraceContextTextMapPropagator()


class OpenSpan(Span):
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

    def request(self, *, method: str, path: str, traceparent: str | None) -> AbstractContextManager[OpenSpan]:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        # Of the same thread's last request, nothing may be left.
        parent = _PROPAGATOR.extract({} if traceparent is None else {"traceparent": traceparent})
        attributes: dict[str, Any] = {"http.request.method": method, "url.path": path}
        return self._open(method, SpanKind.SERVER, attributes, context=parent)

    def call(self, *, method: str, to: str, path: str) -> AbstractContextManager[OpenSpan]:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        attributes = {"http.request.method": method, "peer.service": to, "url.path": path}
        return self._open(f"{method} {to}", SpanKind.CLIENT, attributes)

    def work(self, kind: str, what: str) -> AbstractContextManager[OpenSpan]:
        """See :class:`portal.telemetry.tracing.SpanMaker`."""
        return self._open(f"{kind} {what}", SpanKind.INTERNAL, {"portal.endpoint": what})

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


ALLOWED: Final = frozenset(
    {
        "http.request.method",
        "http.response.status_code",
        "http.route",
        "url.path",
        "peer.service",
        "error.type",
        "db.system",
        "db.system.name",
        "db.operation.name",
        "db.redis.pipeline_length",
        "jinja2.template_name",
        "portal.endpoint",
        "portal.outcome",
        "portal.edge.rule",
        "portal.request_id",
        "portal.revalidation",
    }
)


class AllowedAttributes(OTLPSpanExporter):
    """Sends spans without what may not leave."""

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans."""
        return super().export([allowed_part(span) for span in spans])


def allowed_part(span: ReadableSpan) -> ReadableSpan:
    """The same span with the allowed attributes alone. Of an exception, the class stays."""
    attributes: dict[str, Any] = {name: value for name, value in (span.attributes or {}).items() if name in ALLOWED}
    for event in span.events:
        kind = (event.attributes or {}).get("exception.type")
        if kind is not None:
            attributes["error.type"] = kind
    return ReadableSpan(
        name=span.name,
        context=span.get_span_context(),
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        links=span.links,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


#: A process that ends waits this long for its last spans, seconds.
LAST_SPANS_S: Final = 1.0


def start_tracing(config: PortalConfig) -> None:
    """Send traces from now on. For a process that serves, once."""
    own = Resource(
        {
            "service.namespace": "portal",
            "service.name": config.project.app,
            "service.version": __version__,
            "service.instance.id": f"{os.uname().nodename}:{os.getpid()}",
        }
    )
    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
    provider = TracerProvider(resource=own.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(AllowedAttributes()))
    Jinja2Instrumentor().instrument(tracer_provider=provider)
    # It has a span for each template that is taken from memory, fifteen a page, all of 0.0 ms.
    unwrap(jinja2.Environment, "_load_template")
    RedisInstrumentor().instrument(tracer_provider=provider)
    use_span_maker(OpenTelemetrySpans(provider.get_tracer("portal")))
    atexit.register(_send_last_spans, provider)


def _send_last_spans(provider: TracerProvider) -> None:
    # A collector that is away must not hold up the end of a process: the library would try for half a minute.
    thread = threading.Thread(target=provider.shutdown, name="portal-last-spans", daemon=True)
    thread.start()
    thread.join(LAST_SPANS_S)
