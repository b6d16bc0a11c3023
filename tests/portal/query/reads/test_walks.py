"""A walk: a whole list, page by page and past the cache, for as long as somebody asks for the next page."""

from typing import Any

import pytest

from portal.config.limits import QUERY_RETRIES, WALK_PAGE_ROWS
from portal.errors import ApiMalformedError, ApiUnavailableError, SignInEndedError
from portal.process import Deadline
from tests.portal.query.clients import client_of, clients, listed, me
from tests.portal.query.world import User
from tests.support.client_endpoints import ClientQueries

PATH = "/energy/clients"


def walk(who: Any, *params: Any) -> Any:
    return ClientQueries.use_get_clients_query.walk(client_of(who), *params)


def ids(pages: Any) -> list[str]:
    return [row["id"] for page in pages for row in page.rows]


def test_it_gives_every_row_with_the_total_and_nothing_of_it_is_cached(ada: User) -> None:
    client = ada.request(deadline=Deadline(0.0))  # it may take longer than a request
    kept = set(ada.store.values)
    walked = list(walk(client, {"q": "client"}))
    assert ids(walked) == ["c5", "c4", "c3", "c2", "c1"]
    assert {page.total for page in walked} == {5}
    sent = ada.backend.calls[-1][2]
    assert (sent["q"], sent["limit"]) == ("client", str(WALK_PAGE_ROWS))
    assert set(ada.store.values) == kept
    with ada.reads(1):
        listed(ada, {"q": "client"})


def test_nothing_is_read_before_and_after_somebody_asks(ada: User) -> None:
    with ada.reads(1):
        pages = walk(ada)
        assert ada.backend.reads() == 0
        next(pages)
        pages.close()


def test_a_page_that_fails_is_tried_again(ada: User) -> None:
    pages = walk(ada)
    next(pages)
    ada.backend.failures = [ApiUnavailableError(status=503)] * QUERY_RETRIES
    assert ids(pages) == ["c3", "c2", "c1"]


def test_a_sign_out_elsewhere_ends_it_before_the_next_page(ada: User) -> None:
    pages = walk(ada)
    next(pages)
    ada.backend.signed_out.add(ada.tokens.current.access)
    with ada.reads(0), pytest.raises(SignInEndedError):
        next(pages)


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
def test_an_answer_that_is_no_page_is_an_error_and_no_end(ada: User, body: object) -> None:
    ada.backend.open_paths[PATH] = body
    with pytest.raises(ApiMalformedError):
        list(walk(ada))


@pytest.mark.parametrize(("cursors", "calls"), [("abcdefghijkl", 7), ("ababab", 3)], ids=["without end", "in a circle"])
def test_a_list_that_does_not_end_is_an_error(
    ada: User, cursors: str, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("portal.query.reads.walks.WALK_MAX_PAGES", 7)
    given = iter(cursors)
    ada.backend.before = lambda *_: ada.backend.open_paths.update(
        {PATH: {"items": [], "hasNext": True, "nextCursor": next(given)}}
    )
    with ada.reads(calls), pytest.raises(ApiMalformedError, match="does not end"):
        list(walk(ada))


def test_several_pages_whose_cursors_go_in_a_circle_are_each_read_once(ada: User) -> None:
    me(ada)
    given, ids_of_rows = iter("ababab"), iter("xyzuvw")
    ada.backend.before = lambda *_: ada.backend.open_paths.update(
        {PATH: {"items": [{"id": next(ids_of_rows)}], "hasNext": True, "nextCursor": next(given)}}
    )
    with ada.reads(3):
        for _ in range(2):
            result = clients(ada, pages=50)
    assert [row["id"] for row in result.data.items] == ["x", "y", "z"]
    assert (result.has_next_page, result.data.next_cursor) == (False, None)
