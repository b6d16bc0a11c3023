"""Of two fetches of one page the one that began later is kept, whichever ends first, in the stores that there are."""

import time

import pytest

from portal.query.cache import Page
from portal.query.endpoints import QueryKey, query_key
from portal.query.process_state import QueryRuntime
from portal.store import SharedStore
from tests.portal.store.conftest import redis_cluster, redis_url, store, stores

__all__ = ["redis_cluster", "redis_url", "store", "stores"]

PARAMS = [{}, {"search": "ada"}]


class Place:
    """One query of one user, in a store."""

    def __init__(self, store: SharedStore, params: dict[str, str]) -> None:
        runtime = QueryRuntime(store, variant_places=1)
        made = runtime.caches.open("token", check_active=lambda: None)
        assert made is not None
        self.runtime, self.pages, self.cache = runtime, runtime.cache, made
        self.key = query_key(endpoint="energy.get_summary", params=params)

    def put(self, body: str, *, at: float, asked: QueryKey | None = None) -> None:
        made = Page(stamp=self.pages.get(self.cache, self.key, count=0).stamp, at=at, cursor=None, body=body)
        self.pages.put(self.cache, asked or self.key, made, start=None, index=0)

    def shown(self) -> list[str]:
        return [page.body for page in self.pages.get(self.cache, self.key).pages]


@pytest.mark.parametrize("params", PARAMS, ids=["a query", "a variant"])
@pytest.mark.parametrize("other", [False, True], ids=["an empty place", "another page there"])
def test_later_fetch_stays_whichever_ends_first(store: SharedStore, params: dict[str, str], other: bool) -> None:
    place, began = Place(store, params), time.time()
    if other:
        bobs = query_key(endpoint=place.key.endpoint, params={"search": "bob"})
        place.put("other", at=began - 20, asked=bobs if params else None)
    place.put("of after", at=began + 0.5)
    place.put("of before", at=began)
    assert place.shown() == ["of after"]
    place.put("newest", at=time.time() + 1)
    assert place.shown() == ["newest"]


def test_cleared_page_is_replaced_whatever_its_clock(store: SharedStore) -> None:
    place = Place(store, {})
    for body, ahead_s in (("of before", 1.0), ("of after", 0.0)):
        place.put(body, at=time.time() + ahead_s)
        assert place.shown() == [body]
        place.runtime.caches.clear(endpoint=place.key.endpoint)
