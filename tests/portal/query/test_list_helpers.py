"""The document's list cache helpers and its four usage faults, at the seam between mutations and lists."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypedDict

import pytest

from portal.query import MutationGroup, QueryGroup, mutation_endpoint, paginated_query_endpoint, query_endpoint
from portal.query.checks import check_registry
from portal.query.registry import Registry
from portal.services.rows import belongs_at_start, stays_in_place
from tests.portal.query.fakes import Process, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from portal.api.tokens import TokenStore
    from portal.query import QueryClient


class Thing(TypedDict, total=False):
    id: str
    name: str


class ThingsParams(TypedDict, total=False):
    q: str
    sort: str


class ThingParams(TypedDict):
    id: str


class Faulty:
    """A list of things, and one mutation with the helper that a test gives it."""

    def __init__(self, world: World, process: Process, tokens: TokenStore) -> None:
        self.world, self.process, self.tokens = world, process, tokens
        self.registry = Registry()
        self.rows = [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
        self.answer: Any = {"id": "n", "name": "N"}
        registry = self.registry

        class Queries(QueryGroup, domain="faulty", registry=registry):
            use_get_things_query = paginated_query_endpoint(item=Thing, params=ThingsParams, url="/things")
            use_get_thing_query = query_endpoint(data=Thing, params=ThingsParams, url="/thing")

        self.queries = Queries

    def request(self) -> QueryClient:
        return self.process.request(self.tokens, registry=self.registry)

    def shown(self, params: Any = None) -> list[Any]:
        self.serve()
        return [row["id"] for row in self.queries.use_get_things_query(self.request(), params).data.items]

    def write(self, declare: Callable[[Any], Any], **call: Any) -> Any:
        self.serve()

        class Mutations(MutationGroup, domain="faulty", registry=self.registry):
            use_write_mutation = declare(mutation_endpoint(data=dict, body=dict, url="/write", method="POST"))

        self.called: list[Any] = []
        mutation = Mutations.use_write_mutation(self.request(), on_success=self.called.append)
        return mutation.mutate(body=call.pop("body", {}))

    def fetched(self) -> int:
        return self.world.backend.counted()["GET", "/things"]

    def serve(self) -> None:
        self.world.backend.open_paths = {
            "/things": {"items": self.rows, "hasNext": False, "nextCursor": None},
            "/thing": {"id": "a"},
            "/write": self.answer,
        }


@pytest.fixture
def faulty(world: World, process: Process, ada: TokenStore) -> Faulty:
    return Faulty(world, process, ada)


def adds(select: Any = lambda data: data, matches: Any = None) -> Callable[[Any], Any]:
    return lambda endpoint: endpoint.add_created_to_paginated_list(
        list_query_key="get_things", select_list_item=select, matches=matches
    )


def merges(select: Any = lambda data: data, matches: Any = None) -> Callable[[Any], Any]:
    return lambda endpoint: endpoint.merge_updated_in_paginated_list(
        list_query_key="get_things", select_list_item=select, matches=matches
    )


def removes(get: Any) -> Callable[[Any], Any]:
    return lambda endpoint: endpoint.remove_from_paginated_list(list_query_key="get_things", get_deleted_id=get)


class TestUsageFaults:
    """The document's table, row by row."""

    def test_a_list_query_key_that_differs_from_the_lists_is_an_error_at_start(self, faulty: Faulty) -> None:
        faulty.write(
            lambda endpoint: endpoint.add_created_to_paginated_list(
                list_query_key="get_thingz", select_list_item=lambda data: data
            )
        )
        [fault] = check_registry(faulty.registry)
        assert fault.id == "portal.query.E003"
        assert "'faulty.get_thingz' is that of no query" in fault.msg
        assert "faulty.get_thing" in (fault.hint or "")

    def test_rows_without_the_field_of_unique_by_are_named_in_a_warning(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("portal.query.client._named", set())
        faulty.rows = [{"name": "no id"}, {"name": "no id"}]
        faulty.serve()
        result = faulty.queries.use_get_things_query(faulty.request())
        assert len(result.data.items) == 2
        assert "give the endpoint unique_by=" in caplog.text

    def test_an_item_type_without_the_field_of_unique_by_is_an_error_at_start(self) -> None:
        registry = Registry()

        class Queries(QueryGroup, domain="faulty", registry=registry):
            use_get_things_query = paginated_query_endpoint(item=Thing, url="/things", unique_by="serial")

        [fault] = check_registry(registry)
        assert fault.id == "portal.query.E002"
        assert "'serial', which Thing does not have" in fault.msg

    @pytest.mark.parametrize(
        "select",
        [
            lambda data: data["id"],
            lambda data: None,
            lambda data: {"name": "no id"},
            lambda data: {"id": ""},
            lambda data: data["missing"],
            lambda data: {"id": "n", "at": datetime.now(UTC)},
        ],
        ids=["an id alone", "nothing", "no id", "an empty id", "raises", "no JSON"],
    )
    @pytest.mark.parametrize("helper", [adds, merges])
    def test_what_is_no_full_object_inserts_nothing_and_says_what_to_fix(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, select: Any, helper: Any
    ) -> None:
        faulty.shown()
        result = faulty.write(helper(select))
        assert result.is_success, "the write itself stays a success"
        assert faulty.called == [{"id": "n", "name": "N"}]
        assert "it should give the full object with its id" in caplog.text
        assert faulty.shown() == ["a", "b"]
        assert faulty.fetched() == 2, "and the list is fetched anew"

    @pytest.mark.parametrize(
        "get", [lambda sent: None, lambda sent: "", lambda sent: sent.params["id"], lambda sent: {}]
    )
    def test_what_is_no_id_removes_nothing_and_says_what_to_fix(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, get: Any
    ) -> None:
        faulty.shown()
        assert faulty.write(removes(get)).is_success
        assert "it should give the id of the deleted row" in caplog.text
        assert faulty.shown() == ["a", "b"]
        assert faulty.fetched() == 2

    def test_helpers_run_before_on_success(self, faulty: Faulty) -> None:
        faulty.shown()
        seen: list[Any] = []

        class Mutations(MutationGroup, domain="faulty", registry=faulty.registry):
            use_write_mutation = adds()(mutation_endpoint(data=dict, url="/write", method="POST"))

        Mutations.use_write_mutation(faulty.request(), on_success=lambda _: seen.append(faulty.shown())).mutate()
        assert seen == [["n", "a", "b"]]


class TestRows:
    """What a helper makes of an answer need not be JSON; what is stored and shown is."""

    @pytest.mark.parametrize("part", [{1: "x"}, {None: "x"}, {True: "x"}, {"x": (1, 2)}])
    def test_a_row_is_as_json_has_it(self, faulty: Faulty, part: Any) -> None:
        faulty.shown()
        assert faulty.write(adds(lambda data: {**data, **part})).is_success
        assert len(faulty.called) == 1
        row = faulty.queries.use_get_things_query(faulty.request()).data.items[0]
        assert row == json.loads(json.dumps({"id": "n", "name": "N", **part}))
        assert faulty.fetched() == 1

    @pytest.mark.parametrize("depth", [500, 900])
    def test_a_row_that_is_nested_too_deeply_is_left_to_the_server(self, faulty: Faulty, depth: int) -> None:
        faulty.shown()
        deep = json.loads("[" * depth + "]" * depth)
        assert faulty.write(adds(lambda data: {**data, "deep": deep})).is_success
        assert faulty.shown() == ["a", "b"]
        assert faulty.fetched() == 2

    def test_a_record_that_cannot_be_kept_drops_the_list_and_not_the_write(
        self, faulty: Faulty, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        faulty.shown()
        with monkeypatch.context() as patched:
            patched.setattr("portal.query.list_cache.Record.stored", lambda _record: 1 / 0)
            assert faulty.write(adds()).is_success
        assert len(faulty.called) == 1
        assert "could not be made" in caplog.text
        assert faulty.shown() == ["a", "b"]
        assert faulty.fetched() == 2


class TestVariants:
    def test_an_added_row_that_is_there_already_is_replaced_where_it_stands(self, faulty: Faulty) -> None:
        faulty.shown()
        faulty.answer = {"id": "b", "name": "changed"}
        faulty.write(adds())
        assert faulty.shown() == ["a", "b"]

    @pytest.mark.parametrize("params", [{"q": "x"}, {"sort": "name"}])
    @pytest.mark.parametrize("helper", [adds, merges])
    def test_a_variant_with_parameters_is_fetched_anew_without_a_matches(
        self, faulty: Faulty, params: Any, helper: Any
    ) -> None:
        faulty.shown(params)
        faulty.write(helper())
        faulty.shown(params)
        assert faulty.fetched() == 2

    @pytest.mark.parametrize(
        ("verdict", "shown", "fetched"), [(True, ["n", "a", "b"], 1), (False, ["a", "b"], 1), (None, ["a", "b"], 2)]
    )
    def test_matches_decides_where_an_added_row_goes(
        self, faulty: Faulty, verdict: bool | None, shown: list[str], fetched: int
    ) -> None:
        faulty.shown({"q": "x"})
        asked: list[Any] = []
        faulty.write(adds(matches=lambda params, row: (asked.append((params, row["id"])), verdict)[1]))
        assert faulty.shown({"q": "x"}) == shown
        assert faulty.fetched() == fetched
        assert asked == [({"q": "x"}, "n")]

    def test_a_changed_row_that_comes_to_match_a_variant_has_it_fetched_anew(self, faulty: Faulty) -> None:
        faulty.shown({"q": "x"})
        faulty.rows = [{"id": "n", "name": "N"}, *faulty.rows]
        faulty.write(merges(matches=lambda _params, _row: True))
        assert faulty.shown({"q": "x"}) == ["n", "a", "b"]
        assert faulty.fetched() == 2

    def test_a_changed_row_of_another_page_of_the_whole_list_has_nothing_fetched(self, faulty: Faulty) -> None:
        faulty.shown()
        faulty.write(merges())
        faulty.shown()
        assert faulty.fetched() == 1

    def test_matches_takes_a_changed_row_out_of_a_variant(self, faulty: Faulty) -> None:
        faulty.shown({"q": "x"})
        faulty.answer = {"id": "b", "name": "changed"}
        faulty.write(merges(matches=lambda _params, _row: False))
        assert faulty.shown({"q": "x"}) == ["a"]
        assert faulty.fetched() == 1

    def test_a_matches_that_changes_the_row_changes_nothing_that_is_shown(self, faulty: Faulty) -> None:
        faulty.shown()
        faulty.write(adds(matches=lambda _params, row: bool(row.update(id="x", name="changed")) or True))
        for _ in range(2):
            assert faulty.queries.use_get_things_query(faulty.request()).data.items[0] == {"id": "n", "name": "N"}

    @pytest.mark.parametrize("matches", [lambda params, row: 1 / 0, lambda params, row: "yes"])
    def test_a_matches_that_gives_no_verdict_leaves_it_to_the_server(self, faulty: Faulty, matches: Any) -> None:
        faulty.shown({"q": "x"})
        assert faulty.write(adds(matches=matches)).is_success
        faulty.shown({"q": "x"})
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
    def test_the_services_know_the_order_of_creation(self, params: Any, start: Any, place: Any) -> None:
        assert belongs_at_start(params, {"id": "x"}) is start
        assert stays_in_place(params, {"id": "x"}) is place


class TestOutdate:
    @pytest.mark.parametrize(
        ("get_params", "outdated"),
        [
            (None, ["x", "y"]),
            (lambda sent: {"q": "x"}, ["x"]),
            (lambda sent: {"q": "x", "sort": None}, ["x"]),
            (lambda sent: sent.params["missing"], ["x", "y"]),
        ],
    )
    def test_it_marks_the_named_query_or_all_of_them(
        self, faulty: Faulty, get_params: Any, outdated: list[str]
    ) -> None:
        faulty.serve()
        read = faulty.queries.use_get_thing_query
        for word in ("x", "y"):
            read(faulty.request(), {"q": word})
        faulty.write(lambda endpoint: endpoint.outdate(query_key="get_thing", get_params=get_params))
        faulty.world.backend.calls.clear()
        for word in ("x", "y"):
            read(faulty.request(), {"q": word})
        assert [params["q"] for _, _, params in faulty.world.backend.calls] == outdated

    @pytest.mark.parametrize(
        "named", [None, ["q"], {"query": "x"}, {"q": "x", "query": "y"}, {"q": object()}], ids=repr
    )
    def test_what_names_no_query_marks_all_of_them_and_says_so(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, named: Any
    ) -> None:
        faulty.serve()
        faulty.queries.use_get_thing_query(faulty.request(), {"q": "x"})
        faulty.write(lambda endpoint: endpoint.outdate(query_key="get_thing", get_params=lambda _sent: named))
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
        faulty.write(lambda endpoint: endpoint.outdate(query_key="get_one", get_params=lambda _sent: named))
        assert "get_params names no query of faulty.get_one" in caplog.text
        faulty.world.backend.open_paths["/things/a"] = {"id": "a"}
        Queries.use_get_one_query(faulty.request(), {"id": "a"})
        assert faulty.world.backend.counted()["GET", "/things/a"] == 2

    def test_the_list_without_parameters_is_named_by_none_of_them(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture
    ) -> None:
        faulty.shown()
        faulty.shown({"q": "x"})
        faulty.write(lambda endpoint: endpoint.outdate(query_key="get_things", get_params=lambda _sent: {}))
        faulty.shown()
        faulty.shown({"q": "x"})
        assert faulty.fetched() == 3
        assert "names no query" not in caplog.text

    def test_a_number_and_its_digits_name_the_same_query(self, faulty: Faulty) -> None:
        faulty.serve()
        read = faulty.queries.use_get_thing_query
        read(faulty.request(), {"q": "5"})
        faulty.write(lambda endpoint: endpoint.outdate(query_key="get_thing", get_params=lambda _sent: {"q": 5}))
        faulty.world.backend.calls.clear()
        read(faulty.request(), {"q": "5"})
        assert [params["q"] for _, _, params in faulty.world.backend.calls] == ["5"]


class TestChecks:
    def test_a_one_shot_query_is_no_list(self, faulty: Faulty) -> None:
        faulty.write(
            lambda endpoint: endpoint.remove_from_paginated_list(
                list_query_key="faulty.get_thing", get_deleted_id=lambda sent: "a"
            )
        )
        assert [fault.id for fault in check_registry(faulty.registry)] == ["portal.query.E004"]

    @pytest.mark.parametrize("helper", [adds, merges])
    def test_two_helpers_of_one_kind_on_one_list(self, faulty: Faulty, helper: Any) -> None:
        faulty.write(lambda endpoint: helper(matches=lambda _params, _row: False)(helper()(endpoint)))
        assert [fault.id for fault in check_registry(faulty.registry)] == ["portal.query.E008"]

    def test_two_hooks_with_one_key(self, faulty: Faulty) -> None:
        class More(QueryGroup, domain="faulty", registry=faulty.registry):
            use_get_thing_query = query_endpoint(data=Thing, url="/other")

        assert [fault.id for fault in check_registry(faulty.registry)] == ["portal.query.E001"]

    @pytest.mark.parametrize(
        ("url", "fault"),
        [
            (lambda params: params["id"].missing(), "portal.query.E005"),
            (lambda params: f"things/{params['id']}", "portal.query.E006"),
            (lambda params: "//other.test", "portal.query.E006"),
            (lambda params: f"/things?id={params['id']}", "portal.query.E006"),
            (lambda params: f"/things/../{params['id']}", "portal.query.E006"),
        ],
    )
    def test_a_url_function_that_gives_no_path(self, url: Any, fault: str) -> None:
        registry = Registry()

        class Queries(QueryGroup, domain="faulty", registry=registry):
            use_get_thing_query = query_endpoint(data=Thing, params=ThingsParams, url=url)

        assert [found.id for found in check_registry(registry)] == [fault]

    def test_a_hook_in_the_place_of_its_key_is_as_good(self, faulty: Faulty) -> None:
        faulty.shown()
        hook = faulty.queries.use_get_things_query
        faulty.write(
            lambda endpoint: endpoint.add_created_to_paginated_list(
                list_query_key=hook, select_list_item=lambda data: data
            )
        )
        assert check_registry(faulty.registry) == []
        assert faulty.shown() == ["n", "a", "b"]
