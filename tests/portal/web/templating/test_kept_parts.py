"""What a process has rendered is kept for a while, within bounds, and for who asks for the very same."""

import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from django.utils import translation

from portal.web.templating import kept_parts
from portal.web.templating.kept_parts import KEY_CHARS, PartCache
from tests.support.fake_clock import FakeClock
from tests.support.forks import at_once

A_PART = 1_000
#: Room for three parts.
ROOM = 3 * (A_PART + KEY_CHARS)


class Maker:
    """Makes a part that names how many were made before it."""

    made, chars = 0, A_PART

    def __call__(self) -> tuple[str, ...]:
        self.made += 1
        return (str(self.made - 1).ljust(self.chars),)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> FakeClock:
    """Stands for the module `time`, at the begin of a quarter."""
    clock = FakeClock()
    monkeypatch.setattr(kept_parts, "time", SimpleNamespace(time=clock))
    return clock


@pytest.fixture
def cache(clock: FakeClock) -> PartCache:
    return PartCache(most_chars=ROOM)


@pytest.fixture
def make() -> Maker:
    return Maker()


def made_again(cache: PartCache, *names: str) -> list[str]:
    """Those of the parts that are not there any more. Looks at none of the others."""
    again: list[str] = []
    for name in names:
        make = Maker()
        cache.kept(make, key=(name,))
        again += [name] * make.made
    return again


def test_a_part_is_made_once_for_one_key(cache: PartCache, make: Maker) -> None:
    first, again, other = (cache.kept(make, key=key) for key in (("a", 1), ("a", 1), ("a", 2)))
    assert (first is again, first == other, make.made) == (True, False, 2)
    assert cache.kept(make, key=None) != cache.kept(make, key=None)


def test_each_language_has_a_part_of_its_own(cache: PartCache, make: Maker) -> None:
    for language in ("en", "de", "tr", "de", "en", "tr"):
        with translation.override(language):
            cache.kept(make, key=("a",))
    assert make.made == 3


def test_it_is_kept_until_the_quarter_ends(cache: PartCache, make: Maker, clock: FakeClock) -> None:
    for _ in range(2):
        cache.kept(make, key=("a",))
        clock.now += 15 * 60 - 1
        cache.kept(make, key=("a",))
        clock.now += 1
    assert make.made == 2


def test_what_was_looked_at_last_stays_and_what_was_not_for_longest_goes(cache: PartCache) -> None:
    assert made_again(cache, "a", "b", "c") == ["a", "b", "c"]
    assert made_again(cache, "a", "c") == []
    assert made_again(cache, "d", "a", "c", "d") == ["d"]
    assert made_again(cache, "b") == ["b"]


def test_a_part_with_no_room_is_not_kept_and_pushes_nothing_out(cache: PartCache, make: Maker) -> None:
    make.chars = ROOM
    made_again(cache, "a", "b", "c")
    assert cache.kept(make, key=("large",)) != cache.kept(make, key=("large",))
    assert made_again(cache, "a", "b", "c") == []


def test_small_parts_count_with_what_names_them(cache: PartCache) -> None:
    """Else a thousand empty lists, each with its long address, would have room where there is one page."""
    for number in range(100):
        cache.kept(tuple, key=("x" * 500, number))
    assert len(cache._parts) <= ROOM // KEY_CHARS


def test_what_nobody_can_ask_for_any_more_is_let_go(cache: PartCache, clock: FakeClock) -> None:
    """A user's data stays in memory no longer than in the store, where others are at work."""
    made_again(cache, "a", "b")
    clock.now += 15 * 60
    made_again(cache, "c")
    assert len(cache._parts) == 1


def test_what_can_not_be_made_is_not_kept(cache: PartCache, make: Maker) -> None:
    def fail() -> tuple[str, ...]:
        raise LookupError

    with pytest.raises(LookupError):
        cache.kept(fail, key=("a",))
    assert cache.kept(make, key=("a",)) == cache.kept(make, key=("a",))


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Threads take turns within nearly each step."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("many_switches")
def test_threads_get_what_they_ask_for_and_the_bounds_hold(cache: PartCache) -> None:
    def work(_: int) -> bool:
        parts = [cache.kept(lambda name=name: (name * A_PART,), key=(name,)) for name in "abcdefg" * 70]  # type: ignore[misc]  as above
        return parts == [(name * A_PART,) for name in "abcdefg" * 70]

    assert (at_once(4, work), len(cache._parts)) == ([True] * 4, 3)
