"""A collector of traces: takes OTLP over HTTP, and keeps the spans that came."""

import contextlib
import gzip
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from tests.support.processes import until
from tests.support.serving import Call, Reply, serving


@dataclass(frozen=True)
class ReceivedSpan:
    trace_id: str
    span_id: str
    parent_id: str
    service: str
    name: str
    attributes: dict[str, object]
    start_ns: int
    end_ns: int


@dataclass
class Receiver:
    """`raw` is all that came, as it came."""

    url: str = ""
    raw: bytes = b""
    spans: list[ReceivedSpan] = field(default_factory=list)

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest.FromString(body)
        for resource in request.resource_spans:
            of_resource = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.spans.append(
                        ReceivedSpan(
                            trace_id=span.trace_id.hex(),
                            span_id=span.span_id.hex(),
                            parent_id=span.parent_span_id.hex(),
                            service=of_resource["service.name"],
                            name=span.name,
                            attributes={each.key: _value(each.value) for each in span.attributes},
                            start_ns=span.start_time_unix_nano,
                            end_ns=span.end_time_unix_nano,
                        )
                    )
        self.raw += body

    def trace_of(self, request_id: str) -> list[ReceivedSpan]:
        """The spans of the trace of a request, once its root has come."""
        root = self.wait_for(lambda span: span.attributes.get("portal.request_id") == request_id)
        return sorted((span for span in self.spans if span.trace_id == root.trace_id), key=lambda span: span.start_ns)

    def wait_for(self, wanted: Callable[[ReceivedSpan], bool]) -> ReceivedSpan:
        until(lambda: any(map(wanted, list(self.spans))), what=lambda: f"such a span: {[s.name for s in self.spans]}")
        return next(filter(wanted, self.spans))


def _value(value: object) -> object:
    kind = value.WhichOneof("value")  # type: ignore[attr-defined]  # of protobuf, made at run time
    return getattr(value, kind) if kind else None


@contextlib.contextmanager
def otlp_receiver() -> Iterator[Receiver]:
    receiver, lock = Receiver(), threading.Lock()

    def answer(call: Call) -> Reply:
        body = gzip.decompress(call.body) if call.headers.get("content-encoding") == "gzip" else call.body
        with lock:
            receiver.take(body)
        return Reply(
            200, ExportTraceServiceResponse().SerializeToString(), [("Content-Type", "application/x-protobuf")]
        )

    with serving(answer) as server:
        receiver.url = server.url
        yield receiver
