"""What a write does to every cached variant of a list: its filters, its sort orders, and what goes out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, query_endpoint, same_params
from tests.portal.query.fakes import Process, World

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
from tests.portal.query.faulty import Faulty, Thing, ThingParams, ThingsParams, adds, merges


@pytest.fixture
def faulty(world: World, process: Process, ada: TokenStore) -> Faulty:
    """In a process that has seen its backend search."""
    process.runtime.gaps.followed("faulty.get_things?q")
    return Faulty(world, process, ada)


class TestVariants:
    def test_an_added_row_that_is_there_already_is_replaced_in_its_place(self, faulty: Faulty) -> None:
        faulty.shown()
        faulty.answer = {"id": "b", "name": "changed"}
        faulty.write(adds())
        assert faulty.shown() == ["a", "b"]

    @pytest.mark.parametrize("params", [{"q": "a"}, {"sort": "name"}])
    @pytest.mark.parametrize("helper", [adds, merges])
    def test_a_variant_with_parameters_is_fetched_anew_without_a_matches(
        self, faulty: Faulty, params: Any, helper: Any
    ) -> None:
        faulty.shown(params)
        faulty.write(helper())
        faulty.shown(params)
        assert faulty.fetched() == 2

    @pytest.mark.parametrize(
        ("belongs", "shown", "fetched"), [(True, ["n", "a", "b"], 1), (False, ["a", "b"], 1), (None, ["a", "b"], 2)]
    )
    def test_matches_decides_where_an_added_row_goes(
        self, faulty: Faulty, belongs: bool | None, shown: list[str], fetched: int
    ) -> None:
        faulty.shown({"sort": "name"})
        asked: list[Any] = []
        faulty.write(adds(matches=lambda params, row: (asked.append((params, row["id"])), belongs)[1]))
        assert faulty.shown({"sort": "name"}) == shown
        assert faulty.fetched() == fetched
        assert asked
        assert all(question == ({"sort": "name"}, "n") for question in asked)

    def test_a_changed_row_that_comes_to_match_a_variant_has_it_fetched_anew(self, faulty: Faulty) -> None:
        faulty.shown({"sort": "name"})
        faulty.rows = [{"id": "n", "name": "N"}, *faulty.rows]
        faulty.write(merges(matches=lambda _params, _row: True))
        assert faulty.shown({"sort": "name"}) == ["n", "a", "b"]
        assert faulty.fetched() == 2

    def test_a_changed_row_of_another_page_of_the_whole_list_has_nothing_fetched(self, faulty: Faulty) -> None:
        faulty.shown()
        faulty.write(merges())
        faulty.shown()
        assert faulty.fetched() == 1

    def test_matches_takes_a_changed_row_out_of_a_variant(self, faulty: Faulty) -> None:
        faulty.shown({"sort": "name"})
        faulty.answer = {"id": "b", "name": "changed"}
        faulty.write(merges(matches=lambda _params, _row: False))
        assert faulty.shown({"sort": "name"}) == ["a"]
        assert faulty.fetched() == 1

    def test_a_matches_that_changes_the_row_changes_nothing_that_is_shown(self, faulty: Faulty) -> None:
        faulty.shown()
        faulty.write(adds(matches=lambda _params, row: bool(row.update(id="x", name="changed")) or True))
        for _ in range(2):
            assert faulty.queries.use_get_things_query(faulty.request()).data.items[0] == {"id": "n", "name": "N"}

    def test_a_matches_that_changes_the_parameters_changes_no_call(self, faulty: Faulty) -> None:
        faulty.shown({"sort": "name"})
        faulty.write(adds(matches=lambda params, _row: params.clear()))
        faulty.shown({"sort": "name"})
        asked = [params for _, path, params in faulty.world.backend.calls if path == "/things"]
        assert [params.get("sort") for params in asked] == ["name", "name"]

    @pytest.mark.parametrize("matches", [lambda params, row: 1 / 0, lambda params, row: "yes"])
    def test_a_matches_that_gives_no_answer_leaves_it_to_the_server(self, faulty: Faulty, matches: Any) -> None:
        faulty.shown({"sort": "name"})
        assert faulty.write(adds(matches=matches)).is_success
        faulty.shown({"sort": "name"})
        assert faulty.fetched() == 2

    def test_a_write_of_a_mutation_that_this_process_does_not_know_is_left_to_the_server(self, faulty: Faulty) -> None:
        """Another project, or another version of the code, wrote it."""
        faulty.shown()
        faulty.write(adds())
        del faulty.registry.mutations["faulty.write"]
        faulty.shown()
        assert faulty.fetched() == 2

    def test_a_page_from_a_cursor_on_gets_no_added_row(self, faulty: Faulty) -> None:
        faulty.serve()
        read = faulty.queries.use_get_things_query
        read(faulty.request(), cursor="x")
        faulty.write(adds())
        assert [row["id"] for row in read(faulty.request(), cursor="x").data.items] == ["a", "b"]

    @pytest.mark.parametrize(
        ("params", "start", "place"),
        [
            ({}, True, True),
            ({"sort": None, "q": None}, True, True),
            ({"sort": "-createdAt"}, True, True),
            ({"sort": "createdAt"}, None, True),
            ({"sort": "name"}, None, None),
            ({"q": "oslo"}, None, None),
            ({"status": "open", "sort": "-createdAt"}, None, None),
        ],
    )
    def test_a_list_that_is_newest_first_knows_the_order_of_creation(self, params: Any, start: Any, place: Any) -> None:
        endpoint = mutation_endpoint(data=dict, url="/write", method="POST")
        added = endpoint.add_created_to_paginated_list(list_query_key="things", newest_first_by="createdAt")
        merged = endpoint.merge_updated_in_paginated_list(list_query_key="things", newest_first_by="createdAt")
        assert [effect.matches(params, {}) for effect in (*added.effects, *merged.effects)] == [start, place]

    @pytest.mark.parametrize(
        ("params", "shown", "fetched"),
        [(None, ["n", "a", "b"], 1), ({"sort": "-at"}, ["n", "a", "b"], 1), ({"sort": "-createdAt"}, ["a", "b"], 2)],
    )
    def test_a_list_may_be_newest_first_by_another_field(
        self, faulty: Faulty, params: Any, shown: list[str], fetched: int
    ) -> None:
        faulty.shown(params)
        faulty.write(
            lambda endpoint: endpoint.add_created_to_paginated_list(list_query_key="get_things", newest_first_by="at")
        )
        assert faulty.shown(params) == shown
        assert faulty.fetched() == fetched


class TestInvalidation:
    @pytest.mark.parametrize(
        ("get_params", "invalidated"),
        [
            (None, ["x", "y"]),
            (lambda sent: {"q": "x"}, ["x"]),
            (lambda sent: {"q": "x", "sort": None}, ["x"]),
            (lambda sent: sent.params["missing"], ["x", "y"]),
        ],
    )
    def test_it_marks_the_named_query_or_all_of_them(
        self, faulty: Faulty, get_params: Any, invalidated: list[str]
    ) -> None:
        faulty.serve()
        read = faulty.queries.use_get_thing_query
        for word in ("x", "y"):
            read(faulty.request(), {"q": word})
        faulty.write(lambda endpoint: endpoint.invalidates(query_key="get_thing", get_params=get_params))
        faulty.world.backend.calls.clear()
        for word in ("x", "y"):
            read(faulty.request(), {"q": word})
        assert [params["q"] for _, _, params in faulty.world.backend.calls] == invalidated

    def test_same_params_names_the_query_with_the_parameters_of_the_write(self, faulty: Faulty) -> None:
        faulty.serve()
        read = faulty.queries.use_get_thing_query
        for word in ("x", "y"):
            read(faulty.request(), {"q": word})

        class Mutations(MutationGroup, domain="faulty", registry=faulty.registry):
            use_write_mutation = mutation_endpoint(params=ThingsParams, url="/write", method="POST").invalidates(
                query_key=faulty.queries.use_get_thing_query, get_params=same_params
            )

        Mutations.use_write_mutation(faulty.request()).mutate(params={"q": "x"})
        faulty.world.backend.calls.clear()
        for word in ("x", "y"):
            read(faulty.request(), {"q": word})
        assert [params["q"] for _, _, params in faulty.world.backend.calls] == ["x"]

    @pytest.mark.parametrize(
        "named",
        [None, ["q"], {"query": "x"}, {"q": "x", "query": "y"}, {"q": object()}],
        ids=["nothing", "a list", "another parameter", "one more parameter", "no text"],
    )
    def test_what_names_no_query_marks_all_of_them_and_says_so(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, named: Any
    ) -> None:
        faulty.serve()
        faulty.queries.use_get_thing_query(faulty.request(), {"q": "x"})
        faulty.write(lambda endpoint: endpoint.invalidates(query_key="get_thing", get_params=lambda _sent: named))
        assert "get_params names no query of faulty.get_thing" in caplog.text
        faulty.queries.use_get_thing_query(faulty.request(), {"q": "x"})
        assert faulty.world.backend.counted()["GET", "/thing"] == 2

    @pytest.mark.parametrize("named", [{}, {"name": "x"}])
    @pytest.mark.parametrize("kind", [ThingParams, dict])
    def test_so_does_what_lacks_a_parameter_of_the_path(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, named: Any, kind: Any
    ) -> None:
        class Queries(QueryGroup, domain="faulty", registry=faulty.registry):
            use_get_one_query = query_endpoint(data=Thing, params=kind, url=lambda sent: f"/things/{sent['id']}")

        faulty.serve()
        faulty.world.backend.open_paths["/things/a"] = {"id": "a"}
        Queries.use_get_one_query(faulty.request(), {"id": "a"})
        faulty.write(lambda endpoint: endpoint.invalidates(query_key="get_one", get_params=lambda _sent: named))
        assert "get_params names no query of faulty.get_one" in caplog.text
        faulty.world.backend.open_paths["/things/a"] = {"id": "a"}
        Queries.use_get_one_query(faulty.request(), {"id": "a"})
        assert faulty.world.backend.counted()["GET", "/things/a"] == 2

    def test_the_list_without_parameters_is_named_by_none_of_them(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture
    ) -> None:
        faulty.shown()
        faulty.shown({"q": "x"})
        faulty.write(lambda endpoint: endpoint.invalidates(query_key="get_things", get_params=lambda _sent: {}))
        faulty.shown()
        faulty.shown({"q": "x"})
        assert faulty.fetched() == 3
        assert "names no query" not in caplog.text

    def test_a_number_and_its_digits_name_the_same_query(self, faulty: Faulty) -> None:
        faulty.serve()
        read = faulty.queries.use_get_thing_query
        read(faulty.request(), {"q": "5"})
        faulty.write(lambda endpoint: endpoint.invalidates(query_key="get_thing", get_params=lambda _sent: {"q": 5}))
        faulty.world.backend.calls.clear()
        read(faulty.request(), {"q": "5"})
        assert [params["q"] for _, _, params in faulty.world.backend.calls] == ["5"]
