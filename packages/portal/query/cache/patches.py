"""Write records, applied to pages when they are read. Pure.

A page gets the records that are newer than its stamp, in their order; the patches of one record in the order remove,
add, merge (requirements, "List cache helpers"). Where only the server knows what a page shows now, it is stale.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from portal.config.contract_names import ID_FIELD
from portal.config.limits import REQUEST_BUDGET_S
from portal.query.cache.pages import MAX_CLOCK_SKEW_S, PAGE_LIFETIME_S, READ_LAG_S, JsonRow, Page
from portal.query.cache.write_records import ANSWER, Kind, Patch, WriteRecord, query_name

#: Returns whether a row belongs in a variant of a list. Arguments: the patch's kind, the key of the mutation, the
#: variant's parameters, the row. True: at the start, or in its place. False: not in this variant. None: only the server
#: knows.
RowMatcher: TypeAlias = Callable[[Kind, str, Mapping[str, Any], JsonRow], bool | None]
#: A page that left so long before a write was done came before the write left, seconds: each takes a request's time.
_CAME_BEFORE_S: Final = 2 * REQUEST_BUDGET_S + MAX_CLOCK_SKEW_S


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedPage:
    """One page of a read, with the writes that it lacks.

    :param page: of a one-shot query, its body is that of the newest write that answers it.
    :param rows: of a list.
    :param is_invalidated: whether a write made the page stale.
    :param is_settling: whether the page's request left so soon after a write that the backend may not have had it.
    :param total: rows of the whole list; None where that is not known.
    :param applied: how many patches changed something.
    :param is_patched: whether it shows a write that the page lacks, be it in its total alone.
    """

    page: Page
    rows: Sequence[JsonRow] = ()
    is_invalidated: bool = False
    is_settling: bool = False
    total: int | None = None
    applied: int = 0
    is_patched: bool = False

    def is_stale(self, *, now: float, stale_time_s: float) -> bool:
        """Return whether the page does not count as fresh. A page from the future was stamped by a wrong clock."""
        age = now - self.page.at
        if self.is_settling:
            stale_time_s = min(stale_time_s, READ_LAG_S)
        return self.is_invalidated or age >= stale_time_s or age < -MAX_CLOCK_SKEW_S

    def may_show_stale(self, *, now: float) -> bool:
        """Return whether the page may be shown although it is stale: by its age alone, within a page's lifetime.

        Not a page that may lack a write: this user would look for that write.
        """
        is_certain = not self.is_invalidated and not self.is_settling
        return is_certain and -MAX_CLOCK_SKEW_S <= now - self.page.at < PAGE_LIFETIME_S


def apply_patches(
    page: Page,
    records: Sequence[WriteRecord],
    *,
    params: Mapping[str, Any],
    matches: RowMatcher,
    by_position: bool = False,
    fetched: bool = False,
) -> MergedPage:
    """Apply records to a page of a list.

    :param records: those that the page lacks, the oldest first.
    :param params: the variant's parameters.
    :param by_position: whether a row that comes or goes moves those of all pages, in the backend's eyes.
    :param fetched: whether the page was just fetched. Then a row whose place only the server knows stays where it is.
    """
    rows, total, applied, removed, is_stale = page.rows, page.total, 0, set[str](), False
    for record in records:
        is_stale = record.makes_stale(params)
        for patch in record.patches if not is_stale else ():
            fits = False if patch.row is None else matches(patch.kind, record.by, params, patch.row)
            there = [at for at, value in enumerate(_ids(rows)) if value == patch.row_id]
            # Only the server knows the place of a changed row that fits and is not there: the row may match the filter
            # only now, or be back after its removal.
            is_unplaced = fits is None or bool(fits and patch.kind == "merge" and params and not there)
            is_back = bool(fits) and patch.row_id in removed
            if (is_unplaced and not fetched) or is_back or (by_position and (patch.kind == "add" or not fits)):
                is_stale = True
                break
            if fits is False:
                removed.add(patch.row_id)
                rows = [row for at, row in enumerate(rows) if at not in there] if there else rows
                total = _without_row(total, page, record, patch, was_there=bool(there), params=params)
            elif there and patch.row is not None:
                # A created row that is there is as it was created, or newer.
                new = None if patch.kind == "add" else patch.row
                rows = [new if new and at in there else row for at, row in enumerate(rows)]
            elif fits and patch.kind == "add" and patch.row is not None:
                total = None if total is None or page.cursor else total + 1
                rows = rows if page.cursor else [patch.row, *rows]
            applied += bool(there) or (patch.kind == "add" and bool(fits) and page.cursor is None)
        if is_stale:
            break
    merged = MergedPage(
        page=page, rows=rows, total=total, applied=applied, is_patched=bool(applied) or total != page.total
    )
    return replace(merged, is_invalidated=is_stale, is_settling=_is_settling(page, records))


def apply_answers(page: Page, records: Sequence[WriteRecord], *, params: Mapping[str, Any]) -> MergedPage:
    """Apply to the page of a one-shot query the answers of writes; `records` and `params` as :func:`apply_patches`.

    An answer makes the same query with further parameters stale.
    """
    name, body, applied, is_stale = query_name(params), page.body, 0, False
    for record in records:
        answered = {patch.row_id: patch.row for patch in record.patches if patch.kind == ANSWER}
        has_more = any(json.loads(other).items() < json.loads(name).items() for other in answered if other != name)
        is_stale = record.makes_stale(params) or has_more
        if is_stale:
            break
        if name in answered:
            body, applied = answered[name], applied + 1
    merged = MergedPage(page=replace(page, body=body), applied=applied, is_patched=bool(applied))
    return replace(merged, is_invalidated=is_stale, is_settling=_is_settling(page, records))


def _is_settling(page: Page, records: Sequence[WriteRecord]) -> bool:
    return any(record.done_at is not None and record.done_at <= page.at for record in records)


def _ids(rows: Sequence[JsonRow]) -> list[str | None]:
    """Return the ids of rows. The same as by `row_id`, in one call for all rows."""
    ids = [row.get(ID_FIELD) for row in rows]
    return [str(value) if type(value) is int else value for value in ids]


def _without_row(
    total: int | None, page: Page, record: WriteRecord, patch: Patch, *, was_there: bool, params: Mapping[str, Any]
) -> int | None:
    """Return the total without a row that does not belong in the list.

    A list without parameters has every row, so one that is removed stood there, if the page came before the write left.
    """
    if total is None or (patch.kind == "add" and not was_there):
        return total
    came_before = record.done_at is not None and record.done_at - page.at >= _CAME_BEFORE_S
    is_certain = was_there or (patch.kind == "remove" and not params and came_before)
    return total - 1 if is_certain and total else None
