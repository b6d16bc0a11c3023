"""The query storm in its short form: real processes and threads on real stores, keys evicted at random.

The long form is `make storm-query`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks._stores import embedded, on_redis
from benchmarks.storm_query import run_storm
from tests.support.redis_server import running_redis

if TYPE_CHECKING:
    from pathlib import Path


def test_no_read_misses_a_completed_write_on_the_embedded_store(tmp_path: Path) -> None:
    report = run_storm(cache=embedded(tmp_path), folder=tmp_path, seconds=2)
    assert report.reads > 50
    assert report.writes > 20
    assert report.patched > 0
    assert report.missed == 0, report.examples


@pytest.mark.redis
def test_nor_on_redis(tmp_path: Path) -> None:
    with running_redis(tmp_path) as redis:
        report = run_storm(cache=on_redis(redis), folder=tmp_path, seconds=2)
    assert report.reads > 50
    assert report.writes > 20
    assert report.patched > 0
    assert report.missed == 0, report.examples


def test_the_checker_can_fail(tmp_path: Path) -> None:
    """The naive design, without any eviction: read the cached list, change it, write it back."""

    def missed(folder: Path) -> int:
        folder.mkdir()
        return run_storm(cache=embedded(folder), folder=folder, seconds=1.5, design="naive", evict=False).missed

    # On a busy machine, no two writes may meet in one short storm.
    assert any(missed(tmp_path / str(number)) for number in range(20))
