"""The query layer in a project that is not the portal's."""

from __future__ import annotations

import logging
from typing import Any

import pytest
import responses

from portal.api.tokens import TokenPair, TokenStore
from portal.query import QueryGroup, QueryLayer, query_endpoint
from portal.query.endpoints.registry import Registry
from tests.portal.query.fakes import make_token

URL = "http://127.0.0.1:9"


class Queries(QueryGroup, domain="shop", registry=Registry()):
    use_get_orders_query = query_endpoint(data=dict, url="/orders")


@pytest.fixture
def layer(settings: Any) -> QueryLayer:
    """Its store does not answer."""
    redis = "django.core.cache.backends.redis.RedisCache"
    options = {"serializer": "sqlite_cache.JSONSerializer"}
    settings.CACHES = {"default": {"BACKEND": redis, "LOCATION": "redis://127.0.0.1:1/0", "OPTIONS": options}}
    return QueryLayer(base_url=URL)


def test_without_its_store_a_client_reads_past_the_cache(layer: QueryLayer, caplog: pytest.LogCaptureFixture) -> None:
    tokens = TokenStore(TokenPair(access=make_token("eve")))
    with caplog.at_level(logging.WARNING, logger="portal.query"), responses.RequestsMock() as http:
        http.get(f"{URL}/me", json={})
        orders = http.get(f"{URL}/orders", json={"open": 2})
        for _ in range(2):
            client = layer.client(tokens, principal="eve")
            assert Queries.use_get_orders_query(client).unwrap() == {"open": 2}
    assert orders.call_count == 2
    assert "read without the cache" in caplog.text
