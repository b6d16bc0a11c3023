"""How much of the store one user's variants take, and what a store that is full makes of cached reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from portal.api.metrics import RefreshOutcome
from portal.config.limits import MAX_PAGES
from portal.query.cache.page_keys import MAX_VARIANT_PAGES
from portal.store import SharedStore
from sqlite_cache import close_idle_connections
from tests.portal.query.clients import clients, delete, listed
from tests.portal.query.world import User
from tests.support.redis_server import running_redis
from tests.support.refresh_world import RefreshWorld

#: Rows of about 8 KB for each page, as real lists have them.
NOTES = "x" * 4000
OPTIONS = {"serializer": "sqlite_cache.JSONSerializer", "socket_timeout": 5}


@contextmanager
def on_redis(ada: User, url: str) -> Iterator[User]:
    entry = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url, "OPTIONS": OPTIONS}
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        ada.world.store = SharedStore(alias="default")
        yield ada.elsewhere()


def search(user: User, word: str, **options: Any) -> list[str]:
    return listed(user, {"q": word}, **options)


def places_taken(user: User, words: list[str]) -> dict[str, str]:
    """In the store, the key of what each search left."""
    taken: dict[str, str] = {}
    for word in words:
        before = dict(user.store.values)
        search(user, word)
        [taken[word]] = [
            key for key, value in user.store.values.items() if ":variant:" in key and before.get(key) != value
        ]
    return taken


def test_searches_without_end_take_a_bounded_part_of_the_store_and_never_push_the_whole_list_out(
    ada: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept: set[str] = set()
    keep = SharedStore.update

    def watched(self: SharedStore, key: str, change: Any, **when: float) -> None:
        kept.add(key)
        keep(self, key, change, **when)

    monkeypatch.setattr(SharedStore, "update", watched)
    entry = {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "store" / "c.sqlite3")}
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        ada.world.store = SharedStore(alias="default")
        user = ada.elsewhere()
        listed(user, pages=2)
        for number in range(2 * MAX_VARIANT_PAGES):
            search(user, f"word {number}")
        variants = user.store.get_many([key for key in kept if ":variant:" in key])
        assert MAX_VARIANT_PAGES / 2 < len(variants) <= MAX_VARIANT_PAGES
        with user.reads(0):
            assert listed(user, pages=2) == ["c5", "c4", "c3", "c2"]
        close_idle_connections()


def test_a_variant_in_the_place_of_another_is_never_taken_for_it(ada: User) -> None:
    user = ada.elsewhere(variant_places=1)
    second = clients(user).data.raw_res[0]["nextCursor"]
    with ada.reads(2 * 3):
        for _ in range(2):
            assert search(user, "client 5") == ["c5"]
            assert search(user, "client 4") == ["c4"]
            assert listed(user, cursor=second) == ["c3", "c2"]


def test_variants_that_want_one_place_do_so_for_one_user_and_not_for_all(ada: User) -> None:
    """So no page that needs two of them is slow for everybody."""
    at, words = ada.elsewhere(variant_places=16), [f"word {number}" for number in range(40)]
    taken = [places_taken(user, words) for user in (at, at.signed_in("bob"))]
    adas, bobs = ({pair for pair in combinations(words, 2) if each[pair[0]] == each[pair[1]]} for each in taken)
    assert set() != adas != bobs != set()


def test_the_pages_of_one_long_list_leave_each_other_in_place(ada: User) -> None:
    ada.backend.rows = [{"id": f"r{number:03}", "name": "long"} for number in range(2 * MAX_PAGES)]
    with ada.reads(MAX_PAGES):
        for _ in range(2):
            assert len(search(ada, "long", pages=MAX_PAGES)) == 2 * MAX_PAGES


@pytest.mark.redis
def test_one_users_searches_on_a_small_redis_keep_nobody_elses_refresh_away(ada: User, tmp_path: Path) -> None:
    rows = [{"id": f"c{number}", "name": "word", "notes": NOTES} for number in range(2)]
    ada.backend.open_paths["/energy/clients"] = {"items": rows, "hasNext": False, "nextCursor": None}
    with (
        running_redis(tmp_path, "--maxmemory", "6mb", "--maxmemory-policy", "noeviction") as server,
        on_redis(ada, server.url()) as user,
    ):
        others, outcomes = RefreshWorld(), []
        for number in range(1200):
            search(user, f"word {number}")
            if number % 100 == 99:
                pair = others.backend.sign_in(f"other {number}")
                others.expire()
                elsewhere = others.process()
                outcomes.append(elsewhere.refresh(elsewhere.request(pair)))
    assert outcomes == [RefreshOutcome.REFRESHED] * 12


@pytest.mark.redis
def test_a_full_redis_is_a_miss_and_shows_nothing_older_than_a_write(ada: User, tmp_path: Path) -> None:
    with running_redis(tmp_path) as server, server.client() as client, on_redis(ada, server.url()) as user:
        users = [user, ada.elsewhere()]
        assert [listed(each) for each in users] == [["c5", "c4"]] * 2
        client.config_set("maxmemory-policy", "noeviction")
        client.config_set("maxmemory", "1")
        assert search(user, "client") == ["c5", "c4"]
        delete(user, "c5")
        for limit in ("1", "0"):
            client.config_set("maxmemory", limit)
            for each in (*users, ada.elsewhere()):
                assert listed(each) == ["c4", "c3"]
