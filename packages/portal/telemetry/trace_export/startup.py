"""Starts the tracing of one process: after it was forked, since the thread that sends spans survives no fork.

OpenTelemetry's library reads its own variables: the address, headers, the sampler, the size of the queue. Spans for
which the queue has no room are dropped; a page never waits for the collector.
"""

from __future__ import annotations

import atexit
import os
import threading
from typing import TYPE_CHECKING, Final

import jinja2
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.jinja2 import Jinja2Instrumentor
from opentelemetry.instrumentation.redis import RedisInstrumentor
from opentelemetry.instrumentation.utils import unwrap
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from portal import __version__
from portal.telemetry.trace_export.allowed import AllowedAttributes
from portal.telemetry.trace_export.spans import OpenTelemetrySpans
from portal.telemetry.tracing import use_span_maker

if TYPE_CHECKING:
    from portal.config.portal_config import PortalConfig

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
    provider.add_span_processor(BatchSpanProcessor(AllowedAttributes(OTLPSpanExporter())))
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
