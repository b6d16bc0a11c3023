"""How writes show in cached pages: a log of records, folded into pages when they are read. Pure.

A mutation never edits a page. It appends ONE record to the log of each endpoint that it concerns; a read applies
to each page the records that are newer than the page's stamp. So nothing is overwritten by anything older.
Within a record the order is remove, add, merge (requirements, "List cache helpers").

The reads of a backend may be behind its writes. So the records of the last moments before a page's request left are
applied to it too: that changes nothing where the page has them already, since rows have ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from portal.config.wire_names import ID_FIELD
from portal.query.cache.pages import MAX_CLOCK_SKEW_S, SETTLING_S, Page, Row
from portal.query.endpoints import LIST_HELPERS

Kind: TypeAlias = str
#: In the order in which they are applied.
KINDS: tuple[Kind, ...] = tuple(helper.kind for helper in LIST_HELPERS)

#: Of an operation's kind, the key of the mutation that wrote it, the variant's parameters and the row: True where
#: the row belongs at the start, False where it does not belong, None where only the server can say.
Judge: TypeAlias = Callable[[Kind, str, Mapping[str, Any], Row], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One change of a list.

    :param row_id: the row that it is about.
    :param row: the row's new content; None for a removal.
    """

    kind: Kind
    row_id: str
    row: Row | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """Which queries of an endpoint a record makes stale.

    :param params: None for all of them.
    :param exact: whether these are all of a query's parameters, or only some of them.
    """

    params: Mapping[str, Any] | None = None
    exact: bool = True

    def covers(self, params: Mapping[str, Any]) -> bool:
        """Whether the query with these parameters is meant."""
        if self.params is None:
            return True
        if self.exact:
            return _as_addressed(params) == _as_addressed(self.params)
        addressed = _as_addressed(params)
        return all(addressed.get(name) == value for name, value in _as_addressed(self.params).items())


def _as_addressed(params: Mapping[str, Any]) -> dict[str, str]:
    """Parameters as an address tells them apart: the number 5 and the text `5` name the same row."""
    given = {name: value for name, value in params.items() if value is not None}
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What one write, or one invalidation, means for an endpoint.

    :param by: qualified key of the mutation; empty for an invalidation.
    :param touched: ids of the rows that the write changed on the server, whatever became of the operations; None
        where that is not known.
    :param began_at: when it left, seconds since the epoch by its machine's clock; None for an invalidation.
    :param done_at: when its answer came.
    """

    by: str = ""
    operations: tuple[Operation, ...] = ()
    outdated: tuple[Outdated, ...] = ()
    touched: frozenset[str] | None = frozenset()
    began_at: float | None = None
    done_at: float | None = None

    def may_be_lacked(self, *, at: float) -> bool:
        """Whether a page whose request left at this time, after the write, may lack it, since the backend lags."""
        return self.done_at is not None and abs(at - self.done_at) < SETTLING_S

    def stored(self) -> list[Any]:
        """The record as JSON for the store."""
        return [
            self.by,
            [[operation.kind, operation.row_id, operation.row] for operation in self.operations],
            [[None if part.params is None else dict(part.params), part.exact] for part in self.outdated],
            None if self.touched is None else sorted(self.touched),
            self.began_at,
            self.done_at,
        ]


#: Of a write that may have been done, and of a record that can't be read: everything may have changed.
ALL_OUTDATED = Record(outdated=(Outdated(),), touched=None)


def record_from_stored(value: Any) -> Record:
    """A record as the store gave it; what can't be read invalidates everything."""
    try:
        by, operations, outdated, touched, began_at, done_at = value
        return Record(
            by=str(by),
            operations=tuple(
                Operation(kind=kind, row_id=name, row=row) for kind, name, row in operations if kind in KINDS
            ),
            outdated=tuple(Outdated(params=params, exact=exact) for params, exact in outdated),
            touched=None if touched is None else frozenset(touched),
            began_at=None if began_at is None else float(began_at),
            done_at=None if done_at is None else float(done_at),
        )
    except (TypeError, ValueError):
        return ALL_OUTDATED


def after_overlap(record: Record, *, others: Sequence[Record | None]) -> Record:
    """The record of a write during which others were written.

    Where another one was about the same row, nobody knows in which order the server did them: what it removed stays
    removed, and the list is fetched anew.

    :param others: what was appended while the write was under way; None for one that can't be read.
    """
    if not any(other is None or _meet(record.touched, other.touched) for other in others):
        return record
    return outdating(record)


def outdating(record: Record) -> Record:
    """The record of the same write that shows nothing of it but removals, and has the list fetched anew.

    It still names the rows: a third write, which overlapped with this one and ends after it, has to know.
    """
    removals = tuple(operation for operation in record.operations if operation.kind == "remove")
    return replace(record, operations=removals, outdated=(*record.outdated, Outdated()))


def _meet(one: frozenset[str] | None, other: frozenset[str] | None) -> bool:
    """Whether two writes may have changed the same row."""
    if one is None or other is None:
        # One that changed no row at all, an invalidation, meets nothing.
        return one != frozenset() and other != frozenset()
    return not one.isdisjoint(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """Pages as a read shows them.

    :param rows: of each page.
    :param outdated: of each page, whether a write made it stale.
    :param totals: of each page, how many rows the list has in all; None where that is not known.
    :param patches: how many operations were applied.
    """

    rows: tuple[tuple[Row, ...], ...]
    outdated: tuple[bool, ...]
    totals: tuple[int | None, ...]
    patches: int


def fold(
    *, pages: Sequence[Page], records: Sequence[tuple[int, Record]], params: Mapping[str, Any], judge: Judge
) -> Folded:
    """Apply to each page of a list the records that it may lack, in their order.

    Only those that are newer than its stamp can outdate it: what is fetched after a write is as new as it gets.

    :param records: with their positions, the oldest first.
    :param params: the variant's parameters.
    """
    rows = [page.rows for page in pages]
    outdated = [False] * len(pages)
    totals = [page.total for page in pages]
    patches = 0
    for position, record in records:
        older = [index for index, page in enumerate(pages) if page.stamp and page.shows_until < position]
        if not older:
            continue
        before = [index for index in older if _is_before(pages[index], position)]
        unsure = any(part.covers(params) for part in record.outdated)
        for operation in record.operations:
            concerned = before if _is_superseded(operation, position, records) else older
            if not concerned:
                continue
            fits = _judged(operation, by=record.by, params=params, judge=judge)
            unsure = unsure or fits is None or (bool(params) and _comes_to_fit(operation, rows, fits=fits))
            was_there = _is_there(operation.row_id, rows)
            patches += _apply(operation, rows, older=concerned, fits=fits, first=_is_start(pages))
            more: int | None = int(_is_there(operation.row_id, rows)) - int(was_there)
            if more:
                for index in concerned:
                    totals[index] = _plus(totals[index], more)
            elif fits is None or not (was_there or _is_whole(pages)):
                more = _unseen(operation, fits=fits, params=params)
                for index in before if more != 0 else ():
                    totals[index] = _plus(totals[index], more if _came_before(pages[index], record) else None)
        for index in before if unsure else ():
            outdated[index] = True
    return Folded(rows=tuple(map(tuple, rows)), outdated=tuple(outdated), totals=tuple(totals), patches=patches)


def is_invalidated(*, page: Page, records: Sequence[tuple[int, Record]], params: Mapping[str, Any]) -> bool:
    """Whether a one-shot answer was made stale by a newer record."""
    return any(
        page.stamp is not None
        and page.stamp.position < position
        and any(part.covers(params) for part in record.outdated)
        for position, record in records
    )


def row_id(row: object) -> str | None:
    """The id of a full row; None for what is none."""
    value = row.get(ID_FIELD) if isinstance(row, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        return None
    return str(value)


def _judged(operation: Operation, *, by: str, params: Mapping[str, Any], judge: Judge) -> bool | None:
    if operation.row is None:
        return False  # a removal: the row belongs nowhere
    return judge(operation.kind, by, params, operation.row)


def _comes_to_fit(operation: Operation, rows: Sequence[Sequence[Row]], *, fits: bool | None) -> bool:
    """Whether a changed row may have come to meet a filter, or moved here: it fits, and is not there."""
    return operation.kind == "merge" and bool(fits) and not _is_there(operation.row_id, rows)


def _is_superseded(operation: Operation, position: int, records: Sequence[tuple[int, Record]]) -> bool:
    """Whether a later write of this user may have changed the row too, in a way that its record does not say.

    It gave up its own change, since the two overlapped (:func:`after_overlap`), or failed, and may have been done. What
    the server sends after both is all that is known.
    """
    name = operation.row_id
    return any(
        later > position
        and (record.touched is None or name in record.touched)
        and not any(other.row_id == name for other in record.operations)
        for later, record in records
    )


def _is_before(page: Page, position: int) -> bool:
    """Whether the page's request left before the record at this position was written."""
    return page.stamp is not None and page.stamp.position < position


def _came_before(page: Page, record: Record) -> bool:
    """Whether the page was there before the write left; not where they overlapped, so far as clocks can tell."""
    if page.came_at is None or record.began_at is None:
        return False
    return page.came_at + MAX_CLOCK_SKEW_S <= record.began_at


def _is_there(name: str, rows: Sequence[Sequence[Row]]) -> bool:
    """Whether one of the pages has the row with this id."""
    return any(row_id(row) == name for page in rows for row in page)


def _unseen(operation: Operation, *, fits: bool | None, params: Mapping[str, Any]) -> int | None:
    """By how many rows a list grew whose pages show nothing of an operation; None where that is not known.

    Of a list without parameters all rows are, so one that was removed stood on a page that is not loaded.
    """
    if fits is None:
        return None
    if operation.kind == "add":
        return int(fits)
    if params:
        return None
    return -1 if operation.kind == "remove" else 0


def _plus(total: int | None, more: int | None) -> int | None:
    """The sum; None where a part is not known, or the server's number can't be right."""
    return None if total is None or more is None or total + more < 0 else total + more


def _is_start(pages: Sequence[Page]) -> bool:
    return bool(pages) and pages[0].cursor is None


def _is_whole(pages: Sequence[Page]) -> bool:
    """Whether these are all pages of the list."""
    return _is_start(pages) and not pages[-1].has_next


def _apply(operation: Operation, rows: list[list[Row]], *, older: Sequence[int], fits: bool | None, first: bool) -> int:
    """Change the rows of the pages `older` in place of their lists; gives 1 if anything changed."""
    changed = False
    present = _is_there(operation.row_id, rows)
    for index in older:
        if not any(row_id(row) == operation.row_id for row in rows[index]):
            continue
        changed = True
        if fits is False or operation.row is None:
            rows[index] = [row for row in rows[index] if row_id(row) != operation.row_id]
        else:
            rows[index] = [operation.row if row_id(row) == operation.row_id else row for row in rows[index]]
    # A page that was fetched after the write has the row already, where the server put it.
    if operation.kind == "add" and operation.row is not None and fits and not present and first and 0 in older:
        rows[0] = [operation.row, *rows[0]]
        changed = True
    return int(changed)
