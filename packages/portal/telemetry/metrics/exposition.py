"""All metrics of a server as Prometheus' text: the counts of all its workers, whichever of them is asked."""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING, Final

from prometheus_client import ProcessCollector, generate_latest
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from portal import __version__
from portal.telemetry.metrics.families import METRICS_REGISTRY, Counters, Label, Readings, all_families
from portal.telemetry.metrics.worker_files import SLOT, forget_dead_workers, living_workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_start_counters: Final = Counters(
    "portal_worker_starts_total",
    "Workers that have started, at the server's start and in place of others.",
    labels=[
        Label(
            name="instead_of",
            says="`none` at the server's start, one that has `ended`, one that was killed since it `hung`",
            values=("none", "ended", "hung"),
        )
    ],
)


def begin_worker(*, instead_of: str = "none") -> None:
    """Note that this process serves requests. Called once, in the worker.

    :param instead_of: the label of that name.
    """
    if SLOT is not None:
        SLOT.begin()
    _start_counters.count(instead_of)


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


CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


Readings(
    "portal_build_info",
    "The release that serves; always 1.",
    labels=[Label(name="version", says="of the release")],
    read=lambda: [([__version__], 1)],
)


def metrics_text(*, app: str) -> bytes:
    """The text for one scrape. Every metric has the label `app`."""
    return generate_latest(_Server(app))


class _Server:
    """What the library's text is made of."""

    def __init__(self, app: str) -> None:
        self._app = app

    def collect(self) -> Iterator[Metric]:
        """Every metric, each once."""
        states = (family.metric() for family in all_families() if isinstance(family, Readings))
        for metric in sorted(chain(_counted(), process_metrics(), states), key=lambda one: one.name):
            if metric.samples:
                metric.samples = [
                    sample._replace(labels={"app": self._app, **sample.labels}) for sample in metric.samples
                ]
                yield metric


def _counted() -> Iterable[Metric]:
    if SLOT is None:
        return METRICS_REGISTRY.collect()
    forget_dead_workers(SLOT.folder)
    found: Iterable[Metric] = MultiProcessCollector(None, path=str(SLOT.folder)).collect()  # type: ignore[no-untyped-call]  # the library has no types here
    return found
