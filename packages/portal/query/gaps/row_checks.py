"""Rows against the parameters of their read: which rows contradict one. Pure.

No row that contradicts a parameter is handed out under it (contract, section 7). A row that lacks the field proves
nothing and stays; one that has null there has no value that fits. Texts are compared letter by letter, limits of a time
as moments.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from portal.api import split_values
from portal.query.endpoints import wire_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from portal.query.endpoints import ListRequest, RowFilter

_Row: TypeAlias = dict[str, Any]

_WORD: Final = re.compile(r"\w{3,}")
_COMPARABLE: Final = (str, bool, int, float)


@dataclass(frozen=True, slots=True)
class _Check:
    """One parameter of a read, ready to be held against rows."""

    param: str
    filter: RowFilter
    values: frozenset[str]
    moment: datetime | None

    def contradicts(self, row: _Row) -> bool:
        if self.filter.field not in row:
            return False
        value = row[self.filter.field]
        if value is None:
            return True
        if self.filter.kind != "one_of":
            at = _moment(value)
            if at is None or self.moment is None:
                return False
            return at < self.moment if self.filter.kind == "from" else at >= self.moment
        values = value if isinstance(value, list) else [value]
        return all(isinstance(one, _COMPARABLE) and not self._has(one) for one in values)

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
    for param, row_filter in request.filters.items() if params else ():
        if param in params:
            text = wire_value(params[param], name=param, endpoint=endpoint)
            # A text with a comma may be one value, or several.
            values = frozenset({text, *split_values(text)})
            checks.append(_Check(param, row_filter, values, _moment(text)))
    return checks


def sure_value(row_filter: RowFilter, rows: Iterable[_Row]) -> Any:
    """A value of a parameter that the backend itself has in a row; None for none."""
    for row in rows:
        value = row.get(row_filter.field)
        one = next(iter(value), None) if isinstance(value, list) else value
        if row_filter.kind == "one_of" and isinstance(one, _COMPARABLE) and one != "":
            return [_text(one)]
        if row_filter.kind != "one_of" and _moment(one) is not None:
            return _text(one)
    return None


def word_of(rows: Iterable[_Row]) -> str | None:
    """A word of a row, to search for; None for none."""
    texts = (text for row in rows for text in _texts(row))
    return next((found[0] for text in texts if (found := _WORD.search(text))), None)


def have_words(words: str, rows: Sequence[_Row]) -> bool:
    """Whether each row has all the words somewhere; case and accents do not count."""
    wanted = folded(words).split()
    return all(all(word in text for word in wanted) for text in (folded(" ".join(_texts(row))) for row in rows))


def folded(text: str) -> str:
    """A text without case and accents."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(part for part in parts if not unicodedata.combining(part)).casefold()


def _texts(value: Any) -> Iterator[str]:
    """All that stands in a JSON value, as texts."""
    if isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif value is not None:
        yield _text(value)


def _text(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
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
