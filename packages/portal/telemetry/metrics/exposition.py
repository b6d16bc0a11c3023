"""All metrics of a server as Prometheus' text: the counts of all its workers, whichever of them is asked."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Final

from prometheus_client import ProcessCollector, generate_latest
from prometheus_client.core import Metric
from prometheus_client.multiprocess import MultiProcessCollector

from portal import __version__
from portal.telemetry.metrics.families import METRICS_REGISTRY, Counters, Label, Readings, all_families
from portal.telemetry.metrics.worker_files import FOLDER, ThisWorker, begin

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


def begin_worker(*, number: int = 0, pids: Sequence[int] = (), instead_of: str = "none") -> None:
    """Note that this process serves requests. Called once, in the worker, before it counts.

    :param number: its place among the workers of its server.
    :param pids: the process ids of all of them, by number; empty if it is the only one.
    :param instead_of: the label of that name.
    """
    begin(number, pids or (os.getpid(),))
    _start_counters.count(instead_of)


def process_metrics() -> Iterable[Metric]:
    """Return what Linux tells of each worker of this server, with its number as the label `worker`."""
    merged: dict[str, Metric] = {}
    for number, pid in enumerate(ThisWorker.pids):
        for found in ProcessCollector(pid=str(pid).__str__, registry=None).collect():
            metric = merged.setdefault(found.name, Metric(found.name, found.documentation, found.type))
            for sample in found.samples:
                metric.add_sample(sample.name, {"worker": str(number)}, sample.value)
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
    if not FOLDER:
        return METRICS_REGISTRY.collect()
    found: Iterable[Metric] = MultiProcessCollector(None, path=FOLDER).collect()  # type: ignore[no-untyped-call]  # the library has no types here
    return found
