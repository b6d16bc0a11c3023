"""A file is written while its list is read: page after page, and no page that nobody asks for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.utils import translation
from django.utils.translation import gettext

from portal.errors import (
    ApiUnauthorizedError,
    ApiUnavailableError,
    ApiValidationError,
    PortalError,
    SignInEndedError,
    SlotLostError,
)
from portal.query import WalkedPage
from portal_pages.exports.csv_files import BYTE_ORDER_MARK, END_MARK, CsvCells, CsvFile, FileColumn, FileLayout

BERLIN = ZoneInfo("Europe/Berlin")


class Slot:
    def __init__(self, *, lost_at: int = 0) -> None:
        self.renewed = self.released = 0
        self.lost_at = lost_at

    def renew(self) -> None:
        self.renewed += 1
        if self.renewed == self.lost_at:
            raise SlotLostError("lost")

    def release(self) -> None:
        self.released += 1


class Pages:
    """Pages of one row each; after them an error, if there is one."""

    def __init__(self, *names: str, error: Exception | None = None) -> None:
        self.asked = 0
        self.walk = self._walk(names, error)

    def _walk(self, names: tuple[str, ...], error: Exception | None) -> Iterator[WalkedPage[Any]]:
        for name in names:
            self.asked += 1
            yield WalkedPage(rows=({"name": name},), total=len(names))
        if error is not None:
            raise error


def layout(**changes: Any) -> FileLayout:
    values: dict[str, Any] = {
        "columns": (FileColumn(heading="Name", value=lambda row: row["name"]),),
        "cells": CsvCells.of("en", zone=BERLIN, yes="yes", no="no"),
        "locale": "en",
        "zone": BERLIN,
        "broken": "not whole",
        "overtaken": "not whole: too slow",
        "signed_out": "not whole: signed out",
        "is_marked": False,
    }
    return FileLayout(**{**values, **changes})


def file_of(pages: Pages, slot: Slot | None = None, **changes: Any) -> CsvFile:
    first = next(pages.walk)
    made: Any = slot or Slot()
    return CsvFile(pages.walk, name="energy.get_clients", first=first, layout=layout(**changes), slot=made)


def ended(file: CsvFile) -> tuple[bytes, type[Exception] | None]:
    """The whole file as a server takes it, and the error that ended it: what came before the error stays."""
    parts: list[bytes] = []
    try:
        parts.extend(file)
    except PortalError as error:
        return b"".join(parts), type(error)
    return b"".join(parts), None


@pytest.mark.parametrize("is_marked", [False, True])
def test_a_file_has_a_mark_for_excel_a_heading_all_rows_and_the_end_mark_that_was_asked_for(is_marked: bool) -> None:
    slot = Slot()
    content = BYTE_ORDER_MARK + b"Name\r\na\r\nb\r\nc\r\n" + END_MARK * is_marked
    assert ended(file_of(Pages("a", "b", "c"), slot, is_marked=is_marked)) == (content, None)
    assert (slot.renewed, slot.released) == (2, 1)


def test_one_page_is_read_for_each_part_and_none_after_it_is_closed() -> None:
    pages, slot = Pages("a", "b", "c"), Slot()
    file = file_of(pages, slot)
    assert (next(file), pages.asked) == (BYTE_ORDER_MARK + b"Name\r\na\r\n", 1)
    assert (next(file), pages.asked) == (b"b\r\n", 2)
    file.close()
    file.close()
    assert list(file) == []
    assert (pages.asked, slot.released) == (2, 1)


@pytest.mark.parametrize(
    ("error", "last_line", "is_raised"),
    [
        (ApiUnavailableError(status=503), b"not whole", True),
        (ApiValidationError("no"), b"not whole", True),
        (SignInEndedError("over"), b"not whole: signed out", False),
        (ApiUnauthorizedError(status=401), b"not whole: signed out", False),
    ],
)
def test_a_failure_is_said_in_the_last_line_and_raised_unless_the_sign_in_has_ended(
    caplog: pytest.LogCaptureFixture, error: PortalError, last_line: bytes, is_raised: bool
) -> None:
    slot = Slot()
    content, raised = ended(file_of(Pages("a", "b", error=error), slot, is_marked=True))
    assert content == BYTE_ORDER_MARK + b"Name\r\na\r\nb\r\n" + last_line + b"\r\n", "and no mark of a whole file"
    assert raised == (type(error) if is_raised else None)
    assert slot.released == 1
    [line] = [record for record in caplog.records if "export of" in record.message]
    assert (line.levelname, line.exc_info) == ("WARNING", None)


def test_a_file_that_has_lost_its_slot_ends_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    pages, slot = Pages("a", "b", "c", "d"), Slot(lost_at=2)
    content = BYTE_ORDER_MARK + b"Name\r\na\r\nb\r\nnot whole: too slow\r\n"
    assert ended(file_of(pages, slot, is_marked=True)) == (content, SlotLostError)
    assert pages.asked == 3, "no further page is read"
    assert slot.released == 1
    assert "export of energy.get_clients failed after 2 rows: lost" in caplog.text


def test_a_file_that_nobody_reads_and_a_mistake_in_a_column_release_the_slot_too() -> None:
    unread, mistaken = Slot(), Slot()
    file_of(Pages("a"), unread)
    gc.collect()
    file = file_of(Pages("a"), mistaken, columns=(FileColumn(heading="x", value=lambda row: row["missing"]),))
    with pytest.raises(KeyError):
        next(file)
    file.close()
    assert (unread.released, mistaken.released) == (1, 1)


def test_rows_are_in_the_language_and_the_zone_of_the_request_whatever_is_active_now() -> None:
    columns = (
        FileColumn(heading="word", value=lambda _row: gettext("Search")),
        FileColumn(heading="at", value=lambda _row: datetime(2026, 1, 31, 23, tzinfo=UTC)),
    )
    with translation.override("en"):
        content = b"".join(file_of(Pages("a"), columns=columns, locale="de"))
        assert translation.get_language() == "en"
    assert b"Suchen,2026-02-01 00:00:00" in content
