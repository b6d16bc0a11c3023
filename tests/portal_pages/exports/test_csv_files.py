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
from portal_pages.exports.csv_cells import CsvCells
from portal_pages.exports.csv_files import BYTE_ORDER_MARK, END_MARK, CsvFile, FileColumn, FileLayout

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


def test_it_has_a_mark_for_excel_a_heading_and_all_rows() -> None:
    assert b"".join(file_of(Pages("a", "b"))) == BYTE_ORDER_MARK + b"Name\r\na\r\nb\r\n"


def test_the_mark_of_its_end_comes_last_where_it_was_asked_for() -> None:
    assert list(file_of(Pages("a"), is_marked=True))[-1] == END_MARK


def test_one_page_is_read_for_each_part() -> None:
    pages = Pages("a", "b", "c")
    file = file_of(pages)
    assert (next(file), pages.asked) == (BYTE_ORDER_MARK + b"Name\r\na\r\n", 1)
    assert (next(file), pages.asked) == (b"b\r\n", 2)


def test_who_closes_it_in_the_middle_has_no_further_page_read() -> None:
    pages, slot = Pages("a", "b", "c"), Slot()
    file = file_of(pages, slot)
    next(file)
    file.close()
    file.close()
    assert list(file) == []
    assert pages.asked == 1
    assert slot.released == 1


@pytest.mark.parametrize("error", [ApiUnavailableError(status=503), ApiValidationError("no")])
def test_a_failure_is_said_in_the_last_line_and_then_raised(error: PortalError) -> None:
    slot = Slot()
    parts: list[bytes] = []
    with pytest.raises(type(error)):
        # As a server takes them: what came before the error stays.
        parts.extend(file_of(Pages("a", "b", error=error), slot, is_marked=True))
    assert parts[-1] == b"not whole\r\n"
    assert END_MARK not in parts
    assert slot.released == 1


@pytest.mark.parametrize("error", [SignInEndedError("over"), ApiUnauthorizedError(status=401)])
def test_the_end_of_the_sign_in_is_said_in_the_last_line_and_is_no_failure_of_the_server(
    error: PortalError, caplog: pytest.LogCaptureFixture
) -> None:
    slot = Slot()
    parts = list(file_of(Pages("a", "b", error=error), slot, is_marked=True))
    assert parts[-1] == b"not whole: signed out\r\n", "and no mark of a whole file"
    assert slot.released == 1
    [line] = [record for record in caplog.records if "export of" in record.message]
    assert (line.levelname, line.exc_info) == ("WARNING", None)


def test_its_slot_is_renewed_with_each_page_and_released_at_the_end() -> None:
    slot = Slot()
    list(file_of(Pages("a", "b", "c"), slot))
    assert (slot.renewed, slot.released) == (2, 1)


def test_a_file_that_has_lost_its_slot_ends_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    pages, slot = Pages("a", "b", "c", "d"), Slot(lost_at=2)
    parts: list[bytes] = []
    with pytest.raises(SlotLostError):
        parts.extend(file_of(pages, slot, is_marked=True))
    assert b"".join(parts) == BYTE_ORDER_MARK + b"Name\r\na\r\nb\r\nnot whole: too slow\r\n"
    assert pages.asked == 3, "no further page is read"
    assert slot.released == 1
    assert "export of energy.get_clients failed after 2 rows: lost" in caplog.text


def test_a_file_that_nobody_reads_releases_its_slot_too() -> None:
    slot = Slot()
    file_of(Pages("a"), slot)
    gc.collect()
    assert slot.released == 1


def test_a_mistake_in_a_column_releases_it_too() -> None:
    slot = Slot()
    column = FileColumn(heading="x", value=lambda row: row["missing"])
    file = file_of(Pages("a"), slot, columns=(column,))
    with pytest.raises(KeyError):
        next(file)
    file.close()
    assert slot.released == 1


def test_rows_are_in_the_language_and_the_zone_of_the_request_whatever_is_active_now() -> None:
    columns = (
        FileColumn(heading="word", value=lambda _row: gettext("Search")),
        FileColumn(heading="at", value=lambda _row: datetime(2026, 1, 31, 23, tzinfo=UTC)),
    )
    with translation.override("en"):
        content = b"".join(file_of(Pages("a"), columns=columns, locale="de"))
        assert translation.get_language() == "en"
    assert b"Suchen,2026-02-01 00:00:00" in content
