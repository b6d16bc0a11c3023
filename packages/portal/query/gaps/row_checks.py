"""Rows against the parameters of their read: which rows contradict one. Pure.

No row that contradicts a parameter is handed out under it (contract, section 7). A row that lacks the field proves
nothing and stays; one that has null there fits the word `none` alone, and no row with a name in place of the id fits
that word. Texts are compared letter by letter, limits of a time as moments, limits of a number as numbers.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from portal.api import split_values
from portal.config.contract_names import NONE_VALUE
from portal.query.endpoints import wire_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from portal.query.endpoints import ListRequest, RowFilter

_Row: TypeAlias = dict[str, Any]
_Reader: TypeAlias = Callable[[Any], Any]

_EARLIER_THAN_ALL: Final = datetime(1900, 1, 1, tzinfo=UTC)
_LATER_THAN_ALL: Final = datetime(2999, 1, 1, tzinfo=UTC)
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
        value = row.get(field)
        if value is None:
            if NONE_VALUE not in self.values:
                return field in row
            return any(row.get(field.removesuffix("Id") + end) for end in ("", "Name"))
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

    def is_proof(self, row: _Row) -> bool:
        """Whether a row that contradicts shows that the backend does not filter.

        Not where the backend may only read the value otherwise, such as in another case, or where it may ignore a value
        that it does not know: what somebody types must not count against the parameter.
        """
        value = row.get(self.filter.field)
        if value is None:
            return False
        if self.filter.kind != "one_of":
            return True
        members = self.filter.members
        if members is not None and not self.values & members:
            return False
        texts = {folded(_text(one)).strip() for one in (value if isinstance(value, list) else [value])}
        if isinstance(value, bool) and not self.values & {"true", "false"}:
            return False
        if isinstance(value, int | float) and not isinstance(value, bool) and None in map(_number, self.values):
            return False
        return not texts & {folded(each).strip() for each in self.values}

    def _has(self, value: Any) -> bool:
        if _text(value) in self.values:
            return True
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return is_number and any(_number(text) == value for text in self.values)


def checked_rows(
    rows: Sequence[_Row], request: ListRequest, *, raw: Iterable[Sequence[_Row]]
) -> tuple[tuple[_Row, ...], tuple[str, ...], tuple[str, ...]]:
    """The rows that contradict no parameter of their read.

    :param raw: the rows as the backend sent them: one that the user's own write has changed is no proof.
    :returns: these rows; the parameters that the backend's rows contradict; those of them for which that is a proof.
    """
    checks = _checks(request)
    if not checks:
        return tuple(rows), (), ()
    kept = tuple(row for row in rows if not any(check.contradicts(row) for check in checks))
    wrong: dict[str, bool] = {}
    for row in chain.from_iterable(raw):
        for check in checks:
            if not wrong.get(check.param) and check.contradicts(row):
                wrong[check.param] = check.is_proof(row)
    return kept, tuple(wrong), tuple(param for param, is_proof in wrong.items() if is_proof)


def _checks(request: ListRequest) -> list[_Check]:
    endpoint, params = request.key.endpoint, request.key.params
    checks = []
    for param, row_filter in request.hook.filters.items() if params else ():
        if param in params:
            text = wire_value(params[param], name=param, endpoint=endpoint)
            # A text with a comma may be one value, or several.
            values = frozenset({text, *split_values(text)})
            read = _readers(row_filter) if row_filter.kind != "one_of" else ()
            limits = tuple((each, limit) for each in read if (limit := each(text)) is not None)
            checks.append(_Check(param, row_filter, values, limits))
    return checks


def _readers(row_filter: RowFilter) -> tuple[_Reader, ...]:
    """What a limit and the field's value are compared as: what the field is declared to be."""
    types = row_filter.types
    if datetime in types or date in types:
        return _moment, _number
    if any(kind in types for kind in (int, float, Decimal)):
        return (_number,)
    return (_moment,) if types else (_number, _moment)


def sure_value(row_filter: RowFilter, rows: Iterable[_Row]) -> Any:
    """A value of a parameter that the backend itself has in a row; None for none."""
    for row in rows:
        value = row.get(row_filter.field)
        one = next(iter(value), None) if isinstance(value, list) else value
        if row_filter.kind == "one_of" and isinstance(one, _COMPARABLE) and one != "":
            return [_text(one)]
        if row_filter.kind != "one_of" and (limit := _sure_limit(row_filter, one)) is not None:
            return limit
    return None


def nobodys_value(row_filter: RowFilter) -> str | None:
    """A limit of a range of times that no row fits; None for any other parameter: its values may be refused."""
    types = row_filter.types
    if row_filter.kind == "one_of" or not (datetime in types or date in types):
        return None
    limit = _LATER_THAN_ALL if row_filter.kind == "from" else _EARLIER_THAN_ALL
    return limit.isoformat() if datetime in types else limit.date().isoformat()


def _sure_limit(row_filter: RowFilter, value: Any) -> str | None:
    """A limit that is the field's value. Times are sent in ISO form, also where rows have seconds."""
    readers = _readers(row_filter)
    found = next((each for read in readers if (each := read(value)) is not None), None)
    if found is None or isinstance(value, str):
        return value if found is not None else None
    if len(readers) > 1 and readers[0] is _number:
        # Nobody knows whether it is a number or a time.
        return None
    return found.isoformat() if isinstance(found, datetime) else _text(value)


def folded(text: str) -> str:
    """A text without case and accents."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(part for part in parts if not unicodedata.combining(part)).casefold()


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


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
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    if found is None:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
