"""What a write does to every cached variant of a list: its rows and total, its filters and orders, what goes out of date."""

from __future__ import annotations

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
from portal.query.cache.pages import Page, VersionStamp
from portal.query.cache.patches import apply_patches
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


def test_every_list_helper_has_a_place_in_the_order_and_a_kind_of_its_own() -> None:
    assert set(LIST_HELPERS) == set(ListHelper.__subclasses__())
    assert len({helper.kind for helper in LIST_HELPERS}) == len(LIST_HELPERS)


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

    def test_from_a_cursor_on_get_no_added_row(self, faulty: Faulty) -> None:
        faulty.shown(cursor="x")
        faulty.write(adds())
        assert faulty.shown(cursor="x") == ["a", "b"]

    def test_are_left_to_the_server_where_this_process_does_not_know_the_mutation(self, faulty: Faulty) -> None:
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
    def test_that_are_newest_first_know_the_order_of_creation(self, params: Any, start: Any, place: Any) -> None:
        endpoint = mutation_endpoint(data=dict, url="/write", method="POST")
        added = endpoint.add_created_to_paginated_list(list_query_key="things", newest_first_by="at")
        merged = endpoint.merge_updated_in_paginated_list(list_query_key="things", newest_first_by="at")
        assert [effect.matches(params, {}) for effect in (*added.effects, *merged.effects)] == [start, place]


class TestWhatAHelperGives:
    """Requirements, "Usage faults", row by row: nothing is inserted or removed, the list is fetched, the write stays."""

    @pytest.mark.parametrize(
        "select",
        [
            lambda data: data["id"],
            lambda data: None,
            lambda data: {"name": "no id"},
            lambda data: {"id": ""},
            lambda data: data["missing"],
            lambda data: {"id": "n", "at": datetime.now(UTC)},
            lambda data: {"id": "n", "deep": json.loads("[" * 500 + "]" * 500)},
        ],
        ids=["an id alone", "nothing", "no id", "an empty id", "raises", "no JSON", "too deep"],
    )
    @pytest.mark.parametrize("helper", [adds, merges])
    def test_that_is_no_full_object_is_told(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, select: Any, helper: Any
    ) -> None:
        self.check(faulty, helper(select))
        assert "it should give the full object with its id" in caplog.text

    @pytest.mark.parametrize(
        "get", [lambda sent: None, lambda sent: "", lambda sent: sent.params["id"], lambda sent: {}]
    )
    def test_that_is_no_id_is_told(self, faulty: Faulty, caplog: pytest.LogCaptureFixture, get: Any) -> None:
        self.check(faulty, removes(get))
        assert "it should give the id of the deleted row" in caplog.text

    def test_that_can_not_be_kept_drops_the_list_and_not_the_write(
        self, faulty: Faulty, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        with monkeypatch.context() as patched:
            faulty.shown()
            patched.setattr(WriteRecord, "stored", lambda _record: 1 / 0)
            assert faulty.write(adds()).is_success
        assert "could not be made" in caplog.text
        assert (faulty.shown(), faulty.fetched()) == (["a", "b"], 2)

    def check(self, faulty: Faulty, declare: Any) -> None:
        faulty.shown()
        assert faulty.write(declare).is_success
        assert faulty.called == [{"id": "n", "name": "N"}]
        assert (faulty.shown(), faulty.fetched()) == (["a", "b"], 2)

    @pytest.mark.parametrize("part", [{1: "x"}, {None: "x"}, {True: "x"}, {"x": (1, 2)}])
    def test_is_stored_and_shown_as_json(self, faulty: Faulty, part: Any) -> None:
        faulty.shown()
        assert faulty.write(adds(lambda data: {**data, **part})).is_success
        assert faulty.rows_shown()[0] == json.loads(json.dumps({"id": "n", "name": "N", **part}))
        assert faulty.fetched() == 1


def test_rows_without_the_field_of_unique_by_are_named_in_a_warning(
    faulty: Faulty, caplog: pytest.LogCaptureFixture
) -> None:
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


class TestInvalidation:
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
    def test_marks_the_named_query_or_all_of_them_where_none_is_named_and_says_so(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, *, get_params: Any, fetched: list[str], is_told: bool
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
    def test_marks_all_where_a_parameter_of_the_path_is_missing_and_says_so(
        self, faulty: Faulty, caplog: pytest.LogCaptureFixture, named: Any, kind: Any
    ) -> None:
        one = query_endpoint(data=Thing, params=kind, url=lambda sent: f"/things/{sent['id']}")
        queries: Any = create_query_group({"get_one": one}, domain="faulty", registry=faulty.registry)
        faulty.write(lambda made: made.invalidates(query_key="get_one", get_params=lambda _sent: named))
        assert "get_params names no query of faulty.get_one" in caplog.text
        for _ in range(2):
            faulty.world.backend.open_paths["/things/a"] = {"id": "a"}
            queries.use_get_one_query(faulty.request(), {"id": "a"})
            faulty.write(lambda made: made.invalidates(query_key="get_one", get_params=lambda _sent: named))
        assert faulty.world.backend.counted()["GET", "/things/a"] == 2


TAGGED = Registry()


class TaggedMutations(MutationGroup, domain="writes", registry=TAGGED):
    """Declared before the queries."""

    use_rename_mutation = (
        mutation_endpoint(data=dict, params=RowParams, url="/one/{id}", method="PUT")
        .set_answer(query_key="reads.get_one")
        .invalidates(tag="figures")
    )


class TaggedQueries(QueryGroup, domain="reads", registry=TAGGED):
    use_get_figures_query = query_endpoint(data=dict, url="/figures", tags=("figures", "more"))
    use_get_rows_query = paginated_query_endpoint(item=dict, url="/rows", tags=("figures",))
    use_get_one_query = query_endpoint(data=dict, params=RowParams, url="/one/{id}", tags=("figures",))
    use_get_other_query = query_endpoint(data=dict, url="/other", tags=("more",))


class TestATag:
    """A write names what it concerns, and not every query that tells about it."""

    @pytest.fixture
    def ada(self, ada: User) -> User:
        rows = {"items": [{"id": "a"}], "hasNext": False}
        one = {f"/one/{name}": {"id": name} for name in "ab"}
        ada.backend.open_paths = {"/figures": {}, "/rows": rows, **one, "/other": {}}
        ada.registry = TAGGED
        return ada

    def fetched(self, user: User) -> list[str]:
        """The paths that are fetched when every query is read."""
        client, before = user.request(), len(user.backend.calls)
        TaggedQueries.use_get_figures_query(client)
        TaggedQueries.use_get_rows_query(client)
        TaggedQueries.use_get_one_query(client, id="a")
        TaggedQueries.use_get_one_query(client, id="b")
        TaggedQueries.use_get_other_query(client)
        return [path for _, path, _ in user.backend.calls[before:] if path != "/me"]

    @pytest.mark.parametrize("fails", [False, True], ids=["done", "nobody knows"])
    def test_has_all_its_queries_fetched_again_in_all_processes(self, ada: User, fails: bool) -> None:
        """But for one that the same write sets."""
        self.fetched(ada)
        ada.backend.failures = [unavailable(), unavailable()] if fails else []
        written = TaggedMutations.use_rename_mutation(ada.request()).mutate(params=RowParams(id="a"))
        assert written.is_success is not fails
        assert self.fetched(ada.elsewhere()) == ["/figures", "/rows", *["/one/a"] * fails, "/one/b"]
        assert self.fetched(ada) == []


def total(user: User, params: Any = None, **options: Any) -> int | None:
    return clients(user, params, **options).data.total


class TestAListsTotal:
    """The server's number, and what this user's own writes made of it. The whole list has five rows, two to a page."""

    @pytest.mark.parametrize(("seconds", "expected"), [(2, 4), (1.9, None)])
    def test_counts_a_row_on_a_page_that_is_not_loaded_unless_it_may_be_gone_already(
        self, ada: User, seconds: float, expected: int | None
    ) -> None:
        """Clocks may be 2 s apart: a page that came just before may have been counted after the removal."""
        total(ada)
        ada.passes(seconds)
        delete(ada, "c1")
        assert total(ada) == expected

    @pytest.mark.parametrize("given", [{}, *({"total": value} for value in (None, "5", True, -1, 5.0))])
    def test_is_none_where_the_backend_gives_no_number(self, ada: User, given: Any) -> None:
        rows = [{"id": "a"}, {"id": "b"}]
        ada.backend.open_paths = {"/energy/clients": {"items": rows, "hasNext": False, "nextCursor": None, **given}}
        assert total(ada) is None
        assert patched_totals([page(1, rows, hasNext=False, **given)], "remove", "a") == [None]


def page(position: int, rows: list[dict[str, Any]], **body: Any) -> Page:
    """One that was fetched at this position of the log, 10 s after the one before."""
    stamp, at = VersionStamp(position=position, generation="g"), 20 * (position - 1)
    return Page(stamp=stamp, at=at, cursor=None, body={"items": rows, **body}, came_at=at + 1)


def patched_totals(pages: list[Page], kind: Kind, row_id: str, *, params: Any = None, fits: Any = True) -> Any:
    """The totals after one write."""
    patch = Patch(kind=kind, row_id=row_id, row=None if kind == "remove" else {"id": row_id})
    record = WriteRecord(by="m", patches=(patch,), changed_ids=frozenset({row_id}), began_at=10, done_at=11)
    return apply_patches(pages=pages, records=[(2, record)], params=params or {}, matches=lambda *_: fits).totals


@pytest.mark.parametrize(
    ("kind", "row_id", "params", "fits", "expected"),
    [
        ("add", "n", {}, True, 6),
        ("add", "a", {}, True, 5),
        ("add", "n", {"q": "x"}, True, 6),
        ("add", "n", {"q": "x"}, False, 5),
        ("add", "n", {"q": "x"}, None, None),
        ("add", "a", {"q": "x"}, False, 4),
        ("remove", "a", {}, None, 4),
        ("remove", "n", {}, None, 4),
        ("remove", "a", {"q": "x"}, None, 4),
        ("remove", "n", {"q": "x"}, None, None),
        ("merge", "a", {}, True, 5),
        ("merge", "n", {}, True, 5),
        ("merge", "a", {"q": "x"}, False, 4),
        ("merge", "n", {"q": "x"}, False, None),
        ("merge", "n", {"q": "x"}, True, None),
        ("merge", "a", {"q": "x"}, None, None),
    ],
)
def test_what_each_operation_makes_of_the_number(
    kind: Kind, row_id: str, params: dict[str, str], fits: bool | None, expected: int | None
) -> None:
    """Five rows in all, of which the page shows `a`."""
    shown = page(1, [{"id": "a"}], hasNext=True, nextCursor="x", total=5)
    assert patched_totals([shown], kind, row_id, params=params, fits=fits) == [expected]


def test_more_removals_than_rows_leave_no_number_and_one_of_a_page_that_was_fetched_since_is_counted() -> None:
    """All pages of the second list are shown, and no page has the row: it was on the second one before."""
    assert patched_totals([page(1, [], hasNext=True, nextCursor="x", total=0)], "remove", "n") == [None]
    older = page(1, [{"id": "a"}], hasNext=True, nextCursor="x", total=2)
    assert patched_totals([older, page(2, [], hasNext=False, total=1)], "remove", "b") == [1, 1]


def test_a_removed_row_that_is_on_none_of_a_filters_pages_changes_no_total_where_all_of_them_are_shown() -> None:
    whole = page(1, [{"id": "a"}], hasNext=False, total=1)
    assert patched_totals([whole], "remove", "n", params={"q": "x"}) == [1]
