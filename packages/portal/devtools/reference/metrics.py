"""docs/reference/metrics.md: every metric, as the rooms declare it."""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Final

from portal.metrics import Counters, Family, Timings, all_families, process_metrics

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from portal.metrics import Label

PAGE: Final = "docs/reference/metrics.md"
#: The modules at the top of the rooms: what they import declares all metrics.
_TOPS: Final = ("portal.edge.middleware", "portal.web.middleware", "portal.web.sign_in")

_BEFORE: Final = """\
# Metrics

What `GET /metrics` of each project's server answers, in Prometheus' text format. [How to watch it](../how-to/monitor.md) has the scrape
configuration, the rules and the dashboard.

Every metric has the label `app`, the project's folder. Counters and histograms are of all workers of the server that was asked, those that have died
included; a server that starts begins with 0. A gauge of "workers" counts those that live.

No label has a path, an address of a user, an account or a part of a token. Each label has a bounded number of values: what comes beyond it is counted under `other`. A value that is
known from the start is listed with 0, so that the first event counts in `rate()` and `increase()`.

| metric | type | labels | says |
|---|---|---|---|"""
_PROCESSES: Final = """\
## Of each worker

By the standard names of Prometheus' client libraries, read from `/proc` (Linux), with the label `worker`: a number, which a worker that replaces another one takes over.

| metric | type | says |
|---|---|---|"""


def markdown() -> str:
    """The whole page."""
    return "\n".join([_BEFORE, *map(_row, _declared()), "", _PROCESSES, *_processes(), ""])


def metric_names() -> set[str]:
    """The names that a query may use: a histogram has three."""
    return {
        f"{family.name}{suffix}"
        for family in _declared()
        for suffix in (("_bucket", "_count", "_sum") if isinstance(family, Timings) else ("",))
    }


def _declared() -> list[Family]:
    for module in _TOPS:
        import_module(module)
    return all_families()


def _row(family: Family) -> str:
    return f"| `{family.name}` | {_kind(family)} | {'<br>'.join(_labels(family.labels))} | {family.says} |"


def _kind(family: Family) -> str:
    if isinstance(family, Timings):
        return "histogram, seconds"
    return "counter" if isinstance(family, Counters) else "gauge"


def _labels(labels: Iterable[Label]) -> Iterator[str]:
    for label in labels:
        values = [value.value if isinstance(value, Enum) else value for value in label.values]
        is_said = any(f"`{value}`" in label.says for value in values)
        listed = "" if is_said or not values else ": " + ", ".join(f"`{value}`" for value in values)
        yield f"`{label.name}`: {label.says}{listed}"


def _processes() -> Iterator[str]:
    for metric in sorted(process_metrics(), key=lambda one: one.name):
        name = f"{metric.name}_total" if metric.type == "counter" else metric.name
        yield f"| `{name}` | {metric.type} | {metric.documentation} |"
