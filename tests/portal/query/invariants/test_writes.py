"""Writes: what completed shows, in whatever order requests begin and end; and how often a call is tried."""

import functools
from typing import Any

import pytest

from portal.query.cache import MAX_RECORDS
from tests.portal.query.clients import BODY, before_next, clients, delete, listed, names, once, rename
from tests.portal.query.fakes import PAST_ITS_LIFE_S, unavailable
from tests.portal.query.faulty import Faulty, adds, merges, removes
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientMutations, ClientQueries


class TestI2AFetchThatBeganBeforeAWriteNeverHidesIt:
    @pytest.mark.parametrize("first", [True, False], ids=["nothing cached", "cached and stale"])
    def test_when_the_write_ends_before_the_fetch(self, ada: User, first: bool) -> None:
        other = ada.elsewhere()
        if not first:
            listed(ada)
            ada.passes(PAST_ITS_LIFE_S)
        ada.backend.inside = once(lambda: delete(other, "c5"))
        listed(ada)  # its answer left the backend with c5 in it
        with ada.reads(0):
            assert listed(ada) == ["c4"], "the page of before, less the row"

    def test_nor_an_invalidation_while_the_list_is_fetched_for_the_first_time(self, ada: User) -> None:
        other = ada.elsewhere()
        ada.backend.inside = once(lambda: ClientQueries.use_get_clients_query.invalidate(other.request()))
        listed(ada)
        with ada.reads(1):
            listed(ada)


class TestI4PatchesAppearAllOrNone:
    def test_in_the_documents_order_and_before_on_success(self, faulty: Faulty) -> None:
        """Remove, then add, then merge, whatever order they were declared in: any other order shows another list."""
        faulty.shown()
        declared = (
            merges(lambda data: {**data, "name": "merged"}),
            adds(lambda data: {**data, "name": "added"}),
            removes(lambda sent: sent.body["id"]),
        )
        sets, seen = [], []
        faulty.world.store.before_each = lambda name: sets.append(name) if name == "set" else None
        faulty.write(
            lambda endpoint: functools.reduce(lambda so_far, add: add(so_far), declared, endpoint),
            body={"id": "b"},
            on_success=lambda _: seen.append(faulty.rows_shown()),
        )
        assert seen == [({"id": "n", "name": "merged"}, {"id": "a", "name": "A"})]
        assert (sets, faulty.fetched()) == (["set"], 1), "one record: a reader sees all of it or nothing"

    def test_row_that_comes_back_is_fetched(self, faulty: Faulty) -> None:
        """Nor does a fetched page show half of it: what the backend has of the row stays."""
        faulty.shown()
        row = faulty.rows.pop()
        faulty.write(removes(lambda _sent: row["id"]))
        assert faulty.shown() == ["a"]
        faulty.rows.append(row)
        faulty.answer = row
        faulty.write(adds(lambda data: data))
        assert faulty.shown() == ["a", "b"]

    def test_a_reader_between_claim_and_record_fetches(self, ada: User) -> None:
        listed(ada)
        seen: list[list[str]] = []

        before_next(ada, "set", lambda: seen.append(listed(ada)))
        delete(ada, "c5")
        assert seen == [["c4", "c3"]], "from the backend: nothing cached shows half a write"


class TestI14Attempts:
    def test_a_query_is_tried_three_times(self, ada: User) -> None:
        listed(ada, {"q": "3"})
        ada.backend.failures = [unavailable()] * 9
        with ada.reads(3):
            assert clients(ada).error is not None
        assert ada.world.waits == [0.1, 0.2]

    def test_a_mutation_twice_with_one_key_and_callbacks_once(self, ada: User) -> None:
        listed(ada)
        called: list[Any] = []
        ada.backend.failures = [unavailable()]
        create = ClientMutations.use_create_client_mutation
        mutation = create(ada.request(), on_success=called.append, on_error=called.append)
        result = mutation.mutate(body=BODY)
        [first, second] = ada.backend.last("idempotency_key", 2)
        assert first == second != ""
        ada.backend.failures = [unavailable()] * 2
        failed = mutation.mutate(body=BODY)
        assert called == [result.data, failed.error]
        assert len(set(ada.backend.last("idempotency_key", 4))) == 2, "another call is another key"


class TestI16OverlappingWritesNeverEndWithTheOlderVersion:
    @pytest.mark.parametrize("inner", [lambda ada: rename(ada, "c5", "six"), lambda ada: delete(ada, "c5")])
    def test_overlapping_writes_of_one_row_are_fetched(self, ada: User, inner: Any) -> None:
        listed(ada)
        ada.backend.inside = once(lambda: inner(ada.elsewhere()), method="PATCH", path="/energy/clients/c5")
        rename(ada, "c5", "five")
        with ada.reads(1):
            assert names(ada) == {row["id"]: row["name"] for row in ada.backend.rows[:2]}

    @pytest.mark.parametrize("others", [0, MAX_RECORDS], ids=["its record was lost", "too many came after it"])
    def test_unknown_overlapping_writes_have_the_list_fetched(self, ada: User, others: int) -> None:
        listed(ada)
        other = ada.elsewhere()

        def rename_and_read() -> None:
            rename(other, "c5", "six")
            if not others:
                [record] = [key for key, value in ada.store.values.items() if "get_clients:" in key and "six" in value]
                del ada.store.values[record]
            for number in range(others):
                rename(other, "c4", f"name {number}")
            listed(other)

        ada.backend.inside = once(rename_and_read, method="PATCH", path="/energy/clients/c5")
        rename(ada, "c5", "five")
        assert names(ada)["c5"] == "six"

    def test_writes_of_different_rows_need_no_fetch(self, ada: User) -> None:
        listed(ada)
        ada.backend.inside = once(lambda: rename(ada, "c4", "four"), method="PATCH", path="/energy/clients/c5")
        with ada.reads(0):
            rename(ada, "c5", "five")
            assert names(ada) == {"c5": "five", "c4": "four"}
