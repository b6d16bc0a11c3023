"""Decodes cached responses to the data of results. Each call returns new objects, which callers may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from portal.config.contract_names import ITEMS_FIELD
from portal.errors import ApiError, ApiMalformedError, without_traceback
from portal.query.cache import unique_rows
from portal.query.gaps import checked_rows
from portal.query.results import PaginatedRes
from portal.rows import copied, copied_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from portal.query.cache import MergedPage
    from portal.query.endpoints import ListRequest
    from portal.rows import Decoder


def response_data(body: Any, decode: Decoder | None) -> tuple[Any, ApiError | None]:
    """What a hook returns for a response, and why it can't be read, if so."""
    if decode is None:
        return copied(body), None
    try:
        return decode(body), None
    except ApiMalformedError as error:
        return None, without_traceback(error)


class ListData(NamedTuple):
    """The pages of a list as one.

    :param has_unnamed: whether some rows have no usable value in `unique_by`.
    :param contradicted: the parameters that the backend's rows contradict; `proofs` are those of them for which that
        shows that the backend ignores them.
    """

    list: PaginatedRes[Any]
    has_unnamed: bool
    contradicted: tuple[str, ...]
    proofs: tuple[str, ...]


def filters_of(params: Sequence[str]) -> bool:
    """Whether one of these parameters decides which rows a list has; the order alone does not."""
    return any(param != "sort" for param in params)


def list_data(pages: Sequence[MergedPage], request: ListRequest, *, left_out: tuple[str, ...]) -> ListData:
    """The pages of a list as one, without rows that contradict a parameter.

    :param request: as it was asked for; `left_out` was not sent, since the backend refuses it, or does not search.
    """
    if "q" in left_out:
        # Nobody knows which rows have the words.
        return ListData(PaginatedRes(ignored=left_out), False, (), ())
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
    rows, contradicted, proofs = checked_rows(rows, request, raw=(merged.page.rows for merged in pages))
    ignored = tuple(dict.fromkeys((*left_out, *contradicted)))
    last = pages[-1].page if pages else None
    data = PaginatedRes(
        items=rows if request.decode is None else request.decode(rows),
        has_next=last.has_next if last else False,
        next_cursor=last.next_cursor if last else None,
        raw_res=bodies,
        total=pages[0].total if pages and not filters_of(ignored) else None,
        ignored=ignored,
    )
    return ListData(data, has_unnamed, contradicted, proofs)
