"""The store: what it loses, refuses, and may not hold."""

import json
from typing import Any

import pytest

from portal.errors import ApiUnavailableError
from portal.query.cache.write_log import MAX_RECORDS
from tests.portal.query.clients import (
    before_next,
    clients,
    create,
    delete,
    invalidate,
    listed,
    names,
    once,
    one,
    rename,
)
from tests.portal.query.world import User


class TestI5DeletedKeysAreMissesNeverOlderRows:
    def test_whichever_are_deleted(self, ada: User) -> None:
        listed(ada, pages=2)
        delete(ada, "c5")
        rename(ada, "c4", "renamed")
        before = dict(ada.store.values)
        assert names(ada, pages=2) == {"c4": "renamed", "c3": "client 3", "c2": "client 2"}
        for key, value in before.items():
            for left in ({name: value for name, value in before.items() if name != key}, {key: value}, {}):
                ada.store.values = dict(left)
                shown = names(ada.elsewhere(), pages=2)
                assert ("c5" in shown, shown["c4"]) == (False, "renamed"), key

    def test_of_several_lost_records_the_newest_counts(self, ada: User) -> None:
        listed(ada, pages=2)
        rename(ada, "c3", "renamed")
        ada.passes(60)
        clients(ada).refetch()
        rename(ada, "c5", "renamed")
        lost = [key for key in ada.store.values if ":energy." in key and key[-9:].isdigit()]
        for key in lost:
            del ada.store.values[key]
        assert names(ada, pages=2)["c5"] == "renamed"

    @pytest.mark.parametrize(
        "empty",
        [
            lambda ada: ada.process.runtime.caches.clear(),
            lambda ada: ada.process.runtime.caches.clear(endpoint="energy.get_clients"),
            lambda ada: ada.request().purge(),
            lambda ada: ada.request().purge_user(),
        ],
    )
    def test_nor_pages_from_before_the_cache_was_emptied(self, ada: User, empty: Any) -> None:
        listed(ada)
        ada.backend.rows.pop(0)
        empty(ada)
        emptied = dict(ada.store.values)
        for key in emptied:
            for user in (ada, ada.elsewhere()):
                ada.store.values = {name: value for name, value in emptied.items() if name != key}
                assert listed(user) == ["c4", "c3"], key


class TestI12TheStoreDownNeverRaises:
    def test_reads_and_writes_work_as_without_a_cache(self, ada: User) -> None:
        listed(ada)
        ada.store.down = True
        assert listed(ada, pages=2) == listed(ada.elsewhere(), pages=2) == ["c5", "c4", "c3", "c2"]
        with ada.reads(2):
            assert len(clients(ada).fetch_next_page().data.items) == 4, "load more within a request"
        delete(ada, "c5")
        assert listed(ada) == ["c4", "c3"]
        ada.request().purge()
        invalidate(ada)

    @pytest.mark.parametrize("is_at_its_record", [False, True])
    def test_other_processes_show_the_write_afterwards(self, ada: User, is_at_its_record: bool) -> None:
        other, ben = ada.elsewhere(), ada.signed_in("ben")
        listed(other)
        if is_at_its_record:
            before_next(ada, "incr", lambda: setattr(ada.store, "down", True))
        else:
            ada.backend.inside = once(
                lambda: setattr(ada.store, "down", True), method="DELETE", path="/energy/clients/c5"
            )
        delete(ada, "c5")
        ada.store.down = False
        listed(ben)
        assert listed(other) == ["c4", "c3"]


class TestI13Bounded:
    def test_more_than_64_records_are_a_miss(self, ada: User) -> None:
        listed(ada)
        for number in range(MAX_RECORDS):
            rename(ada, "c5", f"name {number}")
        with ada.reads(0):
            assert names(ada)["c5"] == "name 63"
        rename(ada, "c5", "one more")
        with ada.reads(1):
            assert names(ada)["c5"] == "one more"

    def test_entries_have_lifetimes_and_pages_15_minutes(self, ada: User) -> None:
        listed(ada, pages=2)
        delete(ada, "c5")
        lifetimes = ada.store.lifetimes
        assert all(lifetimes.values())
        assert [lifetimes[key] for key in lifetimes if key.endswith((":0", ":1"))] == [900] * 2, "two of the list"
        [of_record] = [lifetimes[key] for key in lifetimes if ":energy.get_clients:" in key and key[-1].isdigit()]
        assert of_record > 900, "it outlives any page that may lack it"

    def test_a_page_that_is_too_large_is_not_kept(self, ada: User, caplog: pytest.LogCaptureFixture) -> None:
        ada.backend.rows[0]["notes"] = "x" * 1_100_000
        listed(ada)
        assert "not cached" in caplog.text
        assert not any(len(value) > 1_000_000 for value in ada.store.values.values())

    def test_a_row_that_is_too_large_makes_the_list_stale_instead(self, ada: User) -> None:
        listed(ada)
        rename(ada, "c5", "x" * 70_000)
        assert len(names(ada)["c5"]) == 70_000
        assert not any(len(value) > 70_000 for key, value in ada.store.values.items() if ":energy." in key)


class TestI15JsonOnlyAndNoSecrets:
    def test_no_token_and_no_error_text_in_the_store(self, ada: User) -> None:
        listed(ada)
        create(ada)
        ada.backend.failures = [ApiUnavailableError("a secret detail", status=500)] * 9
        one(ada)
        text, tokens = json.dumps(ada.store.values), ada.tokens.current
        for secret in (tokens.access, str(tokens.access).split(".")[2], tokens.refresh, "a secret detail"):
            assert str(secret) not in text
