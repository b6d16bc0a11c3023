"""How writes show in cached pages: write records, applied to pages when they are read. Pure.

A read applies to each page the records that are newer than the page's stamp. So nothing is overwritten by anything
older. The patches of a record are applied in the order remove, add, merge (requirements, "List cache helpers").

The backend's reads may be behind its writes. So the records of the last moments before a page's request left are
applied to the page as well. That changes nothing where the page has them already, because rows have ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from portal.config.contract_names import ID_FIELD, VERSION_FIELD
from portal.query.cache.pages import MAX_CLOCK_SKEW_S, JsonRow, Page
from portal.query.cache.write_records import ANSWER, Kind, Patch, WriteRecord, query_name

#: Whether a row belongs in a variant of a list. Arguments: the patch's kind, the key of the mutation, the variant's
#: parameters, the row. True: at the start, or in its place. False: not in this variant. None: only the server knows.
RowMatcher: TypeAlias = Callable[[Kind, str, Mapping[str, Any], JsonRow], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchedPages:
    """Pages of a list with the patches that they lacked. One entry for each page in the first three.

    :param rows: the rows.
    :param invalidated: whether a write made the page stale.
    :param totals: how many rows the whole list has; None where that is not known.
    :param patches: how many patches changed something.
    """

    rows: Sequence[Sequence[JsonRow]]
    invalidated: Sequence[bool]
    totals: Sequence[int | None]
    patches: int


def apply_patches(
    *,
    pages: Sequence[Page],
    records: Sequence[tuple[int, WriteRecord]],
    params: Mapping[str, Any],
    matches: RowMatcher,
    by_position: bool = False,
) -> PatchedPages:
    """Apply to each page of a list the records that the page may lack, in their order.

    A record invalidates only pages whose request left before the write: a later response is as new as can be.

    :param records: with their positions, the oldest first.
    :param params: the variant's parameters.
    :param by_position: whether a row that comes or goes moves those of all pages, in the backend's eyes.
    """
    rows = [page.rows for page in pages]
    invalidated = [False] * len(pages)
    totals = [page.total for page in pages]
    added: set[str] = set()
    applied = 0
    for position, record in records:
        lacking = [index for index, page in enumerate(pages) if page.stamp and page.shows_until < position]
        if not lacking:
            continue
        before = [index for index in lacking if _left_before(pages[index], position)]
        is_unsure = any(part.covers(params) for part in record.invalidated)
        for patch in _standing(record, position, records):
            concerned = lacking
            if _is_superseded(patch, position, records):
                # A row that an earlier record put there is older for certain.
                concerned = sorted({0, *before}) if patch.row_id in added else before
            if not concerned:
                continue
            fits = False if patch.row is None else matches(patch.kind, record.by, params, patch.row)
            places = [_places(patch.row_id, page_rows) for page_rows in rows]
            was_there = any(places)
            # A changed row that fits and is not there: it may match the filter only now, or have moved to this page.
            is_unsure = is_unsure or fits is None or bool(params and patch.kind == "merge" and fits and not was_there)
            is_unsure = is_unsure or (by_position and (patch.kind == "add" or not fits))
            adds = patch.kind == "add" and bool(fits) and not was_there and _is_start(pages) and 0 in concerned
            # A page that was asked for after the write has the created row as it was then, or newer.
            replaced = before if patch.kind == "add" else concerned
            applied += _apply(patch, rows, places=places, concerned=replaced, fits=fits, adds=adds)
            if adds:
                added.add(patch.row_id)
                _count(totals, concerned, 1)
            elif fits is False and was_there and not any(places[index] for index in _others(pages, concerned)):
                _count(totals, concerned, -1)
            elif fits is None or not (was_there or (_is_whole(pages) and len(before) == len(pages))):
                # It may have been on a page that is not loaded, or that was fetched again since.
                _count_unseen(totals, pages, patch, record, before=before, fits=fits, params=params)
        for index in before if is_unsure else ():
            invalidated[index] = True
    return PatchedPages(rows=rows, invalidated=invalidated, totals=totals, patches=applied)


def apply_answers(
    *, page: Page, records: Sequence[tuple[int, WriteRecord]], params: Mapping[str, Any]
) -> tuple[Page, bool, int]:
    """Apply to the page of a one-shot query the answers of writes that it may lack.

    :returns: the page with the newest such answer as its body; whether a write made it stale; how many were applied. A
        query that a record invalidates stays so until it is fetched, whatever later writes answer.
    """
    name = query_name(params)
    invalidated, applied = False, 0
    for position, record in records:
        if page.stamp is None or position <= page.shows_until:
            continue
        left_before = _left_before(page, position)
        answer = next((patch for patch in record.patches if patch.kind == ANSWER and patch.row_id == name), None)
        if answer is None:
            invalidated = invalidated or (left_before and any(part.covers(params) for part in record.invalidated))
        elif left_before or not _is_superseded(answer, position, records):
            page, applied = replace(page, body=_newer(page.body, answer.row)), applied + 1
    return page, invalidated, applied


def _places(name: str, rows: Sequence[JsonRow]) -> list[int]:
    """Where the row with this id stands. The same as by `row_id`, in one call for all rows."""
    ids = [row.get(ID_FIELD) for row in rows]
    return [at for at, value in enumerate(ids) if value == name or (type(value) is int and str(value) == name)]


def _apply(
    patch: Patch,
    rows: list[list[JsonRow]],
    *,
    places: Sequence[Sequence[int]],
    concerned: Sequence[int],
    fits: bool | None,
    adds: bool,
) -> int:
    """Change the rows of the pages `concerned`; 1 if anything changed, else 0.

    :param places: of each page, where the row stands.
    :param adds: whether the row comes first in the list. A page that was fetched after the write has the row already,
        where the server put it.
    """
    holders = [index for index in concerned if places[index]]
    for index in holders:
        if patch.row is None or fits is False:
            rows[index] = [row for at, row in enumerate(rows[index]) if at not in places[index]]
        else:
            rows[index] = [_newer(row, patch.row) if at in places[index] else row for at, row in enumerate(rows[index])]
    if adds and patch.row is not None:
        rows[0] = [patch.row, *rows[0]]
    return int(bool(holders) or adds)


def _newer(fetched: Any, written: Any) -> Any:
    """The row that was written; or the one that was fetched, if that is a later version: others changed it since."""
    fetched_version, written_version = (
        row.get(VERSION_FIELD) if isinstance(row, dict) else None for row in (fetched, written)
    )
    if type(fetched_version) is int and type(written_version) is int and fetched_version > written_version:
        return fetched
    return written


def _is_superseded(patch: Patch, position: int, records: Sequence[tuple[int, WriteRecord]]) -> bool:
    """Whether a later write of this user may have changed the row too, in a way that its record does not say.

    The two overlapped, so the later one gave up its own change (:meth:`WriteRecord.resolve_overlap`); or the later one
    failed, and may have been done; or it only has the query fetched again. Then only what the server answers after both
    counts. But what was removed stays away, and what was created is there, whatever a later write does not say.
    """
    name, shows_content = patch.row_id, patch.kind not in {"remove", "add"}
    return any(
        later > position
        and (record.changed_ids is None or name in record.changed_ids or (shows_content and record.names_nothing))
        and not any(other.row_id == name for other in record.patches)
        for later, record in records
    )


def _standing(record: WriteRecord, position: int, records: Sequence[tuple[int, WriteRecord]]) -> Sequence[Patch]:
    """The patches of a record, but for a removal after which this user has put the row there again."""
    later = {each.row_id for at, other in records if at > position for each in other.patches if each.row is not None}
    return [patch for patch in record.patches if patch.row is not None or patch.row_id not in later]


def _left_before(page: Page, position: int) -> bool:
    """Whether the page's request left before the record at this position was written."""
    return page.stamp is not None and page.stamp.position < position


def _count(totals: list[int | None], concerned: Sequence[int], more: int | None) -> None:
    """Add to the totals of pages. None where a part is not known, or the server's number can't be right."""
    for index in concerned:
        total = totals[index]
        totals[index] = None if total is None or more is None or total + more < 0 else total + more


def _count_unseen(
    totals: list[int | None],
    pages: Sequence[Page],
    patch: Patch,
    record: WriteRecord,
    *,
    before: Sequence[int],
    fits: bool | None,
    params: Mapping[str, Any],
) -> None:
    """Count a patch that shows on none of the pages.

    A list without parameters has every row, so a removed one stood on a page that is not loaded. Of a filtered list
    nobody knows. A total counts only if the page came before the write left, as far as clocks can tell.
    """
    more: int | None
    if fits is None or (params and patch.kind != "add"):
        more = None
    elif patch.kind == "add":
        more = int(fits)
    else:
        more = -1 if patch.kind == "remove" else 0
    if more == 0:
        return
    for index in before:
        came_at = pages[index].came_at
        is_older = came_at is not None and record.began_at is not None and came_at + MAX_CLOCK_SKEW_S <= record.began_at
        _count(totals, [index], more if is_older else None)


def _others(pages: Sequence[Page], concerned: Sequence[int]) -> list[int]:
    return [index for index in range(len(pages)) if index not in concerned]


def _is_start(pages: Sequence[Page]) -> bool:
    return bool(pages) and pages[0].cursor is None


def _is_whole(pages: Sequence[Page]) -> bool:
    """Whether these are all pages of the list."""
    return _is_start(pages) and not pages[-1].has_next
