"""A file of comma-separated values, written while its list is read: in memory is one page of the list.

Cells of a file of comma-separated values, so that the spreadsheet of the page's language reads them.

A spreadsheet reads a file by the conventions of its own language: where the comma is the decimal sign, the semicolon
stands between cells. Times are as ISO 8601 has them, without the `T`, in the user's own zone, which the heading names:
every spreadsheet takes them for times.

A text that begins like a formula gets an apostrophe before it, or a spreadsheet would run it (OWASP, "CSV Injection").
So does what comes right after a comma or a semicolon within a text, where a spreadsheet of another language begins a
cell. A telephone number stays as it is.
"""

import csv
import io
import logging
import math
import re
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from django.utils import timezone, translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from portal.errors import ApiUnauthorizedError, PortalError, SignInEndedError, without_traceback
from portal.query import WalkedPage
from portal.web.present import Badge
from portal_pages.exports.export_slots import ExportSlot

#: By language: what stands between cells, and the decimal sign.
_CONVENTIONS: Final = {"en": (",", "."), "de": (";", ","), "tr": (";", ",")}
#: What a formula begins with; the full-width signs are taken for the others in some languages.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_TELEPHONE: Final = re.compile(r"\+[0-9 ()/.-]+")
#: Where a spreadsheet of another language begins a cell, before what begins a formula.
_CELL_WITHIN: Final = re.compile('([,;]"*)(?=[=+\\-@\t\uff1d\uff0b\uff0d\uff20])')


@dataclass(frozen=True, slots=True, kw_only=True)
class FileColumn:
    """One column of a file.

    :param heading: its text.
    :param value: what it shows of a row.
    :param words: for codes: what the user reads in their place.
    """

    heading: str
    value: Callable[[Any], object]
    words: Mapping[Any, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class FileLayout:
    """What a file looks like, and how values are written.

    :param locale: its language.
    :param zone: in which times are written.
    :param is_marked: whether a whole file ends with :data:`END_MARK`.
    """

    locale: str
    zone: tzinfo
    columns: tuple[FileColumn, ...] = ()
    is_marked: bool = False

    @cached_property
    def conventions(self) -> tuple[str, str]:
        """What stands between cells, and the decimal sign."""
        return _CONVENTIONS.get(self.locale, _CONVENTIONS["en"])

    def lines(self, rows: Iterable[Iterable[object]]) -> bytes:
        """Rows of cells as lines of the file. What no file can hold is replaced."""
        text = io.StringIO(newline="")
        # The middleware that chose both is done with the request when the second part is written.
        with translation.override(self.locale), timezone.override(self.zone):
            csv.writer(text, delimiter=self.conventions[0], lineterminator="\r\n").writerows(rows)
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
                text = gettext("yes") if value else gettext("no")
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
        return text.replace(".", self.conventions[1])


def without_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    text = _CELL_WITHIN.sub(r"\1'", text.replace("\0", ""))
    is_formula = text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA)
    return f"'{text}" if is_formula and not _TELEPHONE.fullmatch(text) else text


logger = logging.getLogger(__name__)

#: Tells Excel that the file is UTF-8; other programs leave it out.
BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
#: The end of a whole file, for a script that asked for it: END OF TRANSMISSION. A server ends the body of a response
#: that failed as it ends any other.
END_MARK: Final = b"\x04"
#: The last line of a file that is not whole: a page of its list can't be read; the user's sign-in has ended.
BROKEN: Final = _("This file is not whole: the service stopped answering. Please export the list again.")
SIGNED_OUT: Final = _("This file is not whole: your sign-in has ended. Please sign in and export the list again.")


class CsvFile:
    """The parts of a file: its heading with the first page, then page after page.

    Who stops asking for parts ends it: no further page is read. After a failure, the last line says that the file is
    not whole, and then the failure is raised: a server that can closes the connection. The end of the user's sign-in is
    said in the same way, and is no failure.

    :param name: the list, for the log.
    :param first: the first page, which is read before the response begins, so that its failure has a page.
    :param slot: given back when the file has ended, however it did.
    """

    def __init__(
        self,
        pages: Iterator[WalkedPage[Any]],
        *,
        name: str,
        first: WalkedPage[Any],
        layout: FileLayout,
        slot: ExportSlot,
    ) -> None:
        self._name = name
        self._layout = layout
        self._rows = 0
        self._began = time.monotonic()
        self._parts = self._written(first, pages)
        # A response that was made and is not sent is not closed either.
        self._release = weakref.finalize(self, slot.release)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        """Return the next part.

        :raises PortalError: a page can't be read. The part before says that the file is not whole.
        """
        return next(self._parts)

    def close(self) -> None:
        """End it, also in the middle. A server calls it when the response is sent, or the browser is gone."""
        self._parts.close()
        if self._release.alive:
            logger.info("export of %s cancelled after %d rows", self._name, self._rows)
        self._release()

    def _written(self, first: WalkedPage[Any], pages: Iterator[WalkedPage[Any]]) -> Generator[bytes, None, None]:
        layout = self._layout
        head = layout.lines([[column.heading for column in layout.columns]])
        yield BYTE_ORDER_MARK + head + self._lines(first)
        try:
            for page in pages:
                yield self._lines(page)
        except (SignInEndedError, ApiUnauthorizedError) as error:
            logger.warning("export of %s ended after %d rows: %s", self._name, self._rows, error)
            self._release()
            yield layout.lines([[SIGNED_OUT]])
            return
        except PortalError as error:
            logger.warning("export of %s failed after %d rows: %s", self._name, self._rows, error)
            self._release()
            yield layout.lines([[BROKEN]])
            raise without_traceback(error) from None
        took_s = time.monotonic() - self._began
        logger.info("export of %s: %d rows in %.1f s", self._name, self._rows, took_s)
        self._release()
        if layout.is_marked:
            yield END_MARK

    def _lines(self, page: WalkedPage[Any]) -> bytes:
        layout = self._layout
        self._rows += len(page.rows)
        return layout.lines(
            [layout.text(column.value(row), column.words) for column in layout.columns] for row in page.rows
        )
