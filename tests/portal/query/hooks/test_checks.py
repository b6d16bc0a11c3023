"""System checks of what is declared: two of the four usage faults, and others, are found at start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.query import (
    MutationGroup,
    QueryGroup,
    Record,
    Row,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.query.hooks.checks import check_registry
from tests.portal.query.fakes import Process, World
from tests.portal.query.faulty import Faulty, Thing, ThingsParams, adds, merges

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore


class ThingRow(Row):
    is_new: bool = False


class Part(Record):
    pass


class TwoKinds(Row):
    part: ThingRow | Part | None = None


class NotThere(Row):
    at: Missing | None = None  # type: ignore[name-defined]  # noqa: F821  what a test is about


@pytest.fixture
def faulty(world: World, process: Process, ada: TokenStore) -> Faulty:
    return Faulty(world, process, ada)


def test_a_list_query_key_that_differs_from_the_lists_is_an_error_at_start(faulty: Faulty) -> None:
    faulty.write(
        lambda endpoint: endpoint.add_created_to_paginated_list(
            list_query_key="get_thingz", select_list_item=lambda data: data
        )
    )
    [fault] = check_registry(faulty.registry)
    assert fault.id == "portal.query.E003"
    assert "'faulty.get_thingz' is not the key of a query" in fault.msg
    assert "faulty.get_thing" in (fault.hint or "")
    assert "test_checks.py:" in fault.obj, "the line of the declaration"


def test_an_item_type_without_the_field_of_unique_by_is_an_error_at_start() -> None:
    registry = Registry()

    class Queries(QueryGroup, domain="faulty", registry=registry):
        use_get_things_query = paginated_query_endpoint(item=Thing, url="/things", unique_by="serial")

    [fault] = check_registry(registry)
    assert fault.id == "portal.query.E002"
    assert "'serial', which Thing does not have" in fault.msg


def test_a_row_without_the_field_of_unique_by_is_an_error_at_start() -> None:
    registry = Registry()

    class Queries(QueryGroup, domain="faulty", registry=registry):
        use_get_things_query = paginated_query_endpoint(item=ThingRow, url="/things", unique_by="is_new")
        use_get_others_query = paginated_query_endpoint(item=ThingRow, url="/others", unique_by="isNew")

    [fault] = check_registry(registry)
    assert fault.id == "portal.query.E002"
    assert "'is_new', which ThingRow does not have" in fault.msg
    assert "isNew" in (fault.hint or "")


@pytest.mark.parametrize(("row", "words"), [(TwoKinds, "must be tagged"), (NotThere, "Missing")])
def test_a_row_that_cannot_be_decoded_is_an_error_at_start(row: Any, words: str) -> None:
    registry = Registry()

    class Queries(QueryGroup, domain="faulty", registry=registry):
        use_get_things_query = paginated_query_endpoint(item=row, url="/things")
        use_get_thing_query = query_endpoint(data=row, url="/thing")

    faults = check_registry(registry)
    assert [fault.id for fault in faults] == ["portal.query.E010"] * 2
    assert all(words in fault.msg for fault in faults)


def test_a_list_helper_for_a_one_shot_query_is_an_error(faulty: Faulty) -> None:
    faulty.write(
        lambda endpoint: endpoint.remove_from_paginated_list(
            list_query_key="faulty.get_thing", get_deleted_id=lambda sent: "a"
        )
    )
    assert [fault.id for fault in check_registry(faulty.registry)] == ["portal.query.E004"]


class Bill(Row):
    """A row of another resource."""

    number: str = ""


class BillWithLines(Bill):
    """The same, as a detail."""

    lines: tuple[str, ...] = ()


@pytest.mark.parametrize(("data", "faults"), [(ThingRow, ["portal.query.E011"]), (BillWithLines, []), (dict, [])])
def test_a_response_that_is_no_whole_row_of_the_list_is_an_error_at_start(data: Any, faults: list[str]) -> None:
    registry = Registry()

    class Queries(QueryGroup, domain="faulty", registry=registry):
        use_get_bills_query = paginated_query_endpoint(item=Bill, url="/bills")

    class Mutations(MutationGroup, domain="faulty", registry=registry):
        use_write_mutation = mutation_endpoint(data=data, url="/write", method="POST").add_created_to_paginated_list(
            list_query_key="get_bills"
        )
        use_select_mutation = mutation_endpoint(data=data, url="/select", method="POST").add_created_to_paginated_list(
            list_query_key="get_bills", select_list_item=lambda response: response["bill"]
        )

    found = check_registry(registry)
    assert [fault.id for fault in found] == faults
    assert all(" lacks number" in fault.msg for fault in found)


@pytest.mark.parametrize("helper", [adds, merges])
def test_two_helpers_of_one_kind_on_one_list_are_an_error(faulty: Faulty, helper: Any) -> None:
    faulty.write(lambda endpoint: helper(matches=lambda _params, _row: False)(helper()(endpoint)))
    assert [fault.id for fault in check_registry(faulty.registry)] == ["portal.query.E008"]


def test_two_hooks_with_one_key_are_an_error(faulty: Faulty) -> None:
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
def test_a_url_function_that_returns_no_path_is_an_error(url: Any, fault: str) -> None:
    registry = Registry()

    class Queries(QueryGroup, domain="faulty", registry=registry):
        use_get_thing_query = query_endpoint(data=Thing, params=ThingsParams, url=url)

    assert [found.id for found in check_registry(registry)] == [fault]


def test_a_url_function_that_reads_no_parameter_of_the_endpoint_is_an_error() -> None:
    registry = Registry()

    class Queries(QueryGroup, domain="faulty", registry=registry):
        use_get_thing_query = query_endpoint(
            data=Thing, params=ThingsParams, url=lambda params: f"/things/{params['idd']}"
        )

    [fault] = check_registry(registry)
    assert fault.id == "portal.query.E009"
    assert "names idd, which is no parameter; params declares" in fault.msg


def test_a_hook_may_stand_for_its_key(faulty: Faulty) -> None:
    faulty.shown()
    hook = faulty.queries.use_get_things_query
    faulty.write(
        lambda endpoint: endpoint.add_created_to_paginated_list(list_query_key=hook, select_list_item=lambda data: data)
    )
    assert check_registry(faulty.registry) == []
    assert faulty.shown() == ["n", "a", "b"]


def test_a_hook_may_get_its_name_after_a_mutation_has_named_it(faulty: Faulty) -> None:
    hook = paginated_query_endpoint(item=Thing, url="/things")
    declared: Any = mutation_endpoint(data=Thing, url="/write", method="POST").add_created_to_paginated_list(
        list_query_key=hook
    )

    class Queries(QueryGroup, domain="faulty", registry=faulty.registry):
        use_get_later_query = hook

    class Mutations(MutationGroup, domain="faulty", registry=faulty.registry):
        use_write_mutation = declared

    assert [helper.target for helper in Mutations.use_write_mutation.helpers] == ["faulty.get_later"]
    assert check_registry(faulty.registry) == []


def test_a_hook_that_gets_no_name_is_an_error_at_start(faulty: Faulty) -> None:
    hook = query_endpoint(data=Thing, url="/thing")

    class Mutations(MutationGroup, domain="faulty", registry=faulty.registry):
        use_write_mutation = mutation_endpoint(url="/write", method="POST").invalidates(query_key=hook)

    [fault] = check_registry(faulty.registry)
    assert fault.id == "portal.query.E003"
    assert "should be an attribute of a QueryGroup" in fault.msg


class TestSetAnswer:
    """What can't be the response of the query is told at start."""

    class Part(Row):
        name: str = ""

    class Whole(Part):
        notes: tuple[str, ...] = ()

    @pytest.mark.parametrize(
        ("response", "query", "faults"),
        [
            (Part, Whole, ["portal.query.E014"]),
            (Whole, Part, []),
            (Whole, Whole, []),
            (Part, dict, []),
            (dict, Whole, []),
            (Thing, Whole, ["portal.query.E014"]),
        ],
    )
    def test_a_part_of_the_response_is_an_error(self, response: Any, query: Any, faults: list[str]) -> None:
        registry = Registry()

        class Queries(QueryGroup, domain="faulty", registry=registry):
            use_get_one_query = query_endpoint(data=query, url="/one")

        class Mutations(MutationGroup, domain="faulty", registry=registry):
            use_write_mutation = mutation_endpoint(data=response, url="/one", method="PUT").set_answer(
                query_key="get_one"
            )

        found = check_registry(registry)
        assert [fault.id for fault in found] == faults
        assert all("lacks createdAt, notes" in fault.msg or "lacks notes" in fault.msg for fault in found)

    @pytest.mark.parametrize(
        ("named", "fault"),
        [
            ("get_things", "portal.query.E004"),
            ("get_thingz", "portal.query.E003"),
            ("user.get_me", "portal.query.E014"),
        ],
    )
    def test_so_is_a_query_that_takes_no_answer(self, faulty: Faulty, named: str, fault: str) -> None:
        class Profile(QueryGroup, domain="user", registry=faulty.registry):
            use_get_me_query = query_endpoint(data=dict, url="/me")

        faulty.write(lambda endpoint: endpoint.set_answer(query_key=named))
        assert [found.id for found in check_registry(faulty.registry)] == [fault]
