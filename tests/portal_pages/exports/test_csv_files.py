"""A file is written while its list is read: page after page, and no page that nobody asks for."""

import gc
from collections.abc import Iterator
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from portal import errors
from portal.query import WalkedPage
from portal_pages.exports import csv_files

BERLIN = ZoneInfo("Europe/Berlin")
BEGIN = csv_files.BYTE_ORDER_MARK + b"Name\r\na\r\nb\r\n"


class World:
    """A list with pages of one row each, after which there may be an error; and the slot of its file."""

    def __init__(self, *names: str, error: Exception | None = None) -> None:
        self.asked = self.released = 0
        self.names, self.error = names, error

    def walk(self) -> Iterator[WalkedPage[Any]]:
        for name in self.names:
            self.asked += 1
            yield WalkedPage(rows=({"name": name},), total=len(self.names))
        if self.error is not None:
            raise self.error

    def release(self) -> None:
        self.released += 1

    def file(self, *columns: csv_files.FileColumn, is_marked: bool = False, locale: str = "en") -> csv_files.CsvFile:
        layout = csv_files.FileLayout(
            columns=columns or (csv_files.FileColumn(heading="Name", value=lambda row: row["name"]),),
            locale=locale,
            zone=BERLIN,
            is_marked=is_marked,
        )
        pages, slot = self.walk(), self
        return csv_files.CsvFile(pages, name="energy.get_clients", first=next(pages), layout=layout, slot=slot)  # type: ignore[arg-type]  # it does as a slot


@pytest.mark.parametrize(
    ("world", "last_line", "is_raised"),
    [
        (World("a", "b", error=errors.ApiUnavailableError(status=503)), csv_files.BROKEN, True),
        (World("a", "b", error=errors.ApiValidationError("no")), csv_files.BROKEN, True),
        (World("a", "b", error=errors.SignInEndedError("over")), csv_files.SIGNED_OUT, False),
        (World("a", "b", error=errors.ApiUnauthorizedError(status=401)), csv_files.SIGNED_OUT, False),
    ],
)
def test_failure_is_the_last_line(
    caplog: pytest.LogCaptureFixture, world: World, last_line: object, is_raised: bool
) -> None:
    parts: list[bytes] = []
    raised: Exception | None = None
    try:
        parts.extend(world.file(is_marked=True))
    except errors.PortalError as error:
        raised = error
    assert b"".join(parts) == BEGIN + str(last_line).encode() + b"\r\n", "and no mark of a whole file"
    assert raised is (world.error if is_raised else None)
    assert (world.released, world.asked) == (1, 2)
    [line] = [record for record in caplog.records if "export of energy.get_clients" in record.message]
    assert (line.levelname, line.exc_info, "after 2 rows" in line.message) == ("WARNING", None, True)


@pytest.mark.parametrize("is_marked", [False, True])
def test_a_file_has_a_mark_for_excel_a_heading_all_rows_and_the_end_mark_that_was_asked_for(is_marked: bool) -> None:
    world = World("a", "b", "c")
    assert b"".join(world.file(is_marked=is_marked)) == BEGIN + b"c\r\n" + csv_files.END_MARK * is_marked
    assert world.released == 1


def test_one_page_is_read_for_each_part_and_none_after_it_is_closed() -> None:
    world = World("a", "b", "c")
    file = world.file()
    assert [(next(file), world.asked), (next(file), world.asked)] == [(BEGIN[:-3], 1), (b"b\r\n", 2)]
    file.close()
    file.close()
    assert (list(file), world.asked, world.released) == ([], 2, 1)


def test_a_file_that_nobody_reads_and_a_mistake_in_a_column_release_the_slot_too() -> None:
    unread, mistaken = World("a"), World("a")
    unread.file()
    gc.collect()
    file = mistaken.file(csv_files.FileColumn(heading="x", value=lambda row: row["missing"]))
    with pytest.raises(KeyError):
        next(file)
    file.close()
    assert (unread.released, mistaken.released) == (1, 1)
