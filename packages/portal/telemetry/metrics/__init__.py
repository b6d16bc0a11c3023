"""What a server counts and measures of itself, for Prometheus. Built on prometheus_client; every package may use it.

::

    exposition        all metrics of a server as Prometheus' text; memory, descriptors and CPU time of each worker
        families      a metric with its labels: Counters, Gauges, Timings, and what is read when Prometheus asks
          worker_files    the files through which the workers of one server share their counts

A package declares its metrics in a module of its own, once, and counts with them. No label names a person, and each has
a bounded number of values.
"""

from portal.telemetry.metrics.exposition import CONTENT_TYPE, begin_worker, metrics_text, process_metrics
from portal.telemetry.metrics.families import (
    OPERATION_BUCKETS_S,
    OTHER,
    Counters,
    Family,
    Gauges,
    Label,
    Readings,
    Timings,
    all_families,
)
