"""What a write does to every cached variant of a list: its rows and total, its filters and orders, what goes out of date."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from portal.query import (
    MutationGroup,
    QueryGroup,
    RowParams,
    create_query_group,
    mutation_endpoint,
    paginated_query_endpoint,
    query_endpoint,
    same_params,
)
from portal.query.cache.pages import READ_LAG_S, Page, VersionStamp
from portal.query.cache.patches import MergedPage, apply_patches
from portal.query.cache.write_records import Kind, Patch, WriteRecord
from portal.query.endpoints.effects import LIST_HELPERS, ListHelper
from portal.query.endpoints.registry import Registry
from tests.portal.query.clients import clients, delete
from tests.portal.query.fakes import unavailable
from tests.portal.query.faulty import Faulty, Thing, ThingParams, adds, merges, removes
from tests.portal.query.world import User

SORTED = {"sort": "name"}
#: A row that the list does not have, and one that it has.
NEW, KNOWN = {"id": "n", "name": "N"}, {"id": "b", "name": "changed"}


def test_list_helpers_have_order_and_own_kinds() -> None:
    assert set(LIST_HELPERS) == set(ListHelper.__subclasses__())
    assert len({helper.kind for helper in LIST_HELPERS}) == len(LIST_HELPERS)


@pytest.mark.parametrize(
    ("helper", "answer", "params", "matches", "shown", "fetched"),
    [
        (adds, NEW, None, None, ["n", "a", "b"], 1),
        (adds, NEW, SORTED, None, ["a", "b"], 2),
        (adds, NEW, SORTED, lambda *_: True, ["n", "a", "b"], 1),
        (adds, NEW, SORTED, lambda *_: False, ["a", "b"], 1),
        (adds, NEW, SORTED, lambda *_: 1 / 0, ["a", "b"], 2),
        (adds, NEW, SORTED, lambda *_: "yes", ["a", "b"], 2),
        (merges, NEW, {"q": "a"}, None, ["a", "b"], 2),
        (merges, KNOWN, SORTED, lambda *_: False, ["a"], 1),
    ],
)
def test_variants_show_written_rows_or_are_fetched(
    faulty: Faulty, *, helper: Any, answer: Any, params: Any, matches: Any, shown: list[str], fetched: int
) -> None:
    faulty.shown(params)
    faulty.answer = answer
    assert faulty.write(helper(matches=matches)).is_success
    assert (faulty.shown(params), faulty.fetched()) == (shown, fetched)


def test_write_by_unknown_mutation_has_list_fetched(faulty: Faulty) -> None:
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
def test_newest_first_lists_know_creation_order(params: Any, start: Any, place: Any) -> None:
    endpoint = mutation_endpoint(data=dict, url="/write", method="POST")
    added = endpoint.add_created_to_paginated_list(list_query_key="things", newest_first_by="at")
    merged = endpoint.merge_updated_in_paginated_list(list_query_key="things", newest_first_by="at")
    assert [effect.matches(params, {}) for effect in (*added.effects, *merged.effects)] == [start, place]


@pytest.mark.parametrize(
    ("declare", "words"),
    [
        *(
            (helper(select), "the full object with its id")
            for helper in (adds, merges)
            for select in (
                lambda data: data["id"],
                lambda data: None,
                lambda data: {"name": "no id"},
                lambda data: {"id": ""},
                lambda data: data["missing"],
                lambda data: {"id": "n", "at": datetime.now(UTC)},
                lambda data: {"id": "n", "deep": json.loads("[" * 500 + "]" * 500)},
            )
        ),
        *(
            (removes(get), "the id of the deleted row")
            for get in (lambda sent: None, lambda sent: "", lambda sent: sent.params["id"], lambda sent: {})
        ),
    ],
)
def test_unusable_row_is_logged_and_list_fetched(
    faulty: Faulty, caplog: pytest.LogCaptureFixture, declare: Any, words: str
) -> None:
    faulty.shown()
    assert faulty.write(declare).is_success
    assert faulty.called == [NEW]
    assert (faulty.shown(), faulty.fetched()) == (["a", "b"], 2)
    assert f"it should give {words}" in caplog.text


def test_unstorable_record_drops_the_list(
    faulty: Faulty, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patched:
        faulty.shown()
        patched.setattr(WriteRecord, "stored", lambda _record: 1 / 0)
        assert faulty.write(adds()).is_success
    assert "could not be made" in caplog.text
    assert (faulty.shown(), faulty.fetched()) == (["a", "b"], 2)


@pytest.mark.parametrize("part", [{1: "x"}, {None: "x"}, {True: "x"}, {"x": (1, 2)}])
def test_row_is_stored_and_shown_as_json(faulty: Faulty, part: Any) -> None:
    faulty.shown()
    assert faulty.write(adds(lambda data: {**data, **part})).is_success
    assert faulty.rows_shown()[0] == json.loads(json.dumps({"id": "n", "name": "N", **part}))
    assert faulty.fetched() == 1


def test_rows_without_the_unique_field_are_logged(faulty: Faulty, caplog: pytest.LogCaptureFixture) -> None:
    faulty.rows = [{"name": "no id"}, {"name": "no id"}]
    assert len(faulty.rows_shown()) == 2
    assert "give the endpoint unique_by=" in caplog.text


@pytest.mark.parametrize("name", ["1", 1, 1.5])
def test_row_that_comes_twice_is_shown_once(faulty: Faulty, name: str | float) -> None:
    faulty.rows = [{"id": name}, {"id": "other"}, {"id": name}]
    assert len(faulty.rows_shown()) == 2


def test_unique_by_false_keeps_all(faulty: Faulty) -> None:
    endpoint = paginated_query_endpoint(item=Thing, url="/things", unique_by=False)
    queries: Any = create_query_group({"get_all": endpoint}, domain="faulty", registry=faulty.registry)
    faulty.rows = [{"id": "a"}, {"id": "a"}]
    assert faulty.shown() == ["a"]
    assert len(queries.use_get_all_query(faulty.request()).data.items) == 2


@pytest.mark.parametrize(
    ("get_params", "fetched", "is_told"),
    [
        (None, ["x", "5"], False),
        (lambda _sent: {"q": "x"}, ["x"], False),
        (lambda _sent: {"q": 5}, ["5"], False),
        (same_params, [], False),
        (lambda _sent: None, ["x", "5"], True),
        (lambda _sent: {"query": "x"}, ["x", "5"], True),
        (lambda _sent: {"q": object()}, ["x", "5"], True),
        (lambda sent: sent.params["missing"], ["x", "5"], True),
    ],
)
def test_invalidation_marks_named_queries_or_all(
    faulty: Faulty, caplog: pytest.LogCaptureFixture, *, get_params: Any, fetched: list[str], is_told: bool
) -> None:
    def read() -> None:
        for word in ("x", "5"):
            faulty.queries.use_get_thing_query(faulty.request(), {"q": word})

    faulty.serve()
    read()
    faulty.write(lambda made: made.invalidates(query_key="get_thing", get_params=get_params), body={"q": "x"})
    faulty.world.backend.calls.clear()
    read()
    assert [params["q"] for _, _, params in faulty.world.backend.calls] == fetched
    assert ("of faulty.get_thing" in caplog.text) is is_told


@pytest.mark.parametrize("named", [{}, {"name": "x"}])
@pytest.mark.parametrize("kind", [ThingParams, dict])
def test_invalidation_without_path_parameter_marks_all(
    faulty: Faulty, caplog: pytest.LogCaptureFixture, named: Any, kind: Any
) -> None:
    one = query_endpoint(data=Thing, params=kind, url=lambda sent: f"/things/{sent['id']}")
    queries: Any = create_query_group({"get_one": one}, domain="faulty", registry=faulty.registry)
    for _ in range(2):
        faulty.write(lambda made: made.invalidates(query_key="get_one", get_params=lambda _sent: named))
        faulty.world.backend.open_paths["/things/a"] = {"id": "a"}
        queries.use_get_one_query(faulty.request(), {"id": "a"})
    assert "get_params names no query of faulty.get_one" in caplog.text
    assert faulty.world.backend.counted()["GET", "/things/a"] == 2


TAGGED = Registry()


class TaggedMutations(MutationGroup, domain="writes", registry=TAGGED):
    """Declared before the queries."""

    use_rename_mutation = mutation_endpoint(data=dict, params=RowParams, url="/one/{id}", method="PUT").invalidates(
        tag="figures"
    )


class TaggedQueries(QueryGroup, domain="reads", registry=TAGGED):
    use_get_figures_query = query_endpoint(data=dict, url="/figures", tags=("figures", "more"))
    use_get_rows_query = paginated_query_endpoint(item=dict, url="/rows", tags=("figures",))
    use_get_other_query = query_endpoint(data=dict, url="/other", tags=("more",))


@pytest.mark.parametrize("fails", [False, True], ids=["done", "unknown outcome"])
def test_tagged_queries_are_fetched_in_all_processes(ada: User, fails: bool) -> None:
    def fetched(user: User) -> list[str]:
        client, before = user.request(), len(user.backend.calls)
        TaggedQueries.use_get_figures_query(client)
        TaggedQueries.use_get_rows_query(client)
        TaggedQueries.use_get_other_query(client)
        return [path for _, path, _ in user.backend.calls[before:]]

    rows = {"items": [{"id": "a"}], "hasNext": False}
    ada.backend.open_paths, ada.registry = {"/figures": {}, "/rows": rows, "/one/a": {}, "/other": {}}, TAGGED
    fetched(ada)
    ada.backend.failures = [unavailable(), unavailable()] if fails else []
    written = TaggedMutations.use_rename_mutation(ada.request()).mutate(params=RowParams(id="a"))
    assert written.is_success is not fails
    ada.passes(READ_LAG_S)
    assert (fetched(ada.elsewhere()), fetched(ada)) == (["/figures", "/rows"], [])


@pytest.mark.parametrize(("seconds", "expected"), [(22, 4), (21.9, None)])
def test_total_counts_unseen_row_of_older_pages(ada: User, seconds: float, expected: int | None) -> None:
    """A page that came just before may have been counted after the removal."""
    clients(ada)
    ada.passes(seconds)
    delete(ada, "c1")
    assert clients(ada).data.total == expected


@pytest.mark.parametrize("given", [{}, *({"total": value} for value in (None, "5", True, -1, 5.0))])
def test_total_without_a_number_is_unknown(ada: User, given: Any) -> None:
    rows = [{"id": "a"}, {"id": "b"}]
    ada.backend.open_paths = {"/energy/clients": {"items": rows, "hasNext": False, "nextCursor": None, **given}}
    assert clients(ada).data.total is None


def patched(*patches: tuple[Kind, str], params: Any = None, fits: Any = True, **options: Any) -> MergedPage:
    """The page of a list of five, which shows `a`, after one write for each patch, long after the page."""
    page_total, cursor = options.pop("total", 5), options.pop("cursor", None)
    page = Page(
        stamp=VersionStamp(position=1, generation="g"), at=0, cursor=cursor, body={"items": [ROW], "total": page_total}
    )
    records = [
        WriteRecord(
            by="m", patches=(Patch(kind=kind, row_id=name, row=None if kind == "remove" else {"id": name}),), done_at=60
        )
        for kind, name in patches
    ]
    return apply_patches(page, records, params=params or {}, matches=lambda *_: fits, **options)


ROW = {"id": "a", "name": "A"}
FILTERED = {"q": "x"}


@pytest.mark.parametrize(
    ("kind", "row_id", "params", "fits", "expected", "shown"),
    [
        ("add", "n", {}, True, 6, [{"id": "n"}, ROW]),
        ("add", "a", {}, True, 5, [ROW]),
        ("add", "n", FILTERED, True, 6, [{"id": "n"}, ROW]),
        ("add", "n", FILTERED, False, 5, [ROW]),
        ("add", "n", FILTERED, None, "stale", [ROW]),
        ("add", "a", FILTERED, False, 4, []),
        ("remove", "a", {}, None, 4, []),
        ("remove", "n", {}, None, 4, [ROW]),
        ("remove", "a", FILTERED, None, 4, []),
        ("remove", "n", FILTERED, None, None, [ROW]),
        ("merge", "a", {}, True, 5, [{"id": "a"}]),
        ("merge", "n", {}, True, 5, [ROW]),
        ("merge", "a", FILTERED, False, 4, []),
        ("merge", "n", FILTERED, False, None, [ROW]),
        ("merge", "n", {}, False, None, [ROW]),
        ("merge", "n", FILTERED, True, "stale", [ROW]),
        ("merge", "a", FILTERED, None, "stale", [ROW]),
    ],
)
def test_patch_changes_rows_and_total(
    *, kind: Kind, row_id: str, params: Any, fits: bool | None, expected: Any, shown: list[Any]
) -> None:
    found = patched((kind, row_id), params=params, fits=fits)
    assert ("stale" if found.is_invalidated else found.total, found.rows) == (expected, shown)


def test_later_page_gets_no_row_and_no_total() -> None:
    found = patched(("add", "n"), cursor="x")
    assert (found.rows, found.total, found.is_invalidated, found.applied) == ([ROW], None, False, 0)


def test_more_removals_than_rows_leave_no_total() -> None:
    assert patched(("remove", "n"), total=0).total is None


@pytest.mark.parametrize("again", ["add", "merge"])
def test_row_back_after_its_removal_is_stale(again: Kind) -> None:
    assert patched(("remove", "a"), (again, "a")).is_invalidated
    assert patched(("remove", "a"), (again, "a"), ("remove", "n")).is_invalidated
    assert not patched(("remove", "a"), (again, "n")).is_invalidated


@pytest.mark.parametrize(
    ("patch", "fits", "is_stale"),
    [("add", True, True), ("remove", True, True), ("merge", False, True), ("merge", True, False)],
)
def test_moved_positions_are_stale(patch: Kind, fits: bool, is_stale: bool) -> None:
    assert patched((patch, "a"), fits=fits, by_position=True).is_invalidated is is_stale
    assert not patched((patch, "a"), fits=fits).is_invalidated


def test_numbered_row_is_found_and_page_unchanged() -> None:
    page = Page(stamp=None, at=0, cursor=None, body={"items": [{"id": 1}, {"id": True}, ROW]})
    patch = Patch(kind="merge", row_id="1", row={"id": 1, "name": "new"})
    found = apply_patches(page, [WriteRecord(by="m", patches=(patch,))], params={}, matches=lambda *_: True)
    assert (found.rows[0]["name"], page.body["items"][0]) == ("new", {"id": 1})
