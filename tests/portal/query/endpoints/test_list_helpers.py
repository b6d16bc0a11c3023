"""List helpers, from the mutation to the cached list (requirements, "List cache helpers" and "Usage faults")."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from portal.query import MutationGroup, mutation_endpoint
from portal.query.cache.write_records import WriteRecord
from portal.query.endpoints.effects import LIST_HELPERS, ListHelper
from tests.portal.query.fakes import Process, World
from tests.portal.query.faulty import Faulty, ThingParams, adds, merges, removes

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore


@pytest.fixture
def faulty(world: World, process: Process, ada: TokenStore) -> Faulty:
    return Faulty(world, process, ada)


def test_every_list_helper_has_a_place_in_the_order_and_a_kind_of_its_own() -> None:
    assert set(LIST_HELPERS) == set(ListHelper.__subclasses__())
    assert len({helper.kind for helper in LIST_HELPERS}) == len(LIST_HELPERS)


class TestUsageFaults:
    """Requirements, "Usage faults", row by row."""

    def test_rows_without_the_field_of_unique_by_are_named_in_a_warning(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture
    ) -> None:
        faulty.rows = [{"name": "no id"}, {"name": "no id"}]
        faulty.serve()
        result = faulty.queries.use_get_things_query(faulty.request())
        assert len(result.data.items) == 2
        assert "give the endpoint unique_by=" in caplog.text

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
    def test_without_a_full_object_nothing_is_inserted_and_the_warning_says_what_to_fix(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, select: Any, helper: Any
    ) -> None:
        faulty.shown()
        result = faulty.write(helper(select))
        assert result.is_success, "the write itself stays a success"
        assert faulty.called == [{"id": "n", "name": "N"}]
        assert "it should give the full object with its id" in caplog.text
        assert faulty.shown() == ["a", "b"]
        assert faulty.fetched() == 2, "and the list is fetched again"

    @pytest.mark.parametrize(
        "get", [lambda sent: None, lambda sent: "", lambda sent: sent.params["id"], lambda sent: {}]
    )
    def test_without_an_id_nothing_is_removed_and_the_warning_says_what_to_fix(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, get: Any
    ) -> None:
        faulty.shown()
        assert faulty.write(removes(get)).is_success
        assert "it should give the id of the deleted row" in caplog.text
        assert faulty.shown() == ["a", "b"]
        assert faulty.fetched() == 2


class TestWithoutFunctions:
    """What nearly every resource would write is what a helper does without a function."""

    @pytest.mark.parametrize(("answer", "shown"), [("n", ["n", "a", "b"]), ("b", ["a", "b"])])
    def test_the_response_is_the_row(self, faulty: Faulty, answer: str, shown: list[str]) -> None:
        faulty.shown()
        faulty.answer = {"id": answer, "name": "N", "more": [1]}
        faulty.write(
            lambda endpoint: endpoint.add_created_to_paginated_list(
                list_query_key="get_things"
            ).merge_updated_in_paginated_list(list_query_key="get_things")
        )
        assert faulty.shown() == shown
        rows = faulty.queries.use_get_things_query(faulty.request()).data.items
        assert faulty.answer in rows, "with fields that no type declares"
        assert faulty.fetched() == 1

    def test_the_parameter_id_names_the_deleted_row(self, faulty: Faulty) -> None:
        faulty.shown()
        faulty.world.backend.open_paths["/things/b"] = None

        class Mutations(MutationGroup, domain="faulty", registry=faulty.registry):
            use_delete_thing_mutation = mutation_endpoint(
                params=ThingParams, url=lambda params: f"/things/{params['id']}", method="DELETE"
            ).remove_from_paginated_list(list_query_key="get_things")

        assert Mutations.use_delete_thing_mutation(faulty.request()).mutate(params={"id": "b"}).is_success
        assert faulty.shown() == ["a"]
        assert faulty.fetched() == 1


class TestRows:
    """A helper may return more than JSON can hold; the stored and the shown row are JSON."""

    @pytest.mark.parametrize("part", [{1: "x"}, {None: "x"}, {True: "x"}, {"x": (1, 2)}])
    def test_a_row_is_stored_and_shown_as_json(self, faulty: Faulty, part: Any) -> None:
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
            patched.setattr(WriteRecord, "stored", lambda _record: 1 / 0)
            assert faulty.write(adds()).is_success
        assert len(faulty.called) == 1
        assert "could not be made" in caplog.text
        assert faulty.shown() == ["a", "b"]
        assert faulty.fetched() == 2
