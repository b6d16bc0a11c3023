"""The counts of several workers are one sum, whichever of them is asked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from portal.api.metrics import RefreshOutcome, refresh_counters
from portal.process.circuit_breaker import call_circuits
from portal.web.metrics import worker_counts
from portal.web.metrics.families import Family
from portal.web.metrics.worker_counts import WorkerCounts, server_families

JOINED = {"outcome": RefreshOutcome.JOINED.value}


def family(name: str, *values: tuple[dict[str, str], float], kind: str = "counter") -> Family:
    return Family(name=name, kind=kind, says="…", values=values)


def value(folder: Path | None, name: str, labels: dict[str, str]) -> float | None:
    (found,) = [family for family in server_families(folder) if family.name == name]
    return next((value for each, value in found.values if each == labels), None)


def joined(folder: Path | None) -> float:
    counted = value(folder, "portal_refresh_total", JOINED)
    assert counted is not None
    return counted


@pytest.fixture
def gone() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def of_process(counts: WorkerCounts, pid: int) -> None:
    """Make it the file of that process."""
    counts.file.rename(counts.file.with_name(f"{pid}-{counts.file.name.partition('-')[2]}"))


def test_the_counts_of_all_workers_are_added_up(tmp_path: Path) -> None:
    alone = joined(None)
    for number in (3, 4):
        WorkerCounts(tmp_path).publish([family("portal_refresh_total", (JOINED, number))])
    assert joined(tmp_path) == alone + 7
    refresh_counters.count(RefreshOutcome.JOINED)
    assert joined(tmp_path) == alone + 8, "its own are as they are now"


def test_what_only_another_worker_has_counted_is_there(tmp_path: Path) -> None:
    # No test of this process makes such a call: what others have counted here may not come into the sum.
    labels = {"to": "a backend of another worker", "outcome": "2xx"}
    WorkerCounts(tmp_path).publish([family("portal_calls_total", (labels, 5))])
    assert value(None, "portal_calls_total", labels) is None
    assert value(tmp_path, "portal_calls_total", labels) == 5


def test_the_own_file_is_not_counted_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refresh_counters.count(RefreshOutcome.JOINED)
    monkeypatch.setattr(worker_counts._Own, "counts", WorkerCounts(tmp_path))
    worker_counts._Own.counts.publish(list(server_families(None)))
    assert joined(tmp_path) == joined(None)


def test_of_a_worker_that_died_the_counts_stay_and_the_state_does_not(tmp_path: Path, gone: int) -> None:
    call_circuits.of("backend")
    circuit, opened = {"circuit": "backend"}, "portal_circuit_opened_total"
    for pid in (gone, os.getppid()):
        worker = WorkerCounts(tmp_path)
        worker.publish([family(opened, (circuit, 2)), family("portal_circuit_open", (circuit, 1), kind="gauge")])
        of_process(worker, pid)
    assert value(tmp_path, opened, circuit) == 4
    assert value(tmp_path, "portal_circuit_open", circuit) == 1


def test_a_process_of_another_user_is_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The id of a worker that has died is given to another process in time."""
    call_circuits.of("backend")
    WorkerCounts(tmp_path).publish([family("portal_circuit_open", ({"circuit": "backend"}, 1), kind="gauge")])

    def refuse(_pid: int, _signal: int) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "kill", refuse)
    assert value(tmp_path, "portal_circuit_open", {"circuit": "backend"}) == 0


def test_the_size_of_a_store_is_not_added_up(tmp_path: Path) -> None:
    store = {"store": "default"}
    WorkerCounts(tmp_path).publish([family("portal_store_limit_bytes", (store, 5), kind="gauge")])
    limit = "portal_store_limit_bytes"
    assert value(tmp_path, limit, store) == value(None, limit, store)


def test_a_file_is_written_only_when_a_count_has_changed(tmp_path: Path) -> None:
    worker = WorkerCounts(tmp_path)
    worker.publish([family("a", ({}, 1))])
    worker.file.unlink()
    worker.publish([family("a", ({}, 1))])
    assert list(tmp_path.iterdir()) == []
    worker.publish([family("a", ({}, 2))])
    assert json.loads(worker.file.read_text()) == {"a": [[{}, 2]]}


def test_a_folder_that_is_gone_ends_the_publishing_with_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    WorkerCounts(tmp_path / "gone").publish_for_ever()
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "the counts of this worker are missing on /metrics of others"
    ]


def test_a_full_disk_is_one_line_and_the_publishing_goes_on(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = WorkerCounts(tmp_path)
    looks = iter((OSError(28, "No space left on device"), OSError(28, "No space left on device"), None))

    def publish(_families: object) -> None:
        if (fault := next(looks)) is not None:
            raise fault

    monkeypatch.setattr(worker, "publish", publish)
    monkeypatch.setattr(worker_counts, "PUBLISH_EVERY_S", 0)
    with pytest.raises(StopIteration):
        worker.publish_for_ever()
    assert len(caplog.records) == 1


@pytest.mark.parametrize(("name", "content"), [("notes.json", b"{}"), ("1-a.json", b""), ("1-a.json", b"\xff{")])
def test_what_is_no_file_of_a_worker_is_left_out(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert joined(tmp_path) == joined(None)


def test_a_file_that_vanishes_while_it_is_read_is_left_out(tmp_path: Path) -> None:
    (tmp_path / f"{os.getpid()}-gone.json").symlink_to(tmp_path / "gone")
    assert joined(tmp_path) == joined(None)
