"""Limits on the files that are written at the same time: for one user, and in one process."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import pytest

from portal.config.limits import EXPORTS_PER_PROCESS, EXPORTS_PER_USER
from portal_pages.exports import export_slots
from portal_pages.exports.export_slots import RUNNING, ExportSlot, Refusal, take_slot


class Slow(set[ExportSlot]):
    """Files whose number another thread may read before one more is added."""

    def add(self, slot: ExportSlot) -> None:
        sleep(0.01)
        super().add(slot)


@pytest.fixture(autouse=True)
def _no_file_is_left() -> Iterator[None]:
    yield
    assert not RUNNING, "a test kept a slot"


def taken(user: str) -> ExportSlot:
    slot = take_slot(user)
    assert isinstance(slot, ExportSlot)
    return slot


def test_users_are_limited_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_slots, "EXPORTS_PER_PROCESS", 99)
    slots = [taken("ada") for _ in range(EXPORTS_PER_USER)]
    assert take_slot("ada") is Refusal.OWN
    assert len(RUNNING) == EXPORTS_PER_USER, "a refusal takes nothing from the process"
    slots.append(taken("ben"))
    for _ in range(2):
        slots[0].release()
    assert len(RUNNING) == EXPORTS_PER_USER, "a slot is released once"
    slots.append(taken("ada"))
    for slot in slots:
        slot.release()


def test_process_has_its_own_limit() -> None:
    slots = [taken(f"user {number}") for number in range(EXPORTS_PER_PROCESS)]
    assert take_slot("one more") is Refusal.PROCESS
    for slot in slots:
        slot.release()
    taken("one more").release()


def test_parallel_threads_pass_no_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_slots, "RUNNING", Slow())
    threads, together = 16, Barrier(16)

    def take(_number: int) -> ExportSlot | Refusal:
        together.wait()
        return take_slot("ada")

    with ThreadPoolExecutor(threads) as pool:
        for _ in range(5):
            slots = [slot for slot in pool.map(take, range(threads)) if isinstance(slot, ExportSlot)]
            assert len(slots) == EXPORTS_PER_USER
            for slot in slots:
                slot.release()


def test_forked_process_has_no_files() -> None:
    slot = taken("ada")
    child = os.fork()
    if not child:
        os._exit(len(RUNNING))
    assert os.waitpid(child, 0)[1] == 0
    slot.release()
