"""The query storm in its short form: real processes and threads on real stores, keys evicted at random.

A storm costs seconds for its processes to start: `make test` has one. The long form is `make storm-query`.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.harness.stores import embedded, on_cluster, on_redis
from benchmarks.query.storm_query import run_storm
from benchmarks.query.storm_thread import Report
from tests.support.redis_cluster import clustered_redis
from tests.support.redis_server import running_redis

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def check(cache_in: Callable[[Path], dict[str, Any]], folder: Path) -> None:
    """Storms, each on an empty store, until there was enough to see: a busy machine reads little in one."""
    total = Report()
    for number in range(20):
        place = folder / f"rows{number}"
        place.mkdir()
        total.add(asdict(run_storm(cache=cache_in(place), folder=place, seconds=1)))
        if total.reads > 20 and total.writes > 10 and total.patched > 0:
            break
    assert total.reads > 20
    assert total.writes > 10
    assert total.patched > 0
    assert total.missed == 0, total.examples


@pytest.mark.whole
def test_two_users_see_no_row_older_again(tmp_path: Path) -> None:
    report = run_storm(cache=embedded(tmp_path), folder=tmp_path, seconds=1, users=2, evict=False)
    assert report.reads > 0
    assert (report.missed, report.older, report.foreign) == (0, 0, 0), report.examples


def test_reads_miss_no_write_on_the_embedded_store(tmp_path: Path) -> None:
    check(embedded, tmp_path)


@pytest.mark.whole
@pytest.mark.redis
@pytest.mark.parametrize(("running", "cache_on"), [(running_redis, on_redis), (clustered_redis, on_cluster)])
def test_reads_miss_no_write_on_redis_or_cluster(tmp_path: Path, running: Any, cache_on: Any) -> None:
    with running(tmp_path) as servers:
        check(lambda place: {**cache_on(servers), "KEY_PREFIX": place.name}, tmp_path)


@pytest.mark.whole
def test_the_checker_can_fail(tmp_path: Path) -> None:
    """The naive design, without any eviction: read the cached list, change it, write it back."""

    def missed(folder: Path) -> int:
        folder.mkdir()
        return run_storm(cache=embedded(folder), folder=folder, seconds=1, design="naive", evict=False).missed

    # On a busy machine, no two writes may meet in one short storm.
    assert any(missed(tmp_path / str(number)) for number in range(20))
