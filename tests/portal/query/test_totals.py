"""How many rows a list has in all: the server's number, and what this user's own writes made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from portal.query.cache.pages import Page, VersionStamp
from portal.query.cache.patches import apply_patches
from portal.query.cache.write_records import Kind, Patch, WriteRecord
from tests.portal.query.fakes import Process, World
from tests.portal.query.invariants.clients_list import create, delete, once
from tests.support.client_endpoints import ClientQueries

if TYPE_CHECKING:
    from portal.api.tokens import TokenStore
    from portal.query import QueryClient


def total(client: QueryClient, **options: Any) -> int | None:
    return ClientQueries.use_get_clients_query(client, options.pop("params", None), **options).data.total


class TestAListsTotal:
    """The whole list has five rows, two to a page."""

    @pytest.mark.parametrize("pages", [1, 3])
    def test_follows_the_users_own_writes_without_a_fetch(
        self, world: World, process: Process, ada: TokenStore, pages: int
    ) -> None:
        assert total(process.request(ada), pages=pages) == 5
        reads = world.backend.reads()
        delete(process.request(ada), "c4")
        assert total(process.request(ada), pages=pages) == 4
        create(process.request(ada))
        assert total(process.request(ada), pages=pages) == 5
        assert world.backend.reads() == reads

    @pytest.mark.parametrize(("seconds", "expected"), [(2, 4), (1.9, None)])
    def test_counts_a_row_on_a_page_that_is_not_loaded_unless_it_may_be_gone_already(
        self, world: World, process: Process, ada: TokenStore, seconds: float, expected: int | None
    ) -> None:
        """Clocks may be 2 s apart: a page that came just before may have been counted after the removal."""
        total(process.request(ada))
        world.clock.now += seconds
        delete(process.request(ada), "c1")
        assert total(process.request(ada)) == expected

    def test_is_not_known_where_the_page_was_fetched_during_the_removal(
        self, world: World, process: Process, ada: TokenStore
    ) -> None:
        world.backend.inside = once(lambda: total(process.request(ada)), method="DELETE", path="/energy/clients/c5")
        delete(process.request(ada), "c5")
        assert total(process.request(ada)) is None
        world.clock.now += 15 * 60
        assert total(process.request(ada)) == 4

    def test_is_the_same_at_a_cursor(self, world: World, process: Process, ada: TokenStore) -> None:
        cursor = ClientQueries.use_get_clients_query(process.request(ada)).data.next_cursor
        assert total(process.request(ada), cursor=cursor) == 5
        world.clock.now += 2
        create(process.request(ada))
        delete(process.request(ada), "c5")
        delete(process.request(ada), "c3")
        assert total(process.request(ada), cursor=cursor) == 4

    def test_of_a_filter_is_shown_only_where_it_is_known(self, process: Process, ada: TokenStore) -> None:
        many, one = {"q": "client"}, {"q": "client 5"}
        assert [total(process.request(ada), params=params) for params in (many, one)] == [5, 1]
        delete(process.request(ada), "c4")
        assert total(process.request(ada), params=many) == 4, "the row stood on the page that is shown"
        delete(process.request(ada), "c1")
        assert total(process.request(ada), params=many) is None, "nobody knows whether the row met the filter"
        assert total(process.request(ada), params=one) == 1, "all of its pages are loaded"


@pytest.mark.parametrize("given", [{}, {"total": None}, {"total": "5"}, {"total": True}, {"total": -1}, {"total": 5.0}])
def test_a_backend_that_gives_no_number_has_none(world: World, process: Process, ada: TokenStore, given: Any) -> None:
    rows = [{"id": "a"}, {"id": "b"}]
    world.backend.open_paths = {"/energy/clients": {"items": rows, "hasNext": False, "nextCursor": None, **given}}
    assert total(process.request(ada)) is None
    assert patched_totals([page(1, rows, hasNext=False, **given)], removal("a")) == [None]


def page(position: int, rows: list[dict[str, Any]], **body: Any) -> Page:
    """One that was fetched at this position of the log, 10 s after the one before."""
    stamp, at = VersionStamp(position=position, generation="g"), 20 * (position - 1)
    return Page(stamp=stamp, at=at, cursor=None, body={"items": rows, **body}, came_at=at + 1)


def removal(row_id: str) -> WriteRecord:
    patch = Patch(kind="remove", row_id=row_id)
    return WriteRecord(by="m", patches=(patch,), changed_ids=frozenset({row_id}), began_at=10, done_at=11)


def patched_totals(pages: list[Page], record: WriteRecord, *, params: Any = None, fits: Any = True) -> Any:
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
    row = None if kind == "remove" else {"id": row_id}
    patch = Patch(kind=kind, row_id=row_id, row=row)
    record = WriteRecord(by="m", patches=(patch,), changed_ids=frozenset({row_id}), began_at=10, done_at=11)
    shown = page(1, [{"id": "a"}], hasNext=True, nextCursor="x", total=5)
    assert patched_totals([shown], record, params=params, fits=fits) == [expected]


def test_more_removals_than_rows_leave_no_number() -> None:
    assert patched_totals([page(1, [], hasNext=True, nextCursor="x", total=0)], removal("n")) == [None]


def test_a_row_that_was_removed_from_a_page_which_was_fetched_again_since_is_counted() -> None:
    """All pages of the list are shown, and no page has the row: it was on the second one before."""
    older = page(1, [{"id": "a"}], hasNext=True, nextCursor="x", total=2)
    newer = page(2, [], hasNext=False, total=1)
    assert patched_totals([older, newer], removal("b")) == [1, 1]
