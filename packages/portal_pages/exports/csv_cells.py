"""Cells of a file of comma-separated values, so that the spreadsheet of the page's language reads them.

A spreadsheet reads a file by the conventions of its own language: where the comma is the decimal sign, the semicolon
stands between cells. Times are as ISO 8601 has them, without the `T`, in the user's own zone, which the heading names:
every spreadsheet takes them for times.

A text that begins like a formula gets an apostrophe before it, or a spreadsheet would run it (OWASP, "CSV Injection").
So does what comes right after a comma or a semicolon within a text, where a spreadsheet of another language begins a
cell.
"""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from portal.web.present import Badge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: By language: what stands between cells, and the decimal sign.
_CONVENTIONS: Final = {"en": (",", "."), "de": (";", ","), "tr": (";", ",")}
#: What a formula begins with; the full-width signs are taken for the others in some languages.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
#: Where a spreadsheet of another language begins a cell, before what begins a formula.
_CELL_WITHIN: Final = re.compile('([,;]"*)(?=[=+\\-@\t\uff1d\uff0b\uff0d\uff20])')


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvCells:
    """How values are written.

    :param separator: between cells.
    :param decimal_sign: of numbers.
    :param zone: in which times are written.
    :param yes: the word for True; `no` for False.
    """

    separator: str
    decimal_sign: str
    zone: tzinfo
    yes: str
    no: str

    @classmethod
    def of(cls, locale: str, *, zone: tzinfo, yes: str, no: str) -> CsvCells:
        """Those of a language."""
        separator, decimal_sign = _CONVENTIONS.get(locale, _CONVENTIONS["en"])
        return cls(separator=separator, decimal_sign=decimal_sign, zone=zone, yes=yes, no=no)

    def lines(self, rows: Iterable[Iterable[str]]) -> bytes:
        """Rows of cells as lines of the file. What no file can hold is replaced."""
        text = io.StringIO(newline="")
        csv.writer(text, delimiter=self.separator, lineterminator="\r\n").writerows(rows)
        return text.getvalue().encode("utf-8", errors="replace")

    def text(self, value: object, words: Mapping[Any, Any] | None = None) -> str:
        """One value as the text of its cell.

        :param words: for codes: what the user reads in their place.
        """
        if words is not None and isinstance(value, str | int) and value in words:
            word = words[value]
            value = str(word.label if isinstance(word, Badge) else word)
        match value:
            case None:
                text = ""
            case bool():
                text = self.yes if value else self.no
            case int() | float() | Decimal():
                # Its sign makes it no formula.
                return self._number(value)
            case datetime():
                text = self._time(value)
            case date():
                text = value.isoformat()
            case list() | tuple():
                text = "; ".join(self.text(each, words) for each in value)
            case str():
                text = str.__str__(value)
            case _:
                text = str(value)
        return without_formula(text)

    def _time(self, value: datetime) -> str:
        try:
            local = (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(self.zone)
        except OverflowError:
            return ""
        # strftime would write the year 1 with one digit.
        return local.replace(tzinfo=None).isoformat(" ", "seconds")

    def _number(self, value: float | Decimal) -> str:
        if not math.isfinite(value):
            return ""
        # As it is: neither an exponent nor a sign between thousands.
        text = format(Decimal(repr(value)) if isinstance(value, float) else Decimal(value), "f")
        return text.replace(".", self.decimal_sign)


def without_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    text = _CELL_WITHIN.sub(r"\1'", text.replace("\0", ""))
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
