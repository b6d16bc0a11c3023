"""What of a span leaves the process, whatever an instrumentation has recorded."""

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import Status, StatusCode

from portal.telemetry.trace_export import allowed_part


def exported(**attributes: str) -> ReadableSpan:
    memory, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    with provider.get_tracer("of a library").start_as_current_span("GET") as span:
        span.set_attributes({name.replace("__", "."): value for name, value in attributes.items()})
        span.record_exception(ValueError("a secret in words"))
        span.set_status(Status(StatusCode.ERROR, "ValueError: a secret in words"))
    (found,) = memory.get_finished_spans()
    return allowed_part(found)


def test_what_is_not_known_stays_here_and_of_an_error_its_class_leaves_and_no_words() -> None:
    span = exported(http__url="http://backend/clients?q=secret", http__request__method="GET", db__statement="SET k v")
    assert dict(span.attributes or {}) == {"http.request.method": "GET", "error.type": "ValueError"}
    assert span.status.status_code is StatusCode.ERROR
    assert "secret" not in span.to_json()
    # What places it in its trace stays.
    assert span.name == "GET"
    assert span.context is not None
    assert span.context.trace_id
    assert (span.end_time or 0) >= (span.start_time or 0) > 0
