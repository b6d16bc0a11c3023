"""What of a span leaves the process: attributes that are known by name, and no words of an error.

Instrumentations of libraries change what they record with each version. So this list says what may leave, not what may
not: no address with its query, no command of Redis with its values, no message of an exception.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class AllowedAttributes(SpanExporter):
    """Hands spans on without what may not leave.

    :param exporter: sends them.
    """

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send the spans."""
        return self._exporter.export([allowed_part(span) for span in spans])

    def shutdown(self) -> None:
        """Send no more."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Send what waits."""
        return self._exporter.force_flush(timeout_millis)


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
