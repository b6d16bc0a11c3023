"""How many files are written at the same time: for one user, and in one process."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from portal.config.limits import EXPORTS_PER_PROCESS, EXPORTS_PER_USER
from portal.errors import SlotLostError
from portal.store import MISSING, SharedStore
from portal_pages.exports import export_slots
from portal_pages.exports.export_slots import RUNNING, ExportSlot, Refusal, take_slot
from tests.portal.query.fakes import FakeStore
from tests.support.given_store import StoreOn


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


def test_a_user_has_so_many_and_another_user_has_their_own(store: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_slots, "EXPORTS_PER_PROCESS", 99)
    slots = [taken("ada") for _ in range(EXPORTS_PER_USER)]
    for _ in range(9):
        assert take_slot("ada") is Refusal.OWN
    assert RUNNING.count == EXPORTS_PER_USER, "a refusal takes nothing from the process"
    slots.append(taken("ben"))
    for _ in range(2):
        slots[0].release()
    assert RUNNING.count == EXPORTS_PER_USER, "a slot is released once"
    slots.append(taken("ada"))
    for slot in slots:
        slot.release()
    assert store.values == {}


@pytest.mark.parametrize("is_down", [False, True])
def test_a_process_has_so_many_also_without_the_store(store: FakeStore, is_down: bool) -> None:
    store.down = is_down
    slots = [taken("ada" if is_down else f"user {number}") for number in range(EXPORTS_PER_PROCESS)]
    assert take_slot("one more") is Refusal.PROCESS
    store.down = True  # a store that fails in the middle keeps no slot
    for slot in slots:
        slot.renew()
        slot.release()
    taken("one more").release()


# --- leases in a real store ---


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def real_store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SharedStore:
    made = StoreOn(request.getfixturevalue(f"make_{request.param}")())
    monkeypatch.setattr(export_slots, "query_store", lambda: made)
    monkeypatch.setattr(export_slots, "EXPORTS_PER_PROCESS", 99)
    return made


@pytest.fixture
def one_each(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export_slots, "EXPORTS_PER_USER", 1)


def ends(store: SharedStore, user: str) -> None:
    """The leases of a user end."""
    for number in range(EXPORTS_PER_USER):
        store.delete(f"export:{user}:{number}")


@pytest.mark.usefixtures("one_each")
def test_a_file_whose_lease_has_ended_goes_on_unless_another_one_has_its_slot(real_store: SharedStore) -> None:
    first = taken("ada")
    ends(real_store, "ada")
    first.renew()
    assert take_slot("ada") is Refusal.OWN
    ends(real_store, "ada")
    second = taken("ada")
    with pytest.raises(SlotLostError):
        first.renew()
    first.release()
    second.renew()
    assert take_slot("ada") is Refusal.OWN, "the other one keeps its slot"
    second.release()
    taken("ada").release()


@pytest.mark.usefixtures("one_each")
def test_lease_outlives_the_look_at_its_owner(real_store: SharedStore, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as short:
        short.setattr(export_slots, "EXPORT_LEASE_S", 1)
        slot = taken("ada")
    delete, meanwhile = real_store.delete, []

    def late(key: str) -> bool:
        threading.Event().wait(1.1)
        meanwhile.append(take_slot("ada"))
        return delete(key)

    monkeypatch.setattr(real_store, "delete", late)
    slot.release()
    assert meanwhile == [Refusal.OWN]
    assert real_store.get("export:ada:0") is MISSING
