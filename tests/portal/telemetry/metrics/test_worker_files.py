"""Workers that share a folder: one sum, what stays of a worker that died, and what does not."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import pytest
from prometheus_client.multiprocess import MultiProcessCollector

from portal_server import static_files
from portal_server.static_files import METRIC_FILE_BYTES, reserve_metric_files
from tests.support.harness import ROOT
from tests.support.processes import process_group

#: A worker that counts, tells that it has, and waits. Before it begins, it has counted already.
WORKER = """
import json, os, sys
from portal.telemetry.metrics import Counters, Gauges, Label, Timings, begin_worker, metrics_text
counters = Counters("portal_done_total", "Done.", labels=[Label(name="kind", says="…", values=["a", "b"])])
gauges = Gauges("portal_doing", "Doing.")
timings = Timings("portal_lasting_seconds", "Lasting.")
gauges.set(7)
begin_worker(number=int(sys.argv[1]))
for line in sys.stdin:
    match line.split():
        case ["count", kind]:
            counters.count(kind); gauges.change(1); timings.observe(0.2)
    lines = metrics_text(app="energy").decode().splitlines()
    print(json.dumps(dict(line.rsplit(" ", 1) for line in lines if line[0] != "#")), flush=True)
"""
A = 'portal_done_total{app="energy",kind="a"}'
B = 'portal_done_total{app="energy",kind="b"}'
DOING = 'portal_doing{app="energy"}'
LASTING = 'portal_lasting_seconds_count{app="energy"}'
STARTS = 'portal_worker_starts_total{app="energy",instead_of="none"}'


@dataclass
class Worker:
    process: subprocess.Popen[str]

    def told(self, line: str = "") -> dict[str, float]:
        """Have it do something, and scrape it."""
        print(line, file=self.process.stdin, flush=True)
        return {
            name: float(value) for name, value in json.loads(cast("IO[str]", self.process.stdout).readline()).items()
        }


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the folder that the workers share."""
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "metrics"))
    return tmp_path / "metrics"


@contextmanager
def worker(number: int) -> Iterator[Worker]:
    """Start a worker as its parent does."""
    reserve_metric_files(number)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packages")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with process_group([sys.executable, "-c", WORKER, str(number)], env=environment, **pipes) as process:
        yield Worker(process)


def test_counts_of_all_workers_are_added() -> None:
    with worker(0) as one, worker(1) as other:
        one.told("count a")
        other.told("count a")
        scraped = other.told("count b")
        mine = one.told()
        assert mine.keys() == scraped.keys()
        assert {name for name in mine if mine[name] != scraped[name] and not name.startswith("process_")} == set()
        assert (scraped[A], scraped[B], scraped[DOING], scraped[LASTING], scraped[STARTS]) == (2, 1, 3, 3, 2)


@pytest.mark.parametrize("shares", [True, False])
def test_label_values_are_listed_before_they_are_counted(
    shares: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shares:
        monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR")
    with worker(0) as one:
        scraped = one.told()
        assert (scraped[A], scraped[B], scraped[DOING], scraped[LASTING]) == (0, 0, 0 if shares else 7, 0)
        assert [name for name in scraped if "open_fds" in name] == ['process_open_fds{app="energy",worker="0"}']
        scraped = one.told("count a")
        assert (scraped[A], scraped[STARTS]) == (1, 1)
        assert scraped['process_resident_memory_bytes{app="energy",worker="0"}'] > 1_000_000
    for file in folder.glob("*_0.db"):
        assert file.stat().st_blocks * 512 >= file.stat().st_size, f"{file.name} would grow, on a full disk too"


def test_replacement_keeps_counts_and_forgets_state(folder: Path) -> None:
    with worker(1) as other:
        # It has begun when it answers.
        other.told()
        with worker(0) as one:
            one.told("count a")
            one.process.kill()
            one.process.wait()
        files = sorted(folder.iterdir())
        with worker(0) as replacement:
            scraped = replacement.told("count a")
            assert (scraped[A], scraped[DOING], scraped[LASTING], scraped[STARTS]) == (2, 1, 2, 3)
            assert other.told()[DOING] == 1
        assert sorted(folder.iterdir()) == files, "it goes on with the files of the one that died"


def test_scrape_during_a_start_reads_whole_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_files, "METRIC_FILE_BYTES", dict.fromkeys(METRIC_FILE_BYTES, 4096))
    folder.mkdir()
    starts = True

    def scrape() -> None:
        while starts:
            list(MultiProcessCollector(None, path=str(folder)).collect())

    with ThreadPoolExecutor(1) as pool:
        scraped = pool.submit(scrape)
        for number in range(200):
            reserve_metric_files(number)
        starts = False
        scraped.result()
