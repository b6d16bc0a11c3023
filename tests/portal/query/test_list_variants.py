"""What a write does to every cached variant of a list: its filters, its sort orders, and what goes out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.query import create_query_group, mutation_endpoint, query_endpoint, same_params
from tests.portal.query.fakes import Process, World
from tests.portal.query.faulty import Faulty, Thing, ThingParams, adds, merges

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore

SORTED = {"sort": "name"}
#: A row that the list does not have, and one that it has.
NEW, KNOWN = {"id": "n", "name": "N"}, {"id": "b", "name": "changed"}


@pytest.fixture
def faulty(world: World, process: Process, ada: TokenStore) -> Faulty:
    """In a process that has seen its backend search."""
    process.runtime.gaps.followed("faulty.get_things?q")
    return Faulty(world, process, ada)


class TestVariants:
    @pytest.mark.parametrize(
        ("helper", "answer", "params", "matches", "shown", "fetched"),
        [
            (adds, NEW, None, None, ["n", "a", "b"], 1),
            (adds, KNOWN, None, None, ["a", "b"], 1),
            (adds, NEW, {"q": "a"}, None, ["a", "b"], 2),
            (adds, NEW, SORTED, None, ["a", "b"], 2),
            (adds, NEW, SORTED, lambda *_: True, ["n", "a", "b"], 1),
            (adds, NEW, SORTED, lambda *_: False, ["a", "b"], 1),
            (adds, NEW, SORTED, lambda *_: 1 / 0, ["a", "b"], 2),
            (adds, NEW, SORTED, lambda *_: "yes", ["a", "b"], 2),
            (merges, NEW, None, None, ["a", "b"], 1),
            (merges, NEW, {"q": "a"}, None, ["a", "b"], 2),
            (merges, NEW, SORTED, None, ["a", "b"], 2),
            (merges, NEW, SORTED, lambda *_: True, ["a", "b"], 2),
            (merges, KNOWN, SORTED, lambda *_: False, ["a"], 1),
        ],
    )
    def test_show_a_written_row_where_it_belongs_or_are_fetched(
        self, faulty: Faulty, *, helper: Any, answer: Any, params: Any, matches: Any, shown: list[str], fetched: int
    ) -> None:
        faulty.shown(params)
        faulty.answer = answer
        assert faulty.write(helper(matches=matches)).is_success
        assert (faulty.shown(params), faulty.fetched()) == (shown, fetched)

    def test_a_page_from_a_cursor_on_gets_no_added_row(self, faulty: Faulty) -> None:
        faulty.serve()
        read = faulty.queries.use_get_things_query
        read(faulty.request(), cursor="x")
        faulty.write(adds())
        assert [row["id"] for row in read(faulty.request(), cursor="x").data.items] == ["a", "b"]

    def test_a_matches_is_asked_with_copies(self, faulty: Faulty) -> None:
        faulty.shown(SORTED)
        asked: list[Any] = []

        def matches(params: Any, row: Any) -> bool:
            asked.append((dict(params), dict(row)))
            params.clear()
            row.update(id="x", name="changed")
            return True

        faulty.write(adds(matches=matches))
        for _ in range(2):
            read = faulty.queries.use_get_things_query(faulty.request(), SORTED)
            assert read.data.items[0] == NEW
        assert asked
        assert all(question == (SORTED, NEW) for question in asked)

    def test_a_write_of_a_mutation_that_this_process_does_not_know_is_left_to_the_server(self, faulty: Faulty) -> None:
        """Another project, or another version of the code, wrote it."""
        faulty.shown()
        faulty.write(adds())
        del faulty.registry.mutations["faulty.write"]
        faulty.shown()
        assert faulty.fetched() == 2

    @pytest.mark.parametrize(
        ("params", "start", "place"),
        [
            ({}, True, True),
            ({"sort": None, "q": None}, True, True),
            ({"sort": "-at"}, True, True),
            ({"sort": "at"}, None, True),
            ({"sort": "-createdAt"}, None, None),
            ({"q": "oslo"}, None, None),
            ({"status": "open", "sort": "-at"}, None, None),
        ],
    )
    def test_a_list_that_is_newest_first_knows_the_order_of_creation(self, params: Any, start: Any, place: Any) -> None:
        endpoint = mutation_endpoint(data=dict, url="/write", method="POST")
        added = endpoint.add_created_to_paginated_list(list_query_key="things", newest_first_by="at")
        merged = endpoint.merge_updated_in_paginated_list(list_query_key="things", newest_first_by="at")
        assert [effect.matches(params, {}) for effect in (*added.effects, *merged.effects)] == [start, place]


class TestInvalidation:
    def fetched_again(self, faulty: Faulty, get_params: Any) -> list[str]:
        """Which of two queries are fetched again, after a write that invalidates those that `get_params` names."""
        words = ("x", "5")
        faulty.serve()
        for word in words:
            faulty.queries.use_get_thing_query(faulty.request(), {"q": word})
        faulty.write(
            lambda endpoint: endpoint.invalidates(query_key="get_thing", get_params=get_params), body={"q": "x"}
        )
        faulty.world.backend.calls.clear()
        for word in words:
            faulty.queries.use_get_thing_query(faulty.request(), {"q": word})
        return [params["q"] for _, _, params in faulty.world.backend.calls]

    @pytest.mark.parametrize(
        ("get_params", "fetched"),
        [
            (None, ["x", "5"]),
            (lambda _sent: {"q": "x"}, ["x"]),
            (lambda _sent: {"q": "x", "sort": None}, ["x"]),
            (lambda _sent: {"q": 5}, ["5"]),
            (lambda _sent: {}, []),
            (same_params, []),
        ],
    )
    def test_marks_the_named_query_or_all_of_them(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, get_params: Any, fetched: list[str]
    ) -> None:
        assert self.fetched_again(faulty, get_params) == fetched
        assert "names no query" not in caplog.text

    @pytest.mark.parametrize(
        "get_params",
        [
            lambda _sent: None,
            lambda _sent: ["q"],
            lambda _sent: {"query": "x"},
            lambda _sent: {"q": "x", "query": "y"},
            lambda _sent: {"q": object()},
            lambda sent: sent.params["missing"],
        ],
        ids=["nothing", "a list", "another parameter", "one more parameter", "no text", "an error"],
    )
    def test_marks_all_where_no_query_is_named_and_says_so(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, get_params: Any
    ) -> None:
        assert self.fetched_again(faulty, get_params) == ["x", "5"]
        assert "of faulty.get_thing" in caplog.text

    @pytest.mark.parametrize("named", [{}, {"name": "x"}])
    @pytest.mark.parametrize("kind", [ThingParams, dict])
    def test_marks_all_where_a_parameter_of_the_path_is_missing_and_says_so(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, named: Any, kind: Any
    ) -> None:
        one = query_endpoint(data=Thing, params=kind, url=lambda sent: f"/things/{sent['id']}")
        queries: Any = create_query_group({"get_one": one}, domain="faulty", registry=faulty.registry)
        for call in (
            lambda: None,
            lambda: faulty.write(lambda made: made.invalidates(query_key="get_one", get_params=lambda _sent: named)),
        ):
            call()
            faulty.world.backend.open_paths["/things/a"] = {"id": "a"}
            queries.use_get_one_query(faulty.request(), {"id": "a"})
        assert "get_params names no query of faulty.get_one" in caplog.text
        assert faulty.world.backend.counted()["GET", "/things/a"] == 2
