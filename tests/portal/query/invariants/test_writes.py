"""Writes: what completed shows, in whatever order requests begin and end."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from tests.portal.query import answering
from tests.portal.query.fakes import PAST_ITS_LIFE_S, unavailable
from tests.portal.query.faulty import Faulty, adds, merges, removes
from tests.portal.query.invariants.clients_list import create, delete, listed, names, once, rename

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from tests.portal.query.fakes import Process, World


class TestI1EveryReadAfterAWriteShowsIt:
    def test_in_the_same_process_and_in_another(self, world: World, process: Process, ada: TokenStore) -> None:
        other = world.process()
        for at in (process, other):
            assert listed(at.request(ada)) == ["c5", "c4"]
        reads = world.backend.reads()
        made = create(process.request(ada))
        delete(process.request(ada), "c5")
        rename(process.request(ada), "c4", "renamed")
        for at in (process, other):
            assert names(at.request(ada)) == {made: "new", "c4": "renamed"}
        assert world.backend.reads() == reads, "the cached list is patched, not fetched"

    def test_within_the_request_that_wrote(self, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        listed(client)
        delete(client, "c5")
        assert "c5" not in listed(client)


class TestI2AFetchThatBeganBeforeAWriteNeverHidesIt:
    @pytest.mark.parametrize("first", [True, False], ids=["nothing cached", "cached and stale"])
    def test_when_the_write_ends_before_the_fetch(
        self, world: World, process: Process, ada: TokenStore, first: bool
    ) -> None:
        other = world.process()
        listed(other.request(ada), params={"q": "3"})  # so that the token is bound
        if not first:
            listed(process.request(ada))
            world.clock.now += PAST_ITS_LIFE_S
        world.backend.inside = once(lambda: delete(other.request(ada), "c5"))
        listed(process.request(ada))  # its answer left the backend with c5 in it
        reads = world.backend.reads()
        assert listed(process.request(ada)) == ["c4"], "the page of before, less the row"
        assert world.backend.reads() == reads


class TestI3AFetchThatBeginsAfterAWriteIsNotPatchedByIt:
    def test_another_users_later_change_stays(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        rename(process.request(ada), "c5", "by ada")
        world.backend.rows[0]["name"] = "by someone else"
        assert names(process.request(ada))["c5"] == "by ada"
        world.clock.now += PAST_ITS_LIFE_S
        assert names(process.request(ada))["c5"] == "by someone else"
        assert names(process.request(ada))["c5"] == "by someone else"


class TestI4PatchesAppearAllOrNone:
    def test_in_order_before_on_success(self, world: World, process: Process, ada: TokenStore) -> None:
        from tests.portal.query.moving import MOVE, ThingQueries

        world.backend.open_paths = {
            "/things": {"items": [{"id": "a"}, {"id": "b"}], "hasNext": False, "nextCursor": None},
            "/things/move": {"gone": "a", "made": {"id": "n"}, "changed": {"id": "b", "name": "changed"}},
        }
        read = ThingQueries.use_get_things_query
        read(process.request(ada))
        sets: list[str] = []
        world.store.before_each = lambda name: sets.append(name) if name == "set" else None
        seen: list[Any] = []
        MOVE(
            process.request(ada),
            on_success=lambda _: seen.append(read(process.request(ada)).data.items),
        ).mutate(body={"gone": "a"})
        assert seen == [({"id": "n"}, {"id": "b", "name": "changed"})]
        assert sets == ["set"], "one record: a reader sees all of it or nothing"

    def test_of_one_row_in_the_documents_order_whatever_order_they_were_declared_in(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """Remove, then add, then merge: any other order shows another list."""
        faulty = Faulty(world, process, ada)
        faulty.shown()
        declared = (
            merges(lambda data: {**data, "name": "merged"}),
            adds(lambda data: {**data, "name": "added"}),
            removes(lambda sent: sent.body["id"]),
        )
        faulty.answer = {"id": "b"}
        faulty.write(
            lambda endpoint: functools.reduce(lambda so_far, add: add(so_far), declared, endpoint), body={"id": "b"}
        )
        read = faulty.queries.use_get_things_query(faulty.request())
        assert read.data.items == ({"id": "b", "name": "merged"}, {"id": "a", "name": "A"})
        assert faulty.fetched() == 1, "patched, not fetched anew"

    def test_a_reader_between_claim_and_record_fetches(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        seen: list[list[str]] = []

        def look(name: str) -> None:
            if name == "set":
                world.store.before_each = None
                seen.append(listed(process.request(ada)))

        world.store.before_each = look
        delete(process.request(ada), "c5")
        assert seen == [["c4", "c3"]], "from the backend: nothing cached shows half a write"


class TestI16OverlappingWritesNeverEndWithTheOlderVersion:
    def test_a_removal_shows_also_while_the_backend_does_not_answer(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        read, client = answering.Queries.use_get_clients_query, process.request(ada)
        read(process.request(ada))
        touch = functools.partial(answering.Mutations.use_touch_client_mutation(client).mutate, body={"name": "four"})
        world.backend.inside = once(lambda: touch(params={"id": "c4"}), method="DELETE", path="/energy/clients/c5")
        answering.Mutations.use_delete_client_mutation(client).mutate(params={"id": "c5"}).unwrap()
        world.backend.failures = [unavailable()] * 9
        shown = read(process.request(ada))
        assert (shown.is_stale, [row["id"] for row in shown.data.items]) == (True, ["c4"])

    def test_writes_of_different_rows_need_no_fetch(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        reads = world.backend.reads()
        world.backend.inside = once(
            lambda: rename(process.request(ada), "c4", "four"), method="PATCH", path="/energy/clients/c5"
        )
        rename(process.request(ada), "c5", "five")
        assert names(process.request(ada)) == {"c5": "five", "c4": "four"}
        assert world.backend.reads() == reads

    @pytest.mark.parametrize("at_once", [True, False], ids=["at once", "one after the other"])
    def test_with_a_write_that_only_invalidates(
        self, world: World, process: Process, ada: TokenStore, at_once: bool
    ) -> None:
        """It may have changed any row, and does not say how."""

        def shown() -> Any:
            return {
                row["id"]: row["name"]
                for row in answering.Queries.use_get_clients_query(process.request(ada)).data.items
            }

        shown()
        touch = answering.Mutations.use_touch_client_mutation(process.request(ada))
        second = functools.partial(touch.mutate, body={"name": "second"}, params={"id": "c5"})
        if at_once:
            world.backend.inside = once(second, method="PATCH", path="/energy/clients/c5")
        answering.rename(process.request(ada), "c5", "first")
        if not at_once:
            second()
        assert shown()["c5"] == "second"
