"""Cached responses → what results have as their data. Pure; what comes out is the caller's own, and may be changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from portal.config.contract_names import ITEMS_FIELD
from portal.errors import ApiError, ApiMalformedError, without_traceback
from portal.query.cache import unique_rows
from portal.query.results import PaginatedRes
from portal.query.rows import copied, copied_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.query.cache import MergedPage
    from portal.query.endpoints import ListRequest
    from portal.query.rows import Decoder


def response_data(body: Any, decode: Decoder | None) -> tuple[Any, ApiError | None]:
    """What a hook returns for a response, and why it can't be read, if so."""
    if decode is None:
        return copied(body), None
    try:
        return decode(body), None
    except ApiMalformedError as error:
        return None, without_traceback(error)


def list_data(pages: Sequence[MergedPage], request: ListRequest) -> tuple[PaginatedRes[Any], bool]:
    """The pages of a list as one.

    :returns: the list, and whether some rows have no usable value in `request.unique_by`.
    """
    bodies = tuple(copied(merged.page.body) for merged in pages)
    rows, has_unnamed = unique_rows(
        [merged.rows for merged in pages]
        if request.decode is not None
        # Copies: of the body, or of rows that show the user's own writes.
        else [
            body[ITEMS_FIELD] if merged.rows is merged.page.rows else copied_rows(merged.rows)
            for merged, body in zip(pages, bodies, strict=True)
        ],
        unique_by=request.unique_by,
    )
    last = pages[-1].page if pages else None
    data = PaginatedRes(
        items=rows if request.decode is None else request.decode(rows),
        has_next=last.has_next if last else False,
        next_cursor=last.next_cursor if last else None,
        raw_res=bodies,
        total=pages[0].total if pages else None,
    )
    return data, has_unnamed
