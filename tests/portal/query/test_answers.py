"""`set_answer`: the response of a write is the newest response of the detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.errors import ApiNotFoundError, ApiUnavailableError
from portal.query import (
    MutationGroup,
    QueryGroup,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from tests.portal.query.answering import Mutations, Queries, create, read, rename, row_path, shown
from tests.portal.query.fakes import Process, World, unavailable
from tests.portal.query.faulty import Thing, ThingParams
from tests.portal.query.invariants.clients_list import once
from tests.portal.query.lagging import LaggingBackend
from tests.support.client_endpoints import PATH

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.tokens import TokenStore


def during_a_patch(run: Callable[[], object]) -> Callable[[str, str], None]:
    return once(run, method="PATCH", path="/energy/clients/c3")


touch, delete = Mutations.use_touch_client_mutation, Mutations.use_delete_client_mutation


class TestTheNextReadShowsTheAnswer:
    @pytest.mark.parametrize("cached", [True, False])
    def test_without_a_fetch_in_all_processes(
        self, world: World, process: Process, ada: TokenStore, cached: bool
    ) -> None:
        other = world.process()
        for at in (process, other) if cached else ():
            shown(at.request(ada), "c3")
        read(process.request(ada), "c1")
        reads = world.backend.reads()
        rename(process.request(ada), "c3", "renamed")
        for at in (process, other, world.process()):
            assert shown(at.request(ada), "c3") == "renamed"
            assert shown(at.request(ada), "c1") == "client 1"
        assert world.backend.reads() == reads

    def test_of_a_created_row(self, world: World, process: Process, ada: TokenStore) -> None:
        made = create(process.request(ada), "new")
        reads = world.backend.reads()
        assert shown(world.process().request(ada), made) == "new"
        assert world.backend.reads() == reads

    def test_within_the_request_that_wrote(self, world: World, process: Process, ada: TokenStore) -> None:
        client = process.request(ada)
        shown(client, "c3")
        reads = world.backend.reads()
        rename(client, "c3", "renamed")
        assert shown(client, "c3") == "renamed"
        assert world.backend.reads() == reads

    def test_before_on_success(self, process: Process, ada: TokenStore) -> None:
        client, seen = process.request(ada), []
        update = Mutations.use_update_client_mutation(client, on_success=lambda _: seen.append(shown(client, "c3")))
        update.mutate(body={"name": "renamed"}, params={"id": "c3"})
        assert seen == ["renamed"]

    def test_for_as_long_as_a_page_counts(self, world: World, process: Process, ada: TokenStore) -> None:
        rename(process.request(ada), "c3", "renamed")
        reads = world.backend.reads()
        world.clock.now += 299
        assert not read(process.request(ada), "c3").is_stale
        world.clock.now += 1
        assert read(process.request(ada), "c3").is_stale
        assert world.backend.reads() == reads
        world.clock.now += 15 * 60
        assert shown(process.request(ada), "c3") == "renamed"
        assert world.backend.reads() == reads + 1

    def test_which_a_write_of_another_row_does_not_make_fresh_again(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        shown(process.request(ada), "c3")
        world.backend.rows[2]["name"] = "by someone else"
        Queries.use_get_client_query.invalidate(process.request(ada), params={"id": "c3"})
        rename(process.request(ada), "c4", "renamed")
        assert shown(process.request(ada), "c3") == "by someone else"

    def test_to_this_user_alone(self, world: World, process: Process, ada: TokenStore) -> None:
        ben = world.backend.sign_in("ben")
        shown(process.request(ben), "c3")
        reads = world.backend.reads()
        rename(process.request(ada), "c3", "renamed")
        assert shown(process.request(ben), "c3") == "client 3"
        assert world.backend.reads() == reads

    def test_whatever_is_done_with_the_data_that_the_write_returned(self, process: Process, ada: TokenStore) -> None:
        rename(process.request(ada), "c3", "renamed").data.clear()
        shown_now = read(process.request(ada), "c3")
        shown_now.data.clear()
        assert shown(process.request(ada), "c3") == "renamed"

    def test_whatever_the_functions_of_the_write_do_with_the_response(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        registry = Registry()

        class OwnQueries(QueryGroup, domain="changed_answers", registry=registry):
            use_get_rows_query = paginated_query_endpoint(item=Thing, url=PATH)
            use_get_row_query = query_endpoint(data=Thing, params=ThingParams, url=row_path)

        def params_of(_variables: object, response: Thing) -> ThingParams:
            return {"id": response.pop("id")}

        def row_of(response: Thing) -> Thing:
            return {"id": response.pop("id"), "name": response.pop("name")}

        class OwnMutations(MutationGroup, domain="changed_answers", registry=registry):
            use_update_row_mutation = (
                mutation_endpoint(data=Thing, body=Thing, params=ThingParams, url=row_path, method="PATCH")
                .set_answer(query_key=OwnQueries.use_get_row_query, get_params=params_of)
                .merge_updated_in_paginated_list(list_query_key=OwnQueries.use_get_rows_query, select_list_item=row_of)
            )

        client = process.request(ada, registry=registry)
        result = OwnMutations.use_update_row_mutation(client).mutate(body={"name": "renamed"}, params={"id": "c3"})
        assert result.unwrap() == {"id": "c3", "name": "renamed"}
        detail = OwnQueries.use_get_row_query(process.request(ada, registry=registry), {"id": "c3"})
        assert detail.unwrap() == {"id": "c3", "name": "renamed"}


class TestNothingOlderIsShown:
    @pytest.mark.parametrize("when", ["before", "inside"])
    @pytest.mark.parametrize("cached", [True, False])
    def test_of_two_writes_at_once_only_the_server_knows_the_last(
        self, world: World, process: Process, ada: TokenStore, when: str, cached: bool
    ) -> None:
        if cached:
            shown(process.request(ada), "c3")
        other = world.process()
        setattr(world.backend, when, during_a_patch(lambda: rename(other.request(ada), "c3", "in between")))
        rename(process.request(ada), "c3", "around it")
        [row] = [row for row in world.backend.rows if row["id"] == "c3"]
        assert row["name"] == ("around it" if when == "before" else "in between")
        for at in (process, other):
            assert shown(at.request(ada), "c3") == row["name"]

    @pytest.mark.parametrize("when", ["before", "inside"])
    @pytest.mark.parametrize("cached", [True, False])
    def test_also_if_the_other_one_sets_no_answer(
        self, world: World, process: Process, ada: TokenStore, when: str, cached: bool
    ) -> None:
        if cached:
            shown(process.request(ada), "c3")
        inner = touch(world.process().request(ada))
        body: Any = {"name": "in between"}
        setattr(world.backend, when, during_a_patch(lambda: inner.mutate(body=body, params={"id": "c3"})))
        rename(process.request(ada), "c3", "around it")
        [row] = [row for row in world.backend.rows if row["id"] == "c3"]
        assert shown(process.request(ada), "c3") == row["name"]

    @pytest.mark.parametrize("cached", [True, False])
    def test_a_row_that_was_deleted_meanwhile_stays_away(
        self, world: World, process: Process, ada: TokenStore, cached: bool
    ) -> None:
        if cached:
            shown(process.request(ada), "c3")
        inner = delete(world.process().request(ada))
        world.backend.inside = during_a_patch(lambda: inner.mutate(params={"id": "c3"}))
        rename(process.request(ada), "c3", "renamed")
        assert isinstance(read(process.request(ada), "c3").error, ApiNotFoundError)

    def test_a_later_write_without_an_answer_has_the_detail_fetched(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        rename(process.request(ada), "c3", "first")
        touch(process.request(ada)).mutate(body={"name": "second"}, params={"id": "c3"})
        for _ in range(2):
            assert shown(process.request(ada), "c3") == "second"

    def test_an_invalidation_that_somebody_asked_for_is_followed_by_a_fetch(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        shown(process.request(ada), "c3")
        inner = process.request(ada)

        def changed_by_others() -> None:
            world.backend.rows[2]["name"] = "theirs"
            Queries.use_get_client_query.invalidate(inner, params={"id": "c3"})

        world.backend.inside = during_a_patch(changed_by_others)
        rename(process.request(ada), "c3", "ours")
        world.clock.now += 10
        assert shown(process.request(ada), "c3") == "theirs"

    def test_a_detail_with_further_parameters_is_fetched(self, world: World, process: Process, ada: TokenStore) -> None:
        registry = Registry()

        class WideParams(ThingParams, total=False):
            expand: str

        class OwnQueries(QueryGroup, domain="wide_answers", registry=registry):
            use_get_row_query = query_endpoint(data=Thing, params=WideParams, url=row_path)

        class OwnMutations(MutationGroup, domain="wide_answers", registry=registry):
            use_update_row_mutation = mutation_endpoint(
                data=Thing, body=Thing, params=ThingParams, url=row_path, method="PATCH"
            ).set_answer(query_key=OwnQueries.use_get_row_query)

        def names() -> list[Any]:
            client = process.request(ada, registry=registry)
            asked: list[Any] = [{"id": "c3"}, {"id": "c3", "expand": "lines"}, {"id": "c4", "expand": "lines"}]
            return [OwnQueries.use_get_row_query(client, params).unwrap()["name"] for params in asked]

        names()
        reads = world.backend.reads()
        update = OwnMutations.use_update_row_mutation(process.request(ada, registry=registry))
        update.mutate(body={"name": "renamed"}, params={"id": "c3"})
        assert names() == ["renamed", "renamed", "client 4"]
        assert world.backend.reads() == reads + 1

    @pytest.mark.parametrize("error", [unavailable(), unavailable(None, was_sent=True)])
    def test_a_write_whose_outcome_is_unknown_has_the_detail_fetched(
        self, world: World, process: Process, ada: TokenStore, error: ApiUnavailableError
    ) -> None:
        rename(process.request(ada), "c3", "first")

        def lose_answer(method: str, _path: str) -> None:
            if method == "PATCH":
                raise error

        world.backend.inside = lose_answer
        assert rename(process.request(ada), "c3", "second").error is not None
        world.backend.inside = None
        assert shown(process.request(ada), "c3") == "second"

    def test_a_fetch_that_began_before_the_write_does_not_hide_it(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        other = world.process()
        world.backend.inside = once(lambda: rename(other.request(ada), "c3", "renamed"), path="/energy/clients/c3")
        assert shown(process.request(ada), "c3") == "client 3", "it was asked for before"
        assert shown(process.request(ada), "c3") == "renamed"

    def test_a_fetch_after_the_write_shows_what_others_changed_since(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        rename(process.request(ada), "c3", "ours")
        world.clock.now += 10
        world.backend.rows[2]["name"] = "theirs"
        assert read(process.request(ada), "c3").refetch().data["name"] == "theirs"
        assert shown(process.request(ada), "c3") == "theirs"

    @pytest.mark.parametrize("which", ["the newest", "all"])
    def test_a_record_that_the_store_lost_is_a_miss(
        self, world: World, process: Process, ada: TokenStore, which: str
    ) -> None:
        shown(process.request(ada), "c3")
        rename(process.request(ada), "c3", "first")
        before = set(world.store.values)
        rename(process.request(ada), "c3", "second")
        for key in list(world.store.values):
            if (
                ":tests_answers.get_client:" in key
                and not key.endswith(":log")
                and (which == "all" or key not in before)
            ):
                del world.store.values[key]
        reads = world.backend.reads()
        assert shown(process.request(ada), "c3") == "second"
        assert world.backend.reads() == reads + 1


class TestWhereNothingIsKept:
    def test_after_a_sign_out_nothing_is_left(self, world: World, process: Process, ada: TokenStore) -> None:
        rename(process.request(ada), "c3", "renamed")
        process.request(ada).purge()
        reads = world.backend.reads()
        shown(process.request(ada), "c3")
        assert world.backend.reads() == reads + 1

    def test_a_purge_while_the_write_is_under_way_leaves_nothing(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        shown(process.request(ada), "c3")
        world.backend.inside = during_a_patch(lambda: world.process().request(ada).purge())
        rename(process.request(ada), "c3", "renamed")
        reads = world.backend.reads()
        assert shown(process.request(ada), "c3") == "renamed"
        assert world.backend.reads() == reads + 1

    @pytest.mark.parametrize("endpoint", [None, "tests_answers.get_client"])
    def test_a_clear_while_the_write_is_under_way_leaves_nothing(
        self, world: World, process: Process, ada: TokenStore, endpoint: str | None
    ) -> None:
        shown(process.request(ada), "c3")
        world.backend.inside = during_a_patch(lambda: process.runtime.cache.clear(endpoint=endpoint))
        rename(process.request(ada), "c3", "renamed")
        reads = world.backend.reads()
        assert shown(process.request(ada), "c3") == "renamed"
        assert world.backend.reads() == reads + 1

    def test_a_first_binding_while_the_write_is_under_way_leaves_nothing(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """That token may have written before nobody could record it."""
        shown(process.request(ada), "c3")
        phone = world.backend.sign_in("ada")
        world.backend.inside = during_a_patch(lambda: shown(world.process().request(phone), "c1"))
        rename(process.request(ada), "c3", "renamed")
        reads = world.backend.reads()
        assert shown(process.request(ada), "c3") == "renamed"
        assert world.backend.reads() == reads + 1

    def test_a_store_that_is_down_makes_a_write_no_failure(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        shown(process.request(ada), "c3")
        world.backend.before = during_a_patch(lambda: setattr(world.store, "down", True))
        assert rename(process.request(ada), "c3", "renamed").is_success
        assert shown(process.request(ada), "c3") == "renamed"
        world.store.down = False
        assert shown(process.request(ada), "c3") == "renamed"

    @pytest.mark.parametrize("cached", [True, False])
    def test_an_answer_that_is_too_large_for_a_record_has_the_detail_fetched(
        self, world: World, process: Process, ada: TokenStore, cached: bool
    ) -> None:
        if cached:
            shown(process.request(ada), "c3")
        name = "x" * 70_000
        rename(process.request(ada), "c3", name)
        reads = world.backend.reads()
        for _ in range(2):
            assert shown(process.request(ada), "c3") == name
        assert world.backend.reads() == reads + 1

    def test_a_query_that_is_not_cached_is_fetched(self, world: World, process: Process, ada: TokenStore) -> None:
        registry = Registry()

        class OwnQueries(QueryGroup, domain="uncached_answers", registry=registry):
            use_get_row_query = query_endpoint(data=Thing, params=ThingParams, url=row_path, cache=False)

        class OwnMutations(MutationGroup, domain="uncached_answers", registry=registry):
            use_update_row_mutation = mutation_endpoint(
                data=Thing, body=Thing, params=ThingParams, url=row_path, method="PATCH"
            ).set_answer(query_key=OwnQueries.use_get_row_query)

        client = process.request(ada, registry=registry)
        OwnMutations.use_update_row_mutation(client).mutate(body={"name": "renamed"}, params={"id": "c3"})
        reads = world.backend.reads()
        for _ in range(2):
            result = OwnQueries.use_get_row_query(process.request(ada, registry=registry), {"id": "c3"})
            assert result.unwrap().get("name") == "renamed"
        assert world.backend.reads() == reads + 2


class TestABackendWhoseReadsLag:
    @pytest.fixture
    def world(self) -> World:
        made = World()
        made.backend = LaggingBackend(clock=made.clock)
        made.backend.rows = [{"id": f"c{number}", "name": f"client {number}"} for number in range(5, 0, -1)]
        return made

    def test_has_the_answer_shown_over_an_older_response(self, world: World, process: Process, ada: TokenStore) -> None:
        rename(process.request(ada), "c3", "renamed")
        assert read(process.request(ada), "c3").refetch().data["name"] == "renamed"
        assert shown(world.process().request(ada), "c3") == "renamed"
        world.clock.now += 5
        reads = world.backend.reads()
        assert shown(process.request(ada), "c3") == "renamed"
        assert world.backend.reads() == reads + 1

    def test_stands_as_it_is_after_a_write_without_an_answer(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        """Which of the two is the later, only the server knows."""
        rename(process.request(ada), "c3", "first")
        world.clock.now += 0.5
        touch(process.request(ada)).mutate(body={"name": "second"}, params={"id": "c3"})
        world.clock.now += 1.5
        assert shown(process.request(ada), "c3") == "second"
