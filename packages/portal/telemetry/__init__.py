"""What a process says of itself: counts, traces, and the lines of the audit log.

::

    audit           who signed in, from where, and how it ended; who changed whose permissions
    trace_export    traces by OpenTelemetry; optional, loaded at the start alone
      metrics       what a server counts and measures, for Prometheus
      tracing       the spans that the code makes, whether somebody exports them or not

Each is imported by itself: `portal.process` counts with `metrics`, and `audit` reads the configuration. The form of the
log's lines is in `portal.config.log_lines`, since the configuration names it.
"""
