"""A metric with its labels: what a package declares once, and counts with.

Each set of label values has a number of its own. It is looked up in a dict: the library's own look-up takes longer than
the count itself.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from typing import Any, ClassVar, Final, Generic, Literal, TypeAlias, TypeVar

import prometheus_client
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric

from fork_safety import ForkSafeLock

TNumber = TypeVar("TNumber", prometheus_client.Counter, prometheus_client.Gauge, prometheus_client.Histogram)
Value: TypeAlias = "str | int | Enum"

#: The value of a label that has as many values as it may have.
OTHER: Final = "other"
#: Upper bounds for what a request or a call takes, in seconds: from a cached page to the longest time limit.
REQUEST_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
#: The same for one operation of a store, whose limit is a second or two.
OPERATION_BUCKETS_S: Final = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5)

#: What counts of this process are read from.
METRICS_REGISTRY: Final = CollectorRegistry()
# The moment at which a number was made is of no use, and costs a line for each.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no types here


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label, and its values.

    :param says: what the value is.
    :param values: all its values, each of which is listed from the start, with 0; empty where they come with what is
        counted.
    """

    name: str
    says: str
    values: Sequence[str | Enum] = ()


class Family:
    """A metric with its labels.

    :param name: of a counter, it ends with `_total`.
    :param says: what one reads from it, one sentence.
    """

    kind: Literal["counter", "gauge", "histogram"]

    def __init__(self, name: str, says: str, *, labels: Sequence[Label] = ()) -> None:
        self.name = name
        self.says = says
        self.labels = labels
        _families[name] = self


_families: Final[dict[str, Family]] = {}


def all_families() -> list[Family]:
    """All metrics that the imported modules declare, by name."""
    return [_families[name] for name in sorted(_families)]


class _Numbers(Family, Generic[TNumber]):
    """One number for each set of label values. Safe for threads.

    :param limit: sets of those label values that are not known from the start. Beyond it their value is `other`.
    :param options: of the library's own class.
    :cvar make: that class.
    """

    make: ClassVar[type[Any]]

    def __init__(self, name: str, says: str, *, labels: Sequence[Label] = (), limit: int = 100, **options: Any) -> None:
        super().__init__(name, says, labels=labels)
        names = [label.name for label in labels]
        self._metric: TNumber = self.make(name, says, names, registry=METRICS_REGISTRY, **options)
        self._limit = limit
        self._numbers: dict[tuple[Value, ...], TNumber] = {}
        self._lock = ForkSafeLock()
        #: The positions of the labels whose values come with what is counted.
        self._open = [position for position, label in enumerate(labels) if not label.values]
        self._seen: set[tuple[Value, ...]] = set()
        if not self._open:
            self._list(())

    def _number(self, values: tuple[Value, ...]) -> TNumber:
        """The number of a set of values that is not listed yet.

        :raises KeyError: a value that its label does not have.
        """
        with self._lock:
            given = tuple(values[position] for position in self._open)
            if given not in self._seen and len(self._seen) >= self._limit:
                given = (OTHER,) * len(given)
            if given not in self._seen:
                self._seen.add(given)
                self._list(given)
            rest = iter(given)
            pairs = zip(values, self.labels, strict=True)
            return self._numbers[tuple(value if label.values else next(rest) for value, label in pairs)]

    def _list(self, given: tuple[Value, ...]) -> None:
        """List all values of the other labels beside these."""
        rest = iter(given)
        for values in product(*(label.values or (next(rest),) for label in self.labels)):
            texts = [value.value if isinstance(value, Enum) else value for value in values]
            self._numbers[values] = self._metric.labels(*texts) if texts else self._metric


class Counters(_Numbers[prometheus_client.Counter]):
    """Counts that only grow."""

    kind = "counter"
    make = prometheus_client.Counter

    def count(self, *values: Value) -> None:
        """Add one."""
        (self._numbers.get(values) or self._number(values)).inc()

    def add(self, amount: int, *values: Value) -> None:
        """Add some."""
        (self._numbers.get(values) or self._number(values)).inc(amount)


class Gauges(_Numbers[prometheus_client.Gauge]):
    """A present state of each worker. A server's is the sum over the workers that live."""

    kind = "gauge"
    make = prometheus_client.Gauge

    def __init__(self, name: str, says: str, *, labels: Sequence[Label] = (), limit: int = 100) -> None:
        super().__init__(name, says, labels=labels, limit=limit, multiprocess_mode="livesum")

    def set(self, state: float, *values: Value) -> None:
        """Set this worker's state."""
        (self._numbers.get(values) or self._number(values)).set(state)

    def change(self, by: float, *values: Value) -> None:
        """Raise or lower this worker's state."""
        (self._numbers.get(values) or self._number(values)).inc(by)


class Timings(_Numbers[prometheus_client.Histogram]):
    """Durations, in seconds, counted by upper bounds.

    :param buckets: the bounds, ascending.
    """

    kind = "histogram"
    make = prometheus_client.Histogram

    def __init__(
        self, name: str, says: str, *, labels: Sequence[Label] = (), buckets: Sequence[float] = REQUEST_BUCKETS_S
    ) -> None:
        super().__init__(name, says, labels=labels, buckets=buckets)

    def observe(self, seconds: float, *values: Value) -> None:
        """Count one duration."""
        (self._numbers.get(values) or self._number(values)).observe(seconds)


class Readings(Family):
    """A state that all workers of a server share. The worker that Prometheus asks reads it at that moment.

    :param read: gives label values and the state of each.
    """

    kind = "gauge"

    def __init__(
        self,
        name: str,
        says: str,
        *,
        labels: Sequence[Label] = (),
        read: Callable[[], Iterable[tuple[Sequence[str], float]]],
    ) -> None:
        super().__init__(name, says, labels=labels)
        self._read = read

    def metric(self) -> Metric:
        """The states of now."""
        metric = GaugeMetricFamily(self.name, self.says, labels=[label.name for label in self.labels])
        for values, state in self._read():
            metric.add_metric(list(values), state)
        return metric
