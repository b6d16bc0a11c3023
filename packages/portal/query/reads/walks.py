"""Whole lists, page by page and past the cache: for files, which hold more rows than a cache should."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from portal.config.limits import WALK_MAX_PAGES
from portal.errors import ApiMalformedError
from portal.query.cache import JsonRow, Page, check_list_body
from portal.query.calls import BackendCaller
from portal.query.endpoints import ListRequest

TItem = TypeVar("TItem")


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkedPage(Generic[TItem]):
    """One page of a walk.

    :param total: number of all rows that match, as this page has it; None if the backend does not count them.
    :param ignored: names on the wire of the parameters that the backend ignored or refused: rows that contradict one
        are left out; where it is `q`, there are none.
    """

    rows: tuple[TItem, ...]
    total: int | None
    ignored: tuple[str, ...] = ()


def walk_list(
    request: ListRequest, *, caller: BackendCaller, page_rows: int
) -> Iterator[tuple[list[JsonRow], int | None]]:
    """Read a list from its beginning to its end: the rows of each page as they came, and its total.

    Each page is one call with a time limit of its own, its further tries included. It is made when the page is asked
    for, so nothing is read any more when nobody asks. The access token is refreshed on the way where it expires.

    :param page_rows: rows of one call; the backend may have a limit of its own.
    :raises SignInEndedError: the sign-in is over, also where it was signed out elsewhere.
    :raises ApiError: that of the last try of a page.
    """
    endpoint = request.key.endpoint
    caller = replace(caller, limit=None)
    cursor: str | None = None
    seen: set[str | None] = set()
    while cursor not in seen and len(seen) < WALK_MAX_PAGES:
        seen.add(cursor)
        caller.end_if_signed_out()
        body = caller.read(request.page_address(cursor=cursor, rows=page_rows))
        check_list_body(body, endpoint=endpoint)
        page = Page(stamp=None, at=0.0, cursor=cursor, body=body)
        if page.lacks_cursor:
            raise ApiMalformedError(f"{endpoint}: the answer says that there is more, and not where")
        yield page.rows, page.total
        cursor = page.next_cursor
        if cursor is None:
            return
    raise ApiMalformedError(f"{endpoint}: the list does not end")
