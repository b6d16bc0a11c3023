"""Variants of one sign-in in the store: the room that they take, and reads where it is full."""

from pathlib import Path
from typing import Any

import pytest

from portal.config.limits import MAX_PAGES
from portal.query.cache.page_cache import MAX_VARIANT_PAGES
from portal.query.endpoints import query_key
from portal.query.process_state import QueryRuntime
from portal.store import SharedStore
from sqlite_cache import close_idle_connections
from tests.portal.query.clients import clients, delete, listed
from tests.portal.query.fakes import FakeStore
from tests.portal.query.world import User
from tests.support.given_store import stores_on
from tests.support.redis_server import running_redis


def search(user: User, word: str, **options: Any) -> list[str]:
    return listed(user, {"q": word}, **options)


def test_endless_searches_take_a_bounded_room(ada: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They never push the whole list out."""
    kept: set[str] = set()
    keep = SharedStore.update

    def watched(self: SharedStore, key: str, change: Any, **when: float) -> None:
        kept.add(key)
        keep(self, key, change, **when)

    monkeypatch.setattr(SharedStore, "update", watched)
    with stores_on("", state_dir=tmp_path):
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


def test_variant_is_never_taken_for_another(ada: User) -> None:
    user = ada.elsewhere(variant_places=1)
    second = clients(user).data.raw_res[0]["nextCursor"]
    with ada.reads(2 * 3):
        for _ in range(2):
            assert search(user, "client 5") == ["c5"]
            assert search(user, "client 4") == ["c4"]
            assert listed(user, cursor=second) == ["c3", "c2"]


def places(name: str, wanted: list[dict[str, Any]], **options: Any) -> list[str]:
    """Return where the cache with this name has the first page of these variants."""
    cache = QueryRuntime(FakeStore(), **options).cache
    keys = [query_key(endpoint="energy.get_clients", params=params) for params in wanted]
    return [cache._places(name, key, None, range(1))[0].key for key in keys]


def test_queries_of_one_page_rarely_share_a_place() -> None:
    """Two in one place would call the backend at every view of that page."""
    wanted = [{"client": "c5", "part": number} for number in range(4)]
    crowded = sum(len({*places(f"{number:032x}", wanted)}) < len(wanted) for number in range(1_000))
    assert crowded < 10


def test_variants_share_a_place_for_one_sign_in_alone() -> None:
    """So no page that needs two of them is slow for everybody."""
    wanted = [{"q": f"word {number}"} for number in range(9)]
    one, other = (places(name * 32, wanted, variant_places=4) for name in "ab")
    assert len({*one}) <= 4
    assert [key == one[0] for key in one] != [key == other[0] for key in other]


def test_pages_of_one_list_leave_each_other(ada: User) -> None:
    ada.backend.rows = [{"id": f"r{number:03}", "name": "long"} for number in range(2 * MAX_PAGES)]
    with ada.reads(MAX_PAGES):
        for _ in range(2):
            assert len(search(ada, "long", pages=MAX_PAGES)) == 2 * MAX_PAGES


@pytest.mark.redis
def test_full_redis_shows_nothing_older_than_writes(ada: User, tmp_path: Path) -> None:
    with running_redis(tmp_path) as server, server.client() as client, stores_on(server.url()):
        ada.world.store = SharedStore(alias="default")
        user = ada.elsewhere()
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
