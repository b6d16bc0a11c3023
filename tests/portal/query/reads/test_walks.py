"""A walk: a whole list, page by page and past the cache, for as long as somebody asks for the next page."""

from __future__ import annotations

from typing import Any

import pytest

from portal.config.limits import QUERY_RETRIES, WALK_PAGE_ROWS
from portal.errors import ApiMalformedError, ApiUnavailableError, ApiValidationError, SignInEndedError
from portal.process import Deadline
from tests.portal.query.fakes import Process, World
from tests.support.client_endpoints import ClientQueries

PATH = "/energy/clients"


def ids(pages: Any) -> list[str]:
    return [row["id"] for page in pages for row in page.rows]


def calls(world: World) -> int:
    return world.backend.counted()["GET", PATH]


def test_it_gives_every_row_with_the_total(world: World, process: Process, ada: Any) -> None:
    walked = list(ClientQueries.use_get_clients_query.walk(process.request(ada), {"q": "client"}))
    assert ids(walked) == ["c5", "c4", "c3", "c2", "c1"]
    assert {page.total for page in walked} == {5}
    assert world.backend.calls[-1][2]["q"] == "client"
    assert world.backend.calls[-1][2]["limit"] == str(WALK_PAGE_ROWS)


def test_nothing_is_read_before_and_after_somebody_asks(world: World, process: Process, ada: Any) -> None:
    pages = ClientQueries.use_get_clients_query.walk(process.request(ada))
    assert calls(world) == 0
    next(pages)
    assert calls(world) == 1
    pages.close()
    assert calls(world) == 1


def test_nothing_of_it_is_cached(world: World, process: Process, ada: Any) -> None:
    client = process.request(ada)
    kept = set(world.store.values)
    list(ClientQueries.use_get_clients_query.walk(client))
    assert set(world.store.values) == kept
    before = calls(world)
    ClientQueries.use_get_clients_query(client)
    assert calls(world) == before + 1


def test_it_takes_longer_than_a_request_may(world: World, process: Process, ada: Any) -> None:
    client = process.request(ada, deadline=Deadline(0.0))
    assert len(ids(ClientQueries.use_get_clients_query.walk(client))) == 5


def test_a_page_that_fails_is_tried_again(world: World, process: Process, ada: Any) -> None:
    pages = ClientQueries.use_get_clients_query.walk(process.request(ada))
    next(pages)
    world.backend.failures = [ApiUnavailableError(status=503)] * QUERY_RETRIES
    assert ids(pages) == ["c3", "c2", "c1"]


def test_a_page_that_can_not_be_read_ends_it_with_an_error(world: World, process: Process, ada: Any) -> None:
    pages = ClientQueries.use_get_clients_query.walk(process.request(ada))
    next(pages)
    world.backend.failures = [ApiValidationError()]
    with pytest.raises(ApiValidationError):
        next(pages)
    assert list(pages) == []


def test_a_sign_out_elsewhere_ends_it_before_the_next_page(world: World, process: Process, ada: Any) -> None:
    pages = ClientQueries.use_get_clients_query.walk(process.request(ada))
    next(pages)
    world.backend.signed_out.add(ada.current.access)
    with pytest.raises(SignInEndedError):
        next(pages)
    assert calls(world) == 1


@pytest.mark.parametrize(
    "body",
    [
        {"items": "none"},
        {"items": [], "hasNext": True, "nextCursor": None},
        {"items": [], "hasNext": True, "nextCursor": ""},
        {"items": [{"id": "c5"}], "hasNext": True, "nextCursor": None},
        [],
    ],
)
def test_an_answer_that_is_no_page_is_an_error_and_no_end(
    world: World, process: Process, ada: Any, body: object
) -> None:
    world.backend.open_paths[PATH] = body
    with pytest.raises(ApiMalformedError):
        list(ClientQueries.use_get_clients_query.walk(process.request(ada)))


def test_cursors_that_go_round_end_in_an_error(
    world: World, process: Process, ada: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.query.reads.walks.WALK_MAX_PAGES", 7)
    cursors = iter("abababababababab")
    world.backend.before = lambda *_: world.backend.open_paths.update(
        {PATH: {"items": [], "hasNext": True, "nextCursor": next(cursors)}}
    )
    with pytest.raises(ApiMalformedError, match="does not end"):
        list(ClientQueries.use_get_clients_query.walk(process.request(ada)))
    assert calls(world) == 7
