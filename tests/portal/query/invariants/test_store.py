"""The store: what it loses, refuses, and may not hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiUnavailableError
from portal.query.cache.write_log import MAX_RECORDS
from tests.portal.query.invariants.clients_list import create, delete, listed, names, once, rename
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


class TestI5DeletedKeysAreMissesNeverOlderRows:
    def test_whichever_are_deleted(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), pages=2)
        delete(process.request(ada), "c5")
        rename(process.request(ada), "c4", "renamed")
        after = {"c4": "renamed", "c3": "client 3", "c2": "client 2"}
        before = dict(world.store.values)
        assert names(process.request(ada), pages=2) == after
        for key in before:
            world.store.values = {name: value for name, value in before.items() if name != key}
            shown = names(world.process().request(ada), pages=2)
            assert "c5" not in shown, key
            assert shown["c4"] == "renamed", key
        for keep, value in before.items():
            world.store.values = {keep: value}
            shown = names(world.process().request(ada), pages=2)
            assert "c5" not in shown, keep
            assert shown["c4"] == "renamed", keep

    def test_of_several_lost_records_the_newest_counts(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), pages=2)
        rename(process.request(ada), "c3", "renamed")
        world.clock.now += 60
        ClientQueries.use_get_clients_query(process.request(ada)).refetch()
        rename(process.request(ada), "c5", "renamed")
        world.store.values = {key: value for key, value in world.store.values.items() if not key[-9:].isdigit()}
        assert names(process.request(ada), pages=2)["c5"] == "renamed"

    @pytest.mark.parametrize("endpoint", [None, "energy.get_clients"])
    def test_nor_pages_from_before_everything_was_cleared(
        self, world: World, process: Process, ada: TokenStore, endpoint: str | None
    ) -> None:
        listed(process.request(ada))
        world.backend.rows.pop(0)
        process.runtime.cache.clear(endpoint=endpoint)
        cleared = dict(world.store.values)
        for key in cleared:
            world.store.values = {name: value for name, value in cleared.items() if name != key}
            assert listed(world.process().request(ada)) == ["c4", "c3"], key


class TestI12TheStoreDownNeverRaises:
    def test_reads_and_writes_work_as_without_a_cache(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.store.down = True
        for at in (process, world.process()):
            assert listed(at.request(ada), pages=2) == ["c5", "c4", "c3", "c2"]
        delete(process.request(ada), "c5")
        assert listed(process.request(ada)) == ["c4", "c3"]
        process.request(ada).purge()
        ClientQueries.use_get_clients_query.invalidate(process.request(ada))

    def test_and_in_other_processes_as_soon_as_this_one_asks_the_store_for_anything(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        other, ben = world.process(), world.backend.sign_in("ben")
        listed(other.request(ada))
        world.backend.inside = once(
            lambda: setattr(world.store, "down", True), method="DELETE", path="/energy/clients/c5"
        )
        delete(process.request(ada), "c5")
        world.store.down = False
        listed(process.request(ben))
        assert listed(other.request(ada)) == ["c4", "c3"]

    def test_load_more_within_a_request(self, world: World, process: Process, ada: TokenStore) -> None:
        world.store.down = True
        first = ClientQueries.use_get_clients_query(process.request(ada))
        assert len(first.fetch_next_page().data.items) == 4
        assert world.backend.reads() == 2


class TestI13Bounded:
    def test_more_than_64_records_are_a_miss(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        for number in range(MAX_RECORDS):
            rename(process.request(ada), "c5", f"name {number}")
        reads = world.backend.reads()
        assert names(process.request(ada))["c5"] == "name 63"
        assert world.backend.reads() == reads
        rename(process.request(ada), "c5", "one more")
        assert names(process.request(ada))["c5"] == "one more"
        assert world.backend.reads() == reads + 1

    def test_every_entry_has_a_lifetime_and_a_page_15_minutes(self, world: World, ada: TokenStore) -> None:
        lifetimes: dict[str, float | None] = {}

        class Watched(type(world.store)):
            def set(self, key: str, value: Any, *, lifetime_s: float | None) -> None:
                lifetimes[key] = lifetime_s
                super().set(key, value, lifetime_s=lifetime_s)

            def add(self, key: str, value: Any, *, lifetime_s: float | None) -> bool:
                lifetimes[key] = lifetime_s
                return super().add(key, value, lifetime_s=lifetime_s)

        world.store = Watched()
        process = world.process()
        listed(process.request(ada), pages=2)
        delete(process.request(ada), "c5")
        assert all(lifetimes.values())
        pages = [lifetimes[key] for key in lifetimes if key.endswith((":0", ":1"))]
        assert pages == [900] * 2, "two of the list"

    def test_a_page_that_is_too_large_is_not_kept(
        self, world: World, process: Process, ada: TokenStore, caplog: pytest.LogCaptureFixture
    ) -> None:
        world.backend.rows[0]["notes"] = "x" * 1_100_000
        listed(process.request(ada))
        assert "not cached" in caplog.text
        assert not any(len(value) > 1_000_000 for value in world.store.values.values())

    def test_a_row_that_is_too_large_makes_the_list_stale_instead(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        rename(process.request(ada), "c5", "x" * 70_000)
        assert len(names(process.request(ada))["c5"]) == 70_000
        assert not any(
            len(value) > 70_000 for key, value in world.store.values.items() if key[-1].isdigit() and ":0" not in key
        )


class TestI15JsonOnlyAndNoSecrets:
    def test_no_token_and_no_error_text_in_the_store(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        create(process.request(ada))
        world.backend.failures = [ApiUnavailableError("a secret detail", status=500)] * 9
        ClientQueries.use_get_client_query(process.request(ada), {"id": "c5"})
        text = json.dumps(world.store.values)
        access, refresh = ada.current.access or "", ada.current.refresh or ""
        for secret in (access, access.split(".")[2], refresh, "a secret detail"):
            assert secret not in text
