"""A request that waits for a server leaves its place, and takes it again."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from portal.errors import CircuitOpenError
from portal.process.waits import set_place, waits_for


class Noted:
    """A place that notes what is done with it."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.is_full = False

    def leave(self, endpoint: str) -> float | None:
        self.done.append(f"left for {endpoint}")
        return None if self.is_full else 5.0

    def take_again(self, endpoint: str, left_at: float) -> None:
        assert left_at == 5.0
        self.done.append(f"back from {endpoint}")


@pytest.fixture
def place() -> Iterator[Noted]:
    made = Noted()
    set_place(made)
    yield made
    set_place(None)


def test_a_place_is_left_once_however_much_waits_within_and_taken_again_after_an_error(place: Noted) -> None:
    for _ in range(2):
        with pytest.raises(KeyError), waits_for("clients"), waits_for("refresh"):
            raise KeyError
    assert place.done == ["left for clients", "back from clients"] * 2


def test_a_place_that_may_not_be_left_is_kept(place: Noted) -> None:
    place.is_full = True
    with pytest.raises(CircuitOpenError) as caught, waits_for("clients"):
        pytest.fail("it does not wait")
    assert (caught.value.was_sent, place.done) == (False, ["left for clients"])


def test_another_thread_has_no_place_of_this_one(place: Noted) -> None:
    def wait() -> None:
        with waits_for("clients"):
            pass

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert place.done == []
