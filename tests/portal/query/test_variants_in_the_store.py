"""How much of the store one user's variants take, and what a store that is full makes of cached reads."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
from django.test import override_settings

from portal.api.metrics import RefreshOutcome
from portal.config.limits import MAX_PAGES
from portal.query.cache.page_keys import MAX_VARIANT_PAGES
from portal.store import SharedStore
from sqlite_cache import close_idle_connections
from tests.portal.query.fakes import Process, World
from tests.portal.query.invariants.clients_list import delete, listed
from tests.support.client_endpoints import ClientQueries
from tests.support.redis_server import running_redis
from tests.support.refresh_world import RefreshWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from portal.api.tokens import TokenStore

#: Rows of about 8 KB for each page, as real lists have them.
NOTES = "x" * 4000
OPTIONS = {"serializer": "sqlite_cache.JSONSerializer", "socket_timeout": 5}


def redis_entry(url: str) -> dict[str, Any]:
    return {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": url, "OPTIONS": OPTIONS}


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def entry(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Any]]:
    if request.param == "sqlite":
        yield {"BACKEND": "sqlite_cache.SQLiteCache", "LOCATION": str(tmp_path / "store" / "c.sqlite3")}
        close_idle_connections()
    else:
        with running_redis(tmp_path) as server:
            yield redis_entry(server.url())


@pytest.fixture
def on_store(world: World, entry: dict[str, Any]) -> Iterator[Process]:
    """A process on a real store."""
    with override_settings(CACHES={"default": entry, "refresh": entry}):
        world.store = SharedStore(alias="default")
        yield world.process()


def search(process: Process, tokens: TokenStore, word: str, **options: Any) -> list[str]:
    result = ClientQueries.use_get_clients_query(process.request(tokens), {"q": word}, **options)
    return [row["id"] for row in result.data.items]


def places_taken(world: World, process: Process, tokens: TokenStore, words: list[str]) -> dict[str, str]:
    """In the store, the key of what each search left."""
    taken: dict[str, str] = {}
    for word in words:
        before = dict(world.store.values)
        search(process, tokens, word)
        [taken[word]] = [
            key for key, value in world.store.values.items() if ":variant:" in key and before.get(key) != value
        ]
    return taken


def pairs_in_one_place(taken: dict[str, str]) -> set[tuple[str, str]]:
    return {pair for pair in combinations(taken, 2) if taken[pair[0]] == taken[pair[1]]}


def test_a_search_is_cached_as_any_list(world: World, on_store: Process, ada: TokenStore) -> None:
    assert search(on_store, ada, "client") == search(on_store, ada, "client") == ["c5", "c4"]
    assert world.backend.reads() == 1


def test_searches_without_end_take_a_bounded_part_of_the_store(
    world: World, on_store: Process, ada: TokenStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: set[str] = set()
    keep = SharedStore.set

    def watched(self: SharedStore, key: str, value: Any, *, lifetime_s: float | None) -> None:
        kept.add(key)
        keep(self, key, value, lifetime_s=lifetime_s)

    monkeypatch.setattr(SharedStore, "set", watched)
    for number in range(2 * MAX_VARIANT_PAGES):
        search(on_store, ada, f"word {number}")
    variants = world.store.get_many([key for key in kept if ":variant:" in key])
    assert MAX_VARIANT_PAGES / 2 < len(variants) <= MAX_VARIANT_PAGES


def test_searches_never_push_the_whole_list_out(world: World, on_store: Process, ada: TokenStore) -> None:
    listed(on_store.request(ada), pages=2)
    before = world.backend.reads()
    for number in range(2 * MAX_VARIANT_PAGES):
        search(on_store, ada, f"word {number}")
    reads = world.backend.reads()
    assert reads - before == 2 * MAX_VARIANT_PAGES
    assert listed(on_store.request(ada), pages=2) == ["c5", "c4", "c3", "c2"]
    assert world.backend.reads() == reads


def test_a_variant_in_the_place_of_another_is_never_taken_for_it(world: World, ada: TokenStore) -> None:
    process = world.process(variant_places=1)
    second = ClientQueries.use_get_clients_query(process.request(ada)).data.raw_res[0]["nextCursor"]
    for _ in range(2):
        assert search(process, ada, "client 5") == ["c5"]
        assert search(process, ada, "client 4") == ["c4"]
        assert listed(process.request(ada), cursor=second) == ["c3", "c2"]
    assert world.backend.reads() == 1 + 2 * 3


def test_variants_that_want_one_place_do_so_for_one_user_and_not_for_all(world: World) -> None:
    """So no page that needs two of them is slow for everybody."""
    process = world.process(variant_places=16)
    words = [f"word {number}" for number in range(40)]
    adas, bobs = (
        pairs_in_one_place(places_taken(world, process, world.backend.sign_in(user), words)) for user in ("ada", "bob")
    )
    assert adas
    assert bobs
    assert adas != bobs


def test_variants_of_one_user_want_the_same_places_after_each_sign_in(
    world: World, process: Process, ada: TokenStore
) -> None:
    """So what one user saw can be repeated, in a test as well."""
    words = [f"word {number}" for number in range(10)]
    before = places_taken(world, process, ada, words)
    process.request(ada).purge()
    after = places_taken(world, process, world.backend.sign_in("ada"), words)
    assert set(before.values()).isdisjoint(after.values())
    numbers = [[key.rpartition(":")[2] for key in taken.values()] for taken in (before, after)]
    assert numbers[0] == numbers[1]


def test_the_pages_of_one_long_list_leave_each_other_in_place(world: World, process: Process, ada: TokenStore) -> None:
    world.backend.rows = [{"id": f"r{number:03}", "name": "long"} for number in range(2 * MAX_PAGES)]
    assert len(search(process, ada, "long", pages=MAX_PAGES)) == 2 * MAX_PAGES
    reads = world.backend.reads()
    assert len(search(process, ada, "long", pages=MAX_PAGES)) == 2 * MAX_PAGES
    assert world.backend.reads() == reads == MAX_PAGES


@pytest.mark.redis
def test_one_users_searches_on_a_small_redis_keep_nobody_elses_refresh_away(world: World, tmp_path: Path) -> None:
    world.backend.rows = [{"id": f"c{number}", "name": "word", "notes": NOTES} for number in range(2)]
    world.backend.open_paths["/energy/clients"] = {"items": world.backend.rows, "hasNext": False, "nextCursor": None}
    with running_redis(tmp_path, "--maxmemory", "6mb", "--maxmemory-policy", "noeviction") as server:
        entry = redis_entry(server.url())
        with override_settings(CACHES={"default": entry, "refresh": entry}):
            world.store = SharedStore(alias="default")
            process, ada = world.process(), world.backend.sign_in("ada")
            others, outcomes = RefreshWorld(), []
            for number in range(1200):
                search(process, ada, f"word {number}")
                if number % 100 == 99:
                    pair = others.backend.sign_in(f"other {number}")
                    others.expire()
                    elsewhere = others.process()
                    outcomes.append(elsewhere.refresh(elsewhere.request(pair)))
    assert outcomes == [RefreshOutcome.REFRESHED] * 12


@pytest.mark.redis
def test_a_full_redis_is_a_miss_and_shows_nothing_older_than_a_write(
    world: World, tmp_path: Path, ada: TokenStore
) -> None:
    with running_redis(tmp_path) as server, server.client() as client:
        entry = redis_entry(server.url())
        with override_settings(CACHES={"default": entry, "refresh": entry}):
            world.store = SharedStore(alias="default")
            process, other = world.process(), world.process()
            for at in (process, other):
                assert listed(at.request(ada)) == ["c5", "c4"]
            client.config_set("maxmemory-policy", "noeviction")
            client.config_set("maxmemory", "1")
            assert search(process, ada, "client") == ["c5", "c4"]
            delete(process.request(ada), "c5")
            for at in (process, other, world.process()):
                assert listed(at.request(ada)) == ["c4", "c3"]
            client.config_set("maxmemory", "0")
            for at in (process, other, world.process()):
                assert listed(at.request(ada)) == ["c4", "c3"]
