"""The workers: how often one has started, and what each takes, by the standard names of Prometheus' libraries."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from prometheus_client import ProcessCollector
from prometheus_client.core import Metric

from portal.telemetry.metrics.families import Counters
from portal.telemetry.metrics.worker_files import SLOT, living_workers

if TYPE_CHECKING:
    from collections.abc import Iterable


_start_counters: Final = Counters(
    "portal_worker_starts_total", "Workers that have started: at the server's start, and in place of others."
)


def begin_worker() -> None:
    """Note that this process serves requests. Called once, in the worker."""
    if SLOT is not None:
        SLOT.begin()
    _start_counters.count()


def process_metrics() -> Iterable[Metric]:
    """What Linux tells of each worker of this server, with its slot as the label `worker`."""
    workers = [(0, os.getpid())] if SLOT is None else list(living_workers(SLOT.folder))
    merged: dict[str, Metric] = {}
    for slot, pid in workers:
        for found in ProcessCollector(pid=str(pid).__str__, registry=None).collect():
            metric = merged.setdefault(found.name, Metric(found.name, found.documentation, found.type))
            for sample in found.samples:
                metric.add_sample(sample.name, {"worker": str(slot)}, sample.value)
    return merged.values()
