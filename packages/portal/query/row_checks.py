"""Rows against the parameters of their read: which rows contradict one, and whether they are in its order. Pure.

No row that contradicts a filter, or lacks its field, is handed out under it (contract, section 7). One that has null
there fits the word `none` alone, and no row with a name in place of the id fits that word. Texts are compared without
capitals and outer space, limits of a time as moments, limits of a number as numbers.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import chain, pairwise
from typing import Any, Final, TypeAlias, get_args

from portal.api import split_values
from portal.config.contract_names import NONE_VALUE, SORT_PARAM
from portal.query.endpoints import ListRequest, RowFilter, wire_value
from portal.rows import field_types, is_record

_Row: TypeAlias = dict[str, Any]
_Reader: TypeAlias = Callable[[Any], Any]

_COMPARABLE: Final = (str, bool, int, float)


@dataclass(frozen=True, slots=True)
class _Check:
    """One parameter of a read, ready to be held against rows."""

    param: str
    filter: RowFilter
    values: frozenset[str]
    limits: tuple[tuple[_Reader, Any], ...]

    def contradicts(self, row: _Row) -> bool:
        field = self.filter.field
        if field not in row:
            return True
        value = row[field]
        if value is None:
            has_name = any(row.get(field.removesuffix("Id") + end) for end in ("", "Name"))
            return NONE_VALUE not in self.values or has_name
        if self.filter.kind != "one_of":
            return self._is_beyond(value)
        values = value if isinstance(value, list) else [value]
        return all(isinstance(one, _COMPARABLE) and not self._has(one) for one in values)

    def _is_beyond(self, value: Any) -> bool:
        for read, limit in self.limits:
            found = read(value)
            if found is not None:
                if self.filter.kind == "from":
                    return bool(found < limit)
                # The end of a time is the first moment after it.
                return bool(found >= limit if read is _moment else found > limit)
        return False

    def _has(self, value: Any) -> bool:
        if _folded(str(value)) in self.values:
            return True
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and any(_number(text) == value for text in self.values)


def checked_rows(
    rows: Sequence[_Row], request: ListRequest, *, raw: Iterable[Sequence[_Row]]
) -> tuple[tuple[_Row, ...], tuple[str, ...]]:
    """Return the rows that contradict no parameter of their read, and the parameters that the backend did not follow.

    :param raw: the rows as the backend sent them: what the user's own write has changed says nothing of the backend.
    """
    sent = list(chain.from_iterable(raw))
    sort = str(request.key.params.get(SORT_PARAM, ""))
    disordered = () if not sort or in_order(sent, sort, item=request.hook.item) else (SORT_PARAM,)
    checks = _checks(request)
    if not checks:
        return tuple(rows), disordered
    kept = tuple(row for row in rows if not any(check.contradicts(row) for check in checks))
    wrong = (check.param for check in checks if any(map(check.contradicts, sent)))
    return kept, (*wrong, *disordered)


def in_order(rows: Iterable[_Row], sort: str, *, item: Any) -> bool:
    """Return whether rows agree with an order. Null, and a name that is no field of a row, say nothing.

    Backends compare texts by rules of their own: one of several should hold for all rows; that of first letters counts
    where they differ. Of an enumeration, equal values should stand together.

    :param sort: the order's name on the wire, such as `-createdAt`.
    :param item: class of a row.
    """
    field, rows = sort.removeprefix("-"), list(rows)
    declared = field_types(item).get(field) if is_record(item) else None
    values = [row[field] for row in rows if row.get(field) is not None]
    if declared is None or not rows:
        return True
    if not any(field in row for row in rows):
        return False
    types = {declared.type, *get_args(declared.type)}
    readers = _readers_of_order(types, values)
    if not readers:
        # Values that come again after others.
        texts = list(map(str, values))
        return sum(before != after for before, after in pairwise(texts)) < len(set(texts))
    return any(_ascends(map(read, values if sort == field else reversed(values))) for read in readers)


def _ascends(keys: Iterable[Any]) -> bool:
    known = [key for key in keys if key is not None]
    return all(one <= other for one, other in pairwise(known))


def _readers_of_order(types: set[Any], values: Sequence[Any]) -> tuple[_Reader, ...]:
    """Return what makes values comparable; none where only a backend knows their order."""
    if str in types:
        letters = {_letter(value) for value in values} - {None}
        return (str, _plain, _natural, *([_letter] if len(letters) > 1 else ()))
    if types & {datetime, date}:
        return (_moment,)
    return (_number,) if types & {int, float, Decimal} else ()


def _checks(request: ListRequest) -> list[_Check]:
    endpoint, params = request.key.endpoint, request.key.params
    checks = []
    for param, row_filter in request.hook.filters.items() if params else ():
        if param in params:
            text = wire_value(params[param], name=param, endpoint=endpoint)
            # A text with a comma may be one value, or several.
            values = frozenset(map(_folded, (text, *split_values(text))))
            read = _readers(row_filter) if row_filter.kind != "one_of" else ()
            limits = tuple((each, limit) for each in read if (limit := each(text)) is not None)
            checks.append(_Check(param, row_filter, values, limits))
    return checks


def _readers(row_filter: RowFilter) -> tuple[_Reader, ...]:
    """Return what makes a limit and the field's value comparable: the field is declared to be that."""
    types = row_filter.types
    if datetime in types or date in types:
        return _moment, _number
    if any(kind in types for kind in (int, float, Decimal)):
        return (_number,)
    return (_moment,) if types else (_number, _moment)


def _folded(text: str) -> str:
    """A text as it is compared: without capitals, outer space, and the dot that a Turkish capital leaves."""
    return unicodedata.normalize("NFKC", text).casefold().strip().replace("\u0307", "")


def _plain(value: Any) -> str:
    """The letters and digits of a text, without accents and capitals."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKD", str(value)).casefold()))


def _natural(value: Any) -> list[Any]:
    """The same with its numbers as numbers, which stand at the odd places."""
    return [int(part) if place % 2 else part for place, part in enumerate(re.split(r"([0-9]+)", _plain(value)))]


def _letter(value: Any) -> str | None:
    """The letter with which a text begins, without its accent; None for a text that begins otherwise."""
    first = _plain(value)[:1]
    return first if first.isascii() and first.isalpha() else None


def _number(value: Any) -> int | float | None:
    """A number, or a text of one; a whole one keeps all its digits."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    for kind in (int, float) if isinstance(value, str) else ():
        with suppress(ValueError):
            return kind(value)
    return None


def _moment(value: Any) -> datetime | None:
    """A time or a day, as rows are read: without a zone it is in UTC, a number is seconds since the epoch."""
    with suppress(ValueError, OverflowError, OSError):
        if isinstance(value, str):
            found = datetime.fromisoformat(value)
            return found if found.tzinfo else found.replace(tzinfo=UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    return None
