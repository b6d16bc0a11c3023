"""System checks of what is declared: two of the four usage faults, and others, are found at start."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.checks import CheckMessage

from portal.query import (
    Record,
    Row,
    create_mutation_group,
    create_query_group,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
)
from portal.query.endpoints.registry import Registry
from portal.query.hooks.checks import check_endpoints
from tests.portal.query.faulty import Thing, ThingsParams, adds, merges


class ThingRow(Row):
    is_new: bool = False


class Part(Record):
    pass


class TwoKinds(Row):
    part: ThingRow | Part | None = None


class NotThere(Row):
    at: Missing | None = None  # type: ignore[name-defined]  # noqa: F821  what a test is about


class Bill(Row):
    """A row of another resource."""

    number: str = ""


class BillWithLines(Bill):
    """The same, as a detail."""

    lines: tuple[str, ...] = ()


def registry_with_profile() -> Registry:
    registry = Registry()
    create_query_group({"get_me": query_endpoint(data=dict, url="/me")}, domain="user", registry=registry)
    return registry


def faults_of(queries: dict[str, Any], write: Any = None) -> list[CheckMessage]:
    """What the checks find in a list of things and one of things by id, in these queries, and in this mutation."""
    registry = registry_with_profile()
    given = {
        "get_things": paginated_query_endpoint(item=Thing, url="/things"),
        "get_thing": query_endpoint(data=Thing, params=ThingsParams, url="/thing"),
    }
    create_query_group(given | queries, domain="faulty", registry=registry)
    create_mutation_group({"write": write} if write is not None else {}, domain="faulty", registry=registry)
    return check_endpoints(registry)


def writing(data: Any = dict) -> Any:
    return mutation_endpoint(data=data, url="/write", method="POST")


def listing(item: Any, **options: Any) -> dict[str, Any]:
    return {"get_things": paginated_query_endpoint(item=item, url="/things", **options)}


def one(data: Any, **options: Any) -> dict[str, Any]:
    return {"get_thing": query_endpoint(data=data, **{"url": "/thing", **options})}


def of_url(url: Any) -> dict[str, Any]:
    return one(Thing, params=ThingsParams, url=url)


@pytest.mark.parametrize(
    ("fault", "queries", "write", "words"),
    [
        ("E002", listing(Thing, unique_by="serial"), None, "'serial', which Thing does not have"),
        (
            "E002",
            listing(ThingRow, unique_by="is_new"),
            None,
            "which ThingRow does not have; give unique_by one of its",
        ),
        ("", listing(ThingRow, unique_by="isNew"), None, ""),
        ("E003", {}, adds()(writing()).invalidates(query_key="get_thingz"), "'faulty.get_thingz' is not the key of"),
        ("E003", {}, writing().set_answer(query_key="get_thingss"), "or its key 'faulty.get_thing';"),
        ("E003", {}, writing().remove_from_paginated_list(list_query_key="get_thin"), "or its key 'faulty.get_things'"),
        ("E003", {}, writing().invalidates(query_key=query_endpoint(data=dict, url="/x")), "an attribute of a Query"),
        ("E004", {}, writing().add_created_to_paginated_list(list_query_key="faulty.get_thing"), ""),
        ("E004", {}, writing().set_answer(query_key="get_things"), ""),
        ("E005", of_url(lambda params: params["id"].missing()), None, ""),
        ("E006", of_url(lambda params: f"things/{params['id']}"), None, ""),
        ("E006", of_url(lambda _params: "//other.test"), None, ""),
        ("E006", of_url(lambda params: f"/things/../{params['id']}"), None, ""),
        ("E008", {}, adds(matches=lambda _params, _row: False)(adds()(writing())), ""),
        ("E008", {}, merges(matches=lambda _params, _row: False)(merges()(writing())), ""),
        ("E009", of_url(lambda params: f"/{params['idd']}"), None, "names idd, which is no parameter; params declares"),
        ("E010", one(TwoKinds), None, "must be tagged"),
        ("E010", listing(NotThere), None, "Missing"),
        ("E011", listing(Bill), adds(None)(writing(ThingRow)), " lacks number"),
        ("", listing(Bill), adds()(writing(ThingRow)), ""),
        ("", listing(Bill), adds(None)(writing(BillWithLines)), ""),
        ("", listing(Bill), adds(None)(writing(dict)), ""),
        ("E012", {}, writing().invalidates(tag="xyz"), "no query has the tag 'xyz'; give the queries"),
        ("E012", one(Thing, tags=("figures",)), writing().invalidates(tag="figure"), "did you mean 'figures'?"),
        ("", one(Thing, tags=("figures",)), writing().invalidates(tag="figures"), ""),
        ("E014", one(BillWithLines), writing(Bill).set_answer(query_key="get_thing"), "lacks lines"),
        ("E014", one(Bill), writing(Thing).set_answer(query_key="get_thing"), "lacks createdAt, number"),
        ("E014", {}, writing().set_answer(query_key="user.get_me"), ""),
        ("", one(Bill), writing(BillWithLines).set_answer(query_key="get_thing"), ""),
        ("", one(dict), writing(Bill).set_answer(query_key="get_thing"), ""),
        ("", one(Bill), writing(dict).set_answer(query_key="get_thing"), ""),
        ("E015", {}, writing(), "changes no cached query"),
        ("", {}, writing().changes_nothing(), ""),
    ],
)
def test_a_declaration_that_can_not_work_is_an_error_at_start(
    fault: str, queries: dict[str, Any], write: Any, words: str
) -> None:
    found = faults_of(queries, write)
    assert [each.id for each in found] == ([f"portal.query.{fault}"] if fault else [])
    for each in found:
        assert words in f"{each.msg}; {each.hint}"
        assert "test_checks.py:" in each.obj


def test_two_hooks_with_one_key_are_an_error_and_one_that_was_not_imported_may_have_the_tag() -> None:
    registry = registry_with_profile()
    for _ in range(2):
        create_query_group(one(Thing), domain="faulty", registry=registry)
    create_mutation_group({"write": writing().invalidates(tag="xyz")}, domain="faulty", registry=registry)
    assert [fault.id for fault in check_endpoints(registry, incomplete={"other"})] == ["portal.query.E001"]


def test_a_hook_may_stand_for_its_key_before_it_has_a_name() -> None:
    registry, later = registry_with_profile(), paginated_query_endpoint(item=Thing, url="/things")
    write = writing().add_created_to_paginated_list(list_query_key=later)
    create_mutation_group({"write": write}, domain="faulty", registry=registry)
    create_query_group({"get_later": later}, domain="faulty", registry=registry)
    assert [helper.target for helper in write.helpers] == ["faulty.get_later"]
    assert check_endpoints(registry) == []


def test_missing_profile_query_is_an_error() -> None:
    assert [fault.id for fault in check_endpoints(Registry())] == ["portal.query.E007"]
