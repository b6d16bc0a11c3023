"""A metric with its labels: zeros from the start, bounded values, durations by upper bounds."""

from enum import Enum

import pytest
from prometheus_client import CollectorRegistry

from portal.telemetry.metrics import OTHER, Counters, Gauges, Label, Timings, all_families, families
from portal.web.metrics import request_counters
from tests.support.counts import counted, is_listed


class Colour(Enum):
    RED = "red"
    DARK_BLUE = "dark blue"


COLOUR = Label(name="colour", says="of these tests", values=list(Colour))
NAME = Label(name="name", says="of these tests")


@pytest.fixture(autouse=True)
def _metrics_of_one_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server has the metrics that its modules declare, and no others."""
    monkeypatch.setattr(families, "METRICS_REGISTRY", CollectorRegistry())
    monkeypatch.setattr(families, "_families", dict(families._families))


def test_known_values_are_listed_with_zero_also_beside_a_new_value_of_another_label() -> None:
    counters = Counters("portal_of_test_total", "…", labels=[NAME, COLOUR])
    assert not is_listed("portal_of_test_total", name="a", colour="red")
    counters.add(2, "a", Colour.DARK_BLUE)
    counters.count("a", Colour.DARK_BLUE)
    assert is_listed("portal_of_test_total", name="a", colour="red")
    assert counted("portal_of_test_total", name="a", colour="dark blue") == 3
    with pytest.raises(KeyError):
        counters.count("a", "green")
    Counters("portal_of_test_known_total", "…", labels=[COLOUR])
    assert is_listed("portal_of_test_known_total", colour="dark blue")
    gauges = Gauges("portal_of_test_state", "…", labels=[NAME])
    gauges.set(3, "a")
    gauges.change(-1, "a")
    assert counted("portal_of_test_state", name="a") == 2


def test_values_beyond_the_limit_are_counted_together() -> None:
    counters = Counters("portal_of_test_limit_total", "…", labels=[NAME, COLOUR], limit=2)
    for name in ("a", "b", "c", "d", "a"):
        counters.count(name, Colour.RED)
    numbers = {name: counted("portal_of_test_limit_total", name=name, colour="red") for name in ("a", "b", OTHER)}
    assert numbers == {"a": 2, "b": 1, OTHER: 2}
    assert not is_listed("portal_of_test_limit_total", name="c", colour="red")


def test_a_duration_is_counted_by_upper_bounds() -> None:
    timings = Timings("portal_of_test_seconds", "…", buckets=(0.1, 1.0))
    for seconds in (0.05, 0.1, 0.5, 7):
        timings.observe(seconds)
    bounds = {bound: counted("portal_of_test_seconds_bucket", le=bound) for bound in ("0.1", "1.0", "+Inf")}
    assert bounds == {"0.1": 2, "1.0": 3, "+Inf": 4}
    assert counted("portal_of_test_seconds_sum") == pytest.approx(7.65)


def test_each_metric_is_known_by_its_name() -> None:
    assert request_counters in all_families()
    names = [family.name for family in all_families()]
    assert names == sorted(set(names))
