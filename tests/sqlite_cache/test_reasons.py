"""The races of Django's own file cache that the README names, against the installed Django."""

from __future__ import annotations

import pytest
from django.core.cache.backends.filebased import FileBasedCache

from sqlite_cache import SQLiteCache


class BetweenTwoSteps:
    """Calls `meanwhile` once, after the backend has read and before it writes."""

    meanwhile = None

    def set(self, *args, **options):
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            meanwhile()
        return super().set(*args, **options)


class FileCache(BetweenTwoSteps, FileBasedCache):
    pass


class EmbeddedCache(BetweenTwoSteps, SQLiteCache):
    pass


@pytest.fixture(params=[FileCache, EmbeddedCache])
def two_processes(request, tmp_path):
    kind = request.param
    path = str(tmp_path / "folder" / "file")
    return kind is EmbeddedCache, kind(path, {}), kind(path, {})


def test_two_processes_may_win_the_same_add(two_processes):
    is_ours, one, other = two_processes
    won = []
    one.meanwhile = lambda: won.append(other.add("lock", 1))
    won.append(one.add("lock", 1))
    won.append(other.add("lock", 1))
    assert won.count(True) == (1 if is_ours else 2)


def test_a_count_between_two_steps_of_another_is_lost_and_gets_the_default_lifetime(two_processes):
    is_ours, one, other = two_processes
    one.set("count", 0, 60)
    one.meanwhile = lambda: other.incr("count")
    one.incr("count")
    if one.meanwhile is not None:  # there is no second step
        one.meanwhile()
    assert other.get("count") == (2 if is_ours else 1)
    one.default_timeout = 0
    one.incr("count")
    assert other.get("count") == (3 if is_ours else None)
