"""Traces by OpenTelemetry: optional, loaded only where `OTEL_EXPORTER_OTLP_ENDPOINT` is set. Imports go down.

::

    startup         start_tracing(): once in each process that serves, after it was forked
      spans         makes the spans of portal.telemetry.tracing by OpenTelemetry's API
      allowed       what of a span leaves the process

How to use it: docs/how-to/trace-a-request.md. Why so: docs/adr/0044-traces.md.
"""

from __future__ import annotations

from portal.telemetry.trace_export.startup import start_tracing
