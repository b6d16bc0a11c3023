"""Variants of one user in the store: the room that they take, and reads where it is full."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from portal.config.limits import MAX_PAGES
from portal.query.cache.page_keys import MAX_VARIANT_PAGES, page_keys
from portal.query.endpoints import query_key
from portal.query.partition import Partition, principal_of_sign_in
from portal.query.partition.token_bindings import binding_key
from portal.store import SharedStore
from sqlite_cache import close_idle_connections
from tests.portal.query.clients import clients, delete, listed
from tests.portal.query.world import User
from tests.support.given_store import stores_on
from tests.support.redis_server import running_redis

PARTITION = Partition(
    principal=principal_of_sign_in("usr_1"), namespace=f"{2**127:032x}", view="0a1b", binding=binding_key("a token")
)


def search(user: User, word: str, **options: Any) -> list[str]:
    return listed(user, {"q": word}, **options)


def test_searches_without_end_take_a_bounded_part_of_the_store_and_never_push_the_whole_list_out(
    ada: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
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


def test_a_variant_in_the_place_of_another_is_never_taken_for_it(ada: User) -> None:
    user = ada.elsewhere(variant_places=1)
    second = clients(user).data.raw_res[0]["nextCursor"]
    with ada.reads(2 * 3):
        for _ in range(2):
            assert search(user, "client 5") == ["c5"]
            assert search(user, "client 4") == ["c4"]
            assert listed(user, cursor=second) == ["c3", "c2"]


def test_queries_of_one_page_rarely_share_a_place() -> None:
    """Two in one place would call the backend at every view of that page."""
    keys = [query_key(endpoint=f"energy.get_list_{number}", params={"client": "c5"}) for number in range(4)]
    crowded = 0
    for number in range(1_000):
        partition = replace(PARTITION, principal=principal_of_sign_in(f"user {number}"))
        places = {page_keys(partition, key, start=None, indexes=range(1))[0].key for key in keys}
        crowded += len(places) < len(keys)
    assert crowded < 10


def test_variants_that_want_one_place_do_so_for_one_user_and_not_for_all() -> None:
    """So no page that needs two of them is slow for everybody."""
    keys = [query_key(endpoint="energy.get_clients", params={"q": f"word {number}"}) for number in range(9)]
    adas, bobs = (
        [page_keys(partition, key, start=None, indexes=range(1), places=4)[0].key for key in keys]
        for partition in (replace(PARTITION, principal=principal_of_sign_in(name)) for name in ("ada", "bob"))
    )
    assert len(set(adas)) <= 4
    assert [key == adas[0] for key in adas] != [key == bobs[0] for key in bobs]


def test_the_pages_of_one_long_list_leave_each_other_in_place(ada: User) -> None:
    ada.backend.rows = [{"id": f"r{number:03}", "name": "long"} for number in range(2 * MAX_PAGES)]
    with ada.reads(MAX_PAGES):
        for _ in range(2):
            assert len(search(ada, "long", pages=MAX_PAGES)) == 2 * MAX_PAGES


@pytest.mark.redis
def test_a_full_redis_is_a_miss_and_shows_nothing_older_than_a_write(ada: User, tmp_path: Path) -> None:
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
