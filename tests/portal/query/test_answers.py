"""`set_answer`: the response of a write is the newest response of the detail.

That nothing older is shown, whatever overlaps, is what `query_machine` and `test_interleavings` look for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, paginated_query_endpoint, query_endpoint
from portal.query.endpoints.registry import Registry
from tests.portal.query.answering import Mutations, Queries, create, read, rename, row_path, shown
from tests.portal.query.fakes import Process, World
from tests.portal.query.faulty import Thing, ThingParams
from tests.portal.query.invariants.clients_list import once
from tests.portal.query.lagging import LaggingBackend
from tests.support.client_endpoints import PATH

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.tokens import TokenStore


def during_a_patch(run: Callable[[], object]) -> Callable[[str, str], None]:
    return once(run, method="PATCH", path="/energy/clients/c3")


class TestTheNextReadShowsTheAnswer:
    @pytest.mark.parametrize("cached", [True, False])
    def test_without_a_fetch_in_all_processes(
        self, world: World, process: Process, ada: TokenStore, cached: bool
    ) -> None:
        other, client = world.process(), process.request(ada)
        for at in (process, other) if cached else ():
            shown(at.request(ada), "c3")
        read(client, "c1")
        reads = world.backend.reads()
        rename(client, "c3", "renamed")
        for request in (client, process.request(ada), other.request(ada), world.process().request(ada)):
            assert [shown(request, "c3"), shown(request, "c1")] == ["renamed", "client 1"]
        made = create(client, "new")
        assert shown(other.request(ada), made) == "new"
        assert world.backend.reads() == reads

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

    def test_whatever_is_done_with_the_response(self, world: World, process: Process, ada: TokenStore) -> None:
        """By the functions of the write, by the view that wrote, and by a view that read it."""
        registry = Registry()

        class OwnQueries(QueryGroup, domain="changed_answers", registry=registry):
            use_get_rows_query = paginated_query_endpoint(item=Thing, url=PATH)
            use_get_row_query = query_endpoint(data=Thing, params=ThingParams, url=row_path)

        def row_of(response: Thing) -> Thing:
            return {"id": response.pop("id"), "name": response.pop("name")}

        class OwnMutations(MutationGroup, domain="changed_answers", registry=registry):
            use_update_row_mutation = (
                mutation_endpoint(data=Thing, body=Thing, params=ThingParams, url=row_path, method="PATCH")
                .set_answer(query_key=OwnQueries.use_get_row_query, get_params=lambda _, data: {"id": data.pop("id")})
                .merge_updated_in_paginated_list(list_query_key=OwnQueries.use_get_rows_query, select_list_item=row_of)
            )

        update = OwnMutations.use_update_row_mutation(process.request(ada, registry=registry))
        result: Any = update.mutate(body={"name": "renamed"}, params={"id": "c3"}).unwrap()
        for _ in range(2):
            assert result == {"id": "c3", "name": "renamed"}
            result.clear()
            result = OwnQueries.use_get_row_query(process.request(ada, registry=registry), {"id": "c3"}).unwrap()


class TestTheDetailIsFetched:
    def test_after_an_invalidation_that_somebody_asked_for_during_the_write(
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

    @pytest.mark.parametrize(("cache", "fetched"), [(True, 1), (False, 3)], ids=["cached", "not cached"])
    def test_where_it_has_further_parameters_or_is_not_cached(
        self, world: World, process: Process, ada: TokenStore, cache: bool, fetched: int
    ) -> None:
        registry = Registry()

        class WideParams(ThingParams, total=False):
            expand: str

        class OwnQueries(QueryGroup, domain="wide_answers", registry=registry):
            use_get_row_query = query_endpoint(data=Thing, params=WideParams, url=row_path, cache=cache)

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
        assert world.backend.reads() == reads + fetched

    @pytest.mark.parametrize(
        "happens",
        [
            lambda process, _phone, ada: process.request(ada).purge(),
            lambda process, _phone, _ada: process.runtime.cache.clear(),
            lambda process, _phone, _ada: process.runtime.cache.clear(endpoint="tests_answers.get_client"),
            lambda process, phone, _ada: shown(process.request(phone), "c1"),  # it may have written before
        ],
        ids=["purge", "clear", "clear of the endpoint", "first binding of a token"],
    )
    def test_once_if_the_cache_began_anew_during_the_write(
        self, world: World, process: Process, ada: TokenStore, happens: Any
    ) -> None:
        shown(process.request(ada), "c3")
        other, phone = world.process(), world.backend.sign_in("ada")
        world.backend.inside = during_a_patch(lambda: happens(other, phone, ada))
        rename(process.request(ada), "c3", "renamed")
        reads = world.backend.reads()
        assert shown(process.request(ada), "c3") == "renamed"
        assert world.backend.reads() == reads + 1

    @pytest.mark.parametrize("cached", [True, False])
    def test_once_if_the_answer_is_too_large_for_a_record(
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


class TestABackendWhoseReadsLag:
    @pytest.fixture
    def world(self, world: World) -> World:
        world.backend = LaggingBackend(clock=world.clock, rows=world.backend.rows)
        return world

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
        touch = Mutations.use_touch_client_mutation(process.request(ada))
        touch.mutate(body={"name": "second"}, params={"id": "c3"})
        world.clock.now += 1.5
        assert shown(process.request(ada), "c3") == "second"
