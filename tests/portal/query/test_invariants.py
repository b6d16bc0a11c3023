"""The sixteen invariants of the query layer, by number.

Each runs with flights on and off (I11). Requests are interleaved by code that runs inside the backend's answer.
"""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiNotFoundError, ApiUnavailableError
from portal.query.flights import Flights, NoFlights
from portal.query.logs import MAX_RECORDS
from portal.services.energy.clients import ClientMutations, ClientQueries
from tests.portal.query.fakes import Process, World, make_token, unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.tokens import TokenStore
    from portal.query import QueryClient


@pytest.fixture(params=[Flights, NoFlights], ids=["flights", "no flights"])
def process(request: pytest.FixtureRequest, world: World) -> Process:
    """I11: every invariant holds with the flight switched off."""
    return world.process(flights=request.param())


def listed(client: QueryClient, **options: Any) -> list[str]:
    """The ids of the list as a read shows it; options `params`, `pages` and `cursor`."""
    result = ClientQueries.use_get_clients_query(client, options.pop("params", None), **options)
    assert result.error is None
    return [row["id"] for row in result.data.items]


def names(client: QueryClient, **options: Any) -> dict[str, str]:
    result = ClientQueries.use_get_clients_query(client, **options)
    return {row["id"]: row["name"] for row in result.data.items}


def create(client: QueryClient, name: str = "new") -> str:
    body = {"name": name, "email": "new@example.com"}
    return ClientMutations.use_create_client_mutation(client).mutate(body=body).unwrap()["id"]


def delete(client: QueryClient, row_id: str) -> None:
    ClientMutations.use_delete_client_mutation(client).mutate(params={"id": row_id}).unwrap()


def rename(client: QueryClient, row_id: str, name: str) -> None:
    mutation = ClientMutations.use_update_client_mutation(client)
    mutation.mutate(body={"name": name}, params={"id": row_id}).unwrap()


def once(
    run: Callable[[], object], *, method: str = "GET", path: str = "/energy/clients"
) -> Callable[[str, str], None]:
    """Runs something within the next such request only."""
    pending = [run]

    def inside(called: str, where: str) -> None:
        if pending and called == method and where == path:
            pending.pop()()

    return inside


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

    def test_in_every_variant_of_the_list(self, process: Process, ada: TokenStore) -> None:
        variants: list[Any] = [None, {"q": "client"}, {"sort": "name"}]
        for params in variants:
            listed(process.request(ada), params=params, pages=3)
        made = create(process.request(ada), "client 0")
        for params in variants:
            assert made in listed(process.request(ada), params=params, pages=3)

    def test_where_a_row_comes_to_meet_a_filter(self, process: Process, ada: TokenStore) -> None:
        assert listed(process.request(ada), params={"q": "oslo"}) == []
        rename(process.request(ada), "c1", "oslo")
        assert listed(process.request(ada), params={"q": "oslo"}) == ["c1"]

    def test_in_the_query_of_the_row_itself(self, process: Process, ada: TokenStore) -> None:
        ClientQueries.use_get_client_query(process.request(ada), {"id": "c3"})
        rename(process.request(ada), "c3", "renamed")
        result = ClientQueries.use_get_client_query(process.request(ada), {"id": "c3"})
        assert result.unwrap()["name"] == "renamed"

    def test_after_a_write_whose_answer_was_lost(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))

        def lose_answer(method: str, path: str) -> None:
            if method == "DELETE":
                raise ApiUnavailableError("the connection broke", status=None)

        world.backend.inside = lose_answer
        # The first try deletes, its answer is lost; the second, which would answer 404, is lost before it leaves.
        world.backend.failures = [None, unavailable(None)]
        result = ClientMutations.use_delete_client_mutation(process.request(ada)).mutate(params={"id": "c5"})
        world.backend.inside = None
        assert result.error is not None
        assert listed(process.request(ada)) == ["c4", "c3"]


class TestI2AFetchThatBeganBeforeAWriteNeverHidesIt:
    @pytest.mark.parametrize("first", [True, False], ids=["nothing cached", "cached and stale"])
    def test_when_the_write_ends_before_the_fetch(
        self, world: World, process: Process, ada: TokenStore, first: bool
    ) -> None:
        other = world.process()
        listed(other.request(ada), params={"q": "3"})  # so that the token is proven
        if not first:
            listed(process.request(ada))
            world.clock.now += 301
        world.backend.inside = once(lambda: delete(other.request(ada), "c5"))
        listed(process.request(ada))  # its answer left the backend with c5 in it
        reads = world.backend.reads()
        assert listed(process.request(ada)) == ["c4"], "the page of before, less the row"
        assert world.backend.reads() == reads

    def test_when_it_waits_for_a_flight_that_left_before_the_write(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada), params={"q": "3"})
        seen: list[list[str]] = []

        def write_and_read() -> None:
            delete(process.request(ada), "c5")
            reader = threading.Thread(target=lambda: seen.append(listed(process.request(ada))))
            reader.start()
            reader.join()

        world.backend.inside = once(write_and_read)
        listed(process.request(ada))
        assert seen == [["c4", "c3"]]


class TestI3AFetchThatBeginsAfterAWriteIsNotPatchedByIt:
    def test_another_users_later_change_stays(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        rename(process.request(ada), "c5", "by ada")
        world.backend.rows[0]["name"] = "by someone else"
        assert names(process.request(ada))["c5"] == "by ada"
        world.clock.now += 301
        assert names(process.request(ada))["c5"] == "by someone else"
        assert names(process.request(ada))["c5"] == "by someone else"

    def test_a_row_that_the_server_shows_already_is_not_added_again(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        made = create(process.request(ada))
        world.backend.rows.insert(0, {"id": "later", "name": "by someone else"})
        ClientQueries.use_get_clients_query(process.request(ada)).refetch()
        assert listed(process.request(ada), pages=2) == ["later", made, "c5", "c4"]


class TestI4OperationsAppearAllOrNone:
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

    def test_a_log_that_begins_anew_fits_no_old_page(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        delete(process.request(ada), "c5")
        world.store.values = {key: value for key, value in world.store.values.items() if not key.endswith(":log")}
        rename(process.request(ada), "c4", "renamed")
        assert names(process.request(ada)) == {"c4": "renamed", "c3": "client 3"}


class TestI6PrincipalsShareNothing:
    def test_two_users_with_the_same_params_interleaved_in_one_worker(self, world: World, process: Process) -> None:
        ada, ben = world.backend.sign_in("ada"), world.backend.sign_in("ben")
        listed(process.request(ada))
        world.backend.rows.insert(0, {"id": "secret", "name": "for ben"})
        assert listed(process.request(ben)) == ["secret", "c5"]
        assert listed(process.request(ada)) == ["c5", "c4"]
        delete(process.request(ben), "c5")
        assert listed(process.request(ben)) == ["secret"]
        assert listed(process.request(ada)) == ["c5", "c4"], "a write of ben's patches ben's lists"

    def test_a_token_with_a_forged_subject_opens_nothing(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        forged = type(ada)(type(ada.current)(access=make_token("ada")))
        world.backend.open_paths = {"/energy/clients": {"items": [], "hasNext": False, "nextCursor": None}}
        result = ClientQueries.use_get_clients_query(process.request(forged))
        assert result.data.items == (), "the backend's own answer, although that endpoint ignores the bearer"
        world.backend.open_paths = {}
        assert ClientQueries.use_get_clients_query(process.request(forged)).data.items == ()
        assert listed(process.request(ada)) == ["c5", "c4"]

    def test_a_success_of_another_endpoint_proves_nothing(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        world.backend.open_paths = {"/energy/clients": {"items": [], "hasNext": False, "nextCursor": None}}
        forged = type(ada)(type(ada.current)(access=make_token("ada")))
        ClientQueries.use_get_clients_query(process.request(forged))
        assert not any(key.startswith("proof:") for key in world.store.values)

    def test_a_purge_is_seen_by_another_process_at_once(self, world: World, process: Process, ada: TokenStore) -> None:
        other = world.process()
        listed(process.request(ada))
        listed(other.request(ada))
        reads = world.backend.reads()
        process.request(ada).purge()
        assert listed(other.request(ada)) == ["c5", "c4"]
        assert world.backend.reads() == reads + 1

    def test_after_a_purge_every_token_proves_itself_anew(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        process.request(ada).purge()
        del world.backend.users[ada.current.access or ""]
        assert ClientQueries.use_get_clients_query(process.request(ada)).data.items == ()


class TestI7PageNPlus1ComesFromPageNsServerCursor:
    def test_also_when_rows_were_removed(self, world: World, process: Process, ada: TokenStore) -> None:
        cursor = ClientQueries.use_get_clients_query(process.request(ada)).data.next_cursor
        delete(process.request(ada), "c4")
        assert listed(process.request(ada), pages=2) == ["c5", "c3", "c2"]
        assert world.backend.calls[-1][2]["cursor"] == cursor, "the server's word, though the row is gone"

    def test_a_second_page_that_no_longer_follows_the_first_is_not_used(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        assert listed(process.request(ada), pages=2) == ["c5", "c4", "c3", "c2"]
        world.backend.rows.insert(0, {"id": "c6", "name": "new"})
        ClientQueries.use_get_clients_query(process.request(ada), pages=1).refetch()
        assert listed(process.request(ada), pages=2) == ["c6", "c5", "c4", "c3"]


class TestI8RowsAreUniqueTheFirstWins:
    def test_a_row_that_moved_to_the_next_page_comes_once(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        first = ClientQueries.use_get_clients_query(process.request(ada))
        ranks = world.backend.ranks
        ranks["c4"], ranks["c3"] = ranks["c3"], ranks["c4"] - 1
        world.backend.rows[1]["name"] = "moved"
        both = first.fetch_next_page()
        assert [row["id"] for row in both.data.raw_res[1]["items"]] == ["c4", "c2"]
        assert [row["id"] for row in both.data.items] == ["c5", "c4", "c2"]
        assert next(row["name"] for row in both.data.items if row["id"] == "c4") == "client 4"

    def test_unique_by_false_keeps_all(self, world: World, process: Process, ada: TokenStore) -> None:
        from tests.portal.query.moving import ThingQueries

        page = {"items": [{"id": "a"}, {"id": "a"}], "hasNext": False, "nextCursor": None}
        world.backend.open_paths = {"/things": page, "/things/all": page}
        assert len(ThingQueries.use_get_things_query(process.request(ada)).data.items) == 1
        assert len(ThingQueries.use_get_all_things_query(process.request(ada)).data.items) == 2


class TestI9LoadMoreIsIdempotentPerCursor:
    def test_the_same_click_twice_is_one_request(self, world: World, process: Process, ada: TokenStore) -> None:
        first = ClientQueries.use_get_clients_query(process.request(ada))
        once_, twice = first.fetch_next_page(), first.fetch_next_page()
        assert once_.data == twice.data
        assert world.backend.reads() == 2

    def test_two_requests_for_one_cursor_are_one_call(self, world: World, process: Process, ada: TokenStore) -> None:
        for _ in range(2):
            cursor = ClientQueries.use_get_clients_query(process.request(ada)).data.next_cursor
            assert listed(process.request(ada), cursor=cursor) == ["c3", "c2"]
        assert world.backend.reads() == 2


class TestI10NothingStaleIsReturnedAsFresh:
    def test_an_age_equal_to_the_stale_time_is_stale(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.clock.now += 299.999
        listed(process.request(ada))
        assert world.backend.reads() == 1
        world.clock.now += 0.001
        listed(process.request(ada))
        assert world.backend.reads() == 2

    def test_an_error_keeps_the_data_and_says_so(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), pages=2)
        world.clock.now += 301
        world.backend.failures = [unavailable()] * 3
        result = ClientQueries.use_get_clients_query(process.request(ada), pages=2)
        assert [row["id"] for row in result.data.items] == ["c5", "c4", "c3", "c2"]
        assert isinstance(result.error, ApiUnavailableError)
        assert result.is_stale

    def test_a_failed_next_page_keeps_the_pages(self, world: World, process: Process, ada: TokenStore) -> None:
        first = ClientQueries.use_get_clients_query(process.request(ada))
        world.backend.failures = [unavailable()] * 3
        failed = first.fetch_next_page()
        assert failed.error is not None
        assert failed.data.items == first.data.items
        assert failed.has_next_page
        assert len(failed.fetch_next_page().data.items) == 4, "and can be tried again"

    def test_only_the_pages_that_are_asked_for_are_refetched(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada), pages=3)
        world.clock.now += 301
        listed(process.request(ada), pages=2)
        cursors = [params.get("cursor") for _, path, params in world.backend.calls if path != "/me"]
        assert cursors == [None, cursors[1], cursors[2], None, cursors[1]]
        assert len(set(cursors)) == 3


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

    def test_a_write_that_could_not_be_logged_shows_when_the_store_is_back(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        world.backend.inside = once(
            lambda: setattr(world.store, "down", True), method="DELETE", path="/energy/clients/c5"
        )
        delete(process.request(ada), "c5")
        world.store.down = False
        assert listed(process.request(ada)) == ["c4", "c3"]

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
        assert [lifetimes[key] for key in lifetimes if key.endswith((":0", ":1"))] == [900, 900]

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

    def test_at_most_50_pages(self, process: Process, ada: TokenStore) -> None:
        from portal.errors import UsageError

        with pytest.raises(UsageError, match="from 1 to 50"):
            listed(process.request(ada), pages=51)


class TestI14Attempts:
    def test_a_query_is_tried_three_times(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada), params={"q": "3"})
        world.backend.calls.clear()
        world.backend.failures = [unavailable()] * 9
        assert ClientQueries.use_get_clients_query(process.request(ada)).error is not None
        assert len(world.backend.calls) == 3
        assert world.waits == [0.1, 0.2]

    def test_a_mutation_twice_with_one_key_and_callbacks_once(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        listed(process.request(ada))
        called: list[Any] = []
        world.backend.calls.clear()
        world.backend.keys.clear()
        world.backend.failures = [unavailable()]
        mutation = ClientMutations.use_create_client_mutation(
            process.request(ada), on_success=called.append, on_error=called.append
        )
        result = mutation.mutate(body={"name": "n", "email": "e"})
        assert called == [result.data]
        assert len(world.backend.calls) == 2
        assert len(set(world.backend.keys)) == 1
        assert world.backend.keys[0]
        world.backend.failures = [unavailable()] * 2
        failed = mutation.mutate(body={"name": "n", "email": "e"})
        assert called == [result.data, failed.error]
        assert len(set(world.backend.keys)) == 2, "another call is another key"

    def test_a_final_answer_is_not_repeated(self, world: World, process: Process, ada: TokenStore) -> None:
        result = ClientQueries.use_get_client_query(process.request(ada), {"id": "nobody"})
        assert isinstance(result.error, ApiNotFoundError)
        assert world.backend.reads() == 1


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


class TestI16OverlappingWritesNeverSettleOnTheOlderVersion:
    def test_whose_answers_come_in_the_other_order(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.backend.inside = once(
            lambda: rename(process.request(ada), "c5", "second"), method="PATCH", path="/energy/clients/c5"
        )
        rename(process.request(ada), "c5", "first")  # done first by the server, answered last
        assert names(process.request(ada))["c5"] == "second"

    def test_a_removal_stays_removed(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        world.backend.inside = once(
            lambda: delete(process.request(ada), "c5"), method="PATCH", path="/energy/clients/c5"
        )
        rename(process.request(ada), "c5", "late")
        assert listed(process.request(ada)) == ["c4", "c3"]

    def test_writes_of_different_rows_need_no_fetch(self, world: World, process: Process, ada: TokenStore) -> None:
        listed(process.request(ada))
        reads = world.backend.reads()
        world.backend.inside = once(
            lambda: rename(process.request(ada), "c4", "four"), method="PATCH", path="/energy/clients/c5"
        )
        rename(process.request(ada), "c5", "five")
        assert names(process.request(ada)) == {"c5": "five", "c4": "four"}
        assert world.backend.reads() == reads
