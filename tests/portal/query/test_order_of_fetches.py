"""Of two fetches of one page the one that began later is kept, whichever ends first, in the stores that there are."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from portal.query.cache import Page
from portal.query.endpoints import query_key
from portal.query.process_state import runtime_for
from tests.portal.store.conftest import redis_cluster, redis_url, store

if TYPE_CHECKING:
    from portal.query.endpoints import QueryKey
    from portal.store import SharedStore

__all__ = ["redis_cluster", "redis_url", "store"]

PARAMS = [{}, {"search": "ada"}]


@pytest.mark.parametrize("params", PARAMS, ids=["a query", "a variant"])
@pytest.mark.parametrize("other", [False, True], ids=["an empty place", "another page there"])
def test_the_later_fetch_stays_whichever_ends_first(store: SharedStore, params: dict[str, str], other: bool) -> None:
    runtime = runtime_for(store, variant_places=1)
    partition = runtime.namespaces.bind("token", {"id": "ada"})
    assert partition is not None
    cache, key = runtime.cache, query_key(endpoint="energy.get_summary", params=params)

    def page(body: str, *, at: float, asked: QueryKey = key) -> None:
        made = Page(stamp=cache.get(partition, key, count=0).stamp, at=at, cursor=None, body=body)
        cache.put(partition, asked, made, start=None, index=0)

    def shown() -> list[str]:
        return [each.body for each in cache.get(partition, key).pages]

    began = time.time()
    if other:
        page(
            "other", at=began - 20, asked=query_key(endpoint=key.endpoint, params={"search": "bob"}) if params else key
        )
    page("of after", at=began + 0.5)
    page("of before", at=began)
    assert shown() == ["of after"]
    page("newest", at=time.time() + 1)
    assert shown() == ["newest"]


def test_a_page_of_before_the_cache_was_cleared_is_replaced_however_its_clock_went(store: SharedStore) -> None:
    runtime = runtime_for(store, variant_places=1)
    partition = runtime.namespaces.bind("token", {"id": "ada"})
    assert partition is not None
    cache, key = runtime.cache, query_key(endpoint="energy.get_summary", params={})
    for body, ahead_s in (("of before", 1.0), ("of after", 0.0)):
        stamp = cache.get(partition, key, count=0).stamp
        made = Page(stamp=stamp, at=time.time() + ahead_s, cursor=None, body=body)
        cache.put(partition, key, made, start=None, index=0)
        assert [each.body for each in cache.get(partition, key).pages] == [body]
        cache.clear(endpoint=key.endpoint)
