"""The keys of a store with their sizes: all of them, or as many as the limit allows, and none of another store."""

from __future__ import annotations

import pytest

from portal.errors import StoreUnavailableError
from portal.store import query_store, refresh_store, survey_keys
from tests.support.given_store import stores_on


def test_every_key_is_told_with_its_size_up_to_the_limit(stores) -> None:
    query_store().set_many({f"key:{number}": "x" * number for number in range(1, 1301)}, lifetime_s=60)
    refresh_store().set("lock", 1, lifetime_s=60)
    found = survey_keys(query_store(), limit=10_000)
    assert found.complete
    assert set(found.sizes) == {f"key:{number}" for number in range(1, 1301)}
    assert found.sizes["key:1300"] - found.sizes["key:1"] == 1299
    assert set(survey_keys(refresh_store(), limit=10_000).sizes) == {"lock"}
    limited = survey_keys(query_store(), limit=600)
    assert not limited.complete
    assert 600 <= len(limited.sizes) < 1300


def test_a_store_that_is_away_is_an_error_without_an_address() -> None:
    with stores_on("redis://someone:a-secret@127.0.0.1:1/0"), pytest.raises(StoreUnavailableError) as caught:
        survey_keys(query_store(), limit=10)
    assert str(caught.value) == "store 'default': ConnectionError"
