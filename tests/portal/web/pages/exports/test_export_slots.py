"""How many files are written at the same time: for one user, and in one process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from portal.config.limits import EXPORTS_PER_PROCESS, EXPORTS_PER_USER
from portal.web.pages.exports import export_slots
from portal.web.pages.exports.export_slots import RUNNING, ExportSlot, Refusal, take_slot
from tests.portal.query.fakes import FakeStore


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> FakeStore:
    made = FakeStore()
    monkeypatch.setattr(export_slots, "query_store", lambda: made)
    return made


@pytest.fixture(autouse=True)
def _no_other_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = RUNNING.count
    yield
    assert RUNNING.count == before, "a test kept a slot"


def taken(user: str) -> ExportSlot:
    slot = take_slot(user)
    assert isinstance(slot, ExportSlot)
    return slot


@pytest.fixture
def many_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_slots, "EXPORTS_PER_PROCESS", 99)


@pytest.mark.usefixtures("many_for_the_process")
def test_a_user_has_so_many_and_another_user_has_their_own(store: FakeStore) -> None:
    slots = [taken("ada") for _ in range(EXPORTS_PER_USER)]
    assert take_slot("ada") is Refusal.OWN
    slots.append(taken("ben"))
    slots[0].release()
    slots.append(taken("ada"))
    for slot in slots:
        slot.release()
    assert store.values == {}


def test_a_process_has_so_many(store: FakeStore) -> None:
    slots = [taken(f"user {number}") for number in range(EXPORTS_PER_PROCESS)]
    assert take_slot("one more") is Refusal.PROCESS
    for slot in slots:
        slot.release()
    taken("one more").release()


def test_a_slot_is_released_once(store: FakeStore) -> None:
    other, slot = taken("ada"), taken("ada")
    slot.release()
    slot.release()
    assert RUNNING.count == 1
    other.release()


def test_a_user_with_too_many_takes_nothing_from_the_process(store: FakeStore) -> None:
    slots = [taken("ada") for _ in range(EXPORTS_PER_USER)]
    for _ in range(9):
        assert take_slot("ada") is Refusal.OWN
    assert RUNNING.count == EXPORTS_PER_USER
    for slot in slots:
        slot.release()


def test_without_the_store_the_limit_of_the_process_remains(store: FakeStore) -> None:
    store.down = True
    slots = [taken("ada") for _ in range(EXPORTS_PER_PROCESS)]
    assert take_slot("ada") is Refusal.PROCESS
    for slot in slots:
        slot.renew()
        slot.release()


def test_a_store_that_fails_in_the_middle_does_not_keep_the_slot(store: FakeStore) -> None:
    slot = taken("ada")
    store.down = True
    slot.renew()
    slot.release()


def test_a_lease_ends_by_itself(store: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    lifetimes: list[Any] = []
    add = store.add
    monkeypatch.setattr(
        store, "add", lambda key, value, *, lifetime_s: lifetimes.append(lifetime_s) or add(key, value, lifetime_s=1)
    )
    taken("ada").release()
    assert lifetimes == [export_slots.EXPORT_LEASE_S]
