"""What was counted: by the portal's metrics in this process, and by an object of a test's own."""

from collections import Counter

from portal.api.metrics import RefreshOutcome
from portal.telemetry.metrics import families


def counted(name: str, /, **labels: str) -> float:
    """The number of one metric in this process, 0 where it is not listed.

    :param name: as it is written for Prometheus: of a histogram with `_count`, `_sum` or `_bucket`.
    """
    return families.METRICS_REGISTRY.get_sample_value(name, labels) or 0.0


def is_listed(name: str, /, **labels: str) -> bool:
    """Whether a scrape has the number, be it 0."""
    return families.METRICS_REGISTRY.get_sample_value(name, labels) is not None


class RefreshCounts(Counter[RefreshOutcome]):
    """The outcomes of one world's refreshes."""

    def count(self, outcome: RefreshOutcome, /) -> None:
        self[outcome] += 1
