"""Processes that share a folder: slots, what stays of a process that died, and what does not."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import pytest
from prometheus_client.multiprocess import MultiProcessCollector

from portal.telemetry.metrics import worker_files
from portal.telemetry.metrics.worker_files import Slot
from tests.support.harness import ROOT
from tests.support.processes import process_group

#: A process that counts, tells that it has, and waits.
WORKER = """
import json, os, sys
from portal.telemetry.metrics import Counters, Gauges, Label, Timings, begin_worker, metrics_text
counters = Counters("portal_done_total", "Done.", labels=[Label(name="kind", says="…", values=["a", "b"])])
gauges = Gauges("portal_doing", "Doing.")
timings = Timings("portal_lasting_seconds", "Lasting.")
begin_worker()
for line in sys.stdin:
    match line.split():
        case ["count", kind]:
            counters.count(kind); gauges.change(1); timings.observe(0.2)
        case ["fork"]:
            child = os.fork()
            if child == 0:
                counters.count("a"); os._exit(0)
            os.waitpid(child, 0)
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


@contextmanager
def worker(folder: Path | None) -> Iterator[Worker]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "packages")}
    environment.pop("PROMETHEUS_MULTIPROC_DIR", None)
    if folder is not None:
        environment["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with process_group([sys.executable, "-c", WORKER], env=environment, **pipes) as process:
        yield Worker(process)


def test_the_counts_of_all_processes_are_added_up(tmp_path: Path) -> None:
    with worker(tmp_path) as one, worker(tmp_path) as other:
        one.told("count a")
        other.told("count a")
        scraped = other.told("count b")
        mine = one.told()
        assert mine.keys() == scraped.keys()
        assert {name for name in mine if mine[name] != scraped[name] and not name.startswith("process_")} == set()
        assert (scraped[A], scraped[B], scraped[DOING], scraped[LASTING], scraped[STARTS]) == (2, 1, 3, 3, 2)


def test_label_values_are_listed_before_they_are_counted(tmp_path: Path) -> None:
    for content in (b"", b"12"):
        # A slot of a process that never served is not measured.
        (tmp_path / f"{7 + len(content)}.slot").write_bytes(content)
    for folder in (tmp_path, None):
        with worker(folder) as one:
            scraped = one.told()
            assert (scraped[A], scraped[B], scraped[DOING], scraped[LASTING]) == (0, 0, 0, 0)
            assert [name for name in scraped if "open_fds" in name] == ['process_open_fds{app="energy",worker="0"}']
            scraped = one.told("count a")
            assert (scraped[A], scraped[DOING], scraped[STARTS]) == (1, 1, 1)
            assert scraped['process_resident_memory_bytes{app="energy",worker="0"}'] > 1_000_000
    for file in tmp_path.glob("*.db"):
        assert file.stat().st_blocks * 512 >= file.stat().st_size, f"{file.name} would grow, on a full disk too"


def test_of_a_process_that_was_killed_the_counts_stay_and_the_state_does_not(tmp_path: Path) -> None:
    with worker(tmp_path) as one:
        one.told("count a")
        with worker(tmp_path) as other:
            other.told("count a")
            one.process.kill()
            one.process.wait()
            scraped = other.told()
    assert (scraped[A], scraped[DOING], scraped[LASTING]) == (2, 1, 2)
    assert 'process_open_fds{app="energy",worker="0"}' not in scraped
    assert 'process_open_fds{app="energy",worker="1"}' in scraped
    slots = sorted(tmp_path.glob("*.slot"))
    with worker(tmp_path) as next_one:
        scraped = next_one.told("count a")
    assert (scraped[A], scraped[DOING], scraped[STARTS]) == (3, 1, 3)
    assert sorted(tmp_path.glob("*.slot")) == slots, "it goes on with the files of one that died"


def test_a_process_that_starts_while_a_scrape_looks_at_a_free_slot_takes_that_slot(tmp_path: Path) -> None:
    with (tmp_path / "0.slot").open("w") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        end = threading.Timer(0.05, fcntl.flock, (looking, fcntl.LOCK_UN))
        end.start()
        assert Slot(tmp_path).number() == 0
        end.join()


def test_a_child_process_has_a_slot_of_its_own_and_counts_from_zero(tmp_path: Path) -> None:
    with worker(tmp_path) as one:
        one.told("count a")
        assert one.told("fork")[A] == 2
        assert one.told("count a")[A] == 3
        assert sorted(file.name for file in tmp_path.glob("counter_*")) == ["counter_0.db", "counter_1.db"]


def test_scrape_during_a_start_reads_whole_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_files, "FILE_BYTES", dict.fromkeys(worker_files.FILE_BYTES, 4096))
    starts = True

    def scrape() -> None:
        while starts:
            list(MultiProcessCollector(None, path=str(tmp_path)).collect())

    with ThreadPoolExecutor(1) as pool:
        scraped = pool.submit(scrape)
        slots = [Slot(tmp_path) for _ in range(200)]
        numbers = [slot.number() for slot in slots]
        starts = False
        scraped.result()
    assert numbers == list(range(200))
