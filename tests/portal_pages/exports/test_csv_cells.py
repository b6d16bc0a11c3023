"""Cells: a spreadsheet reads numbers and times as what they are, and runs no text."""

import csv
import io
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from django.utils.translation import gettext_lazy
from hypothesis import given
from hypothesis import strategies as st

from portal.query import OpenEnum
from portal.web.present import Badge
from portal_pages.exports.csv_files import FileLayout, without_formula

BERLIN = ZoneInfo("Europe/Berlin")


class Status(OpenEnum):
    DONE = "done"


def cells(locale: str = "en") -> FileLayout:
    return FileLayout(locale=locale, zone=BERLIN)


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ((None, "", (), float("nan"), float("inf"), datetime.max.replace(tzinfo=UTC)), ""),
        ((True,), "yes"),
        ((1234567.25,), "1234567.25"),
        ((1e-7,), "0.0000001"),
        ((1e22,), "10000000000000000000000"),
        ((Decimal("-1E+3"),), "-1000"),
        ((datetime(2026, 1, 31, 23, 30, 5, 999, tzinfo=UTC),), "2026-02-01 00:30:05"),
        # The second is of a backend without zones.
        ((datetime(2026, 7, 1, 12, tzinfo=UTC), datetime(2026, 7, 1, 12)), "2026-07-01 14:00:00"),  # noqa: DTZ001
        ((datetime(1, 1, 2, tzinfo=UTC),), "0001-01-02 00:53:28"),
        ((date(2026, 1, 31),), "2026-01-31"),
        ((Status.DONE,), "done"),
        ((("a", "b"),), "a; b"),
    ],
)
def test_a_value_is_written_as_a_spreadsheet_reads_it(values: tuple[object, ...], text: str) -> None:
    assert [cells().text(value) for value in values] == [text] * len(values)


WORDS = {Status.DONE: Badge(label="Erledigt"), "open": gettext_lazy("Offen")}


@pytest.mark.parametrize(
    ("locale", "value", "text"),
    [
        *(("en", value, "-1234.5") for value in (-1234.5, Decimal("-1234.5"))),
        *((locale, value, "-1234,5") for locale in ("de", "tr") for value in (-1234.5, Decimal("-1234.5"))),
        *(("de", value, text) for value, text in ((Status.DONE, "Erledigt"), ("open", "Offen"), ("new", "new"))),
        ("de", (Status.DONE, "x"), "Erledigt; x"),
    ],
)
def test_numbers_and_codes_are_written_in_the_language(locale: str, value: object, text: str) -> None:
    assert cells(locale).text(value, WORDS) == text


@pytest.mark.parametrize(
    "text", ["=1+1", "+SUM(1)", "+49 x", "-2", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "\uff1d1", "\0=1"]
)
def test_a_text_that_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    for value, words in ((text, None), ((text,), None), ("code", {"code": text})):
        assert cells().text(value, words).startswith("'")


@pytest.mark.parametrize("locale", ["en", "de"])
@pytest.mark.parametrize("text", ["x,=1+1", "x;=cmd|' /C calc'!A0", "x;+1", 'x;"=1+1"', "x,\uff1d1"])
def test_no_text_runs_in_a_spreadsheet_of_another_language(locale: str, text: str) -> None:
    written = cells(locale).lines([["first", cells(locale).text(text)]]).decode()
    for separator in ",;":
        assert not [part for part in written.split(separator) if without_formula(part.strip('"')) != part.strip('"')]


@pytest.mark.parametrize(
    "text", ["a=1", "Ada-Eve", "1 + 1", "–", "'=1", "a@example.com", "Oslo, +47 22", "a;b,c", "+49 (30) 90/18-20"]
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    assert cells().text(text) == text


@given(text=st.text())
def test_no_text_begins_like_a_formula(text: str) -> None:
    assert without_formula(without_formula(text)) == without_formula(text)
    is_telephone = re.fullmatch(r"\+[0-9 ()/.-]+", text.replace("\0", ""))
    assert is_telephone or without_formula(text).lstrip()[:1] not in {*"=+-@\uff1d\uff0b\uff0d\uff20"}


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"))


@given(rows=st.lists(st.lists(TEXTS, min_size=2, max_size=2)), locale=st.sampled_from(["en", "de", "tr"]))
def test_what_is_written_is_read_again(rows: list[list[str]], locale: str) -> None:
    shape = cells(locale)
    written = shape.lines([shape.text(text) for text in row] for row in rows).decode()
    read = list(csv.reader(io.StringIO(written, newline=""), delimiter=shape.conventions[0]))
    assert read == [[without_formula(text) for text in row] for row in rows]
    assert cells().lines([["a\ud800b"]]) == b"a?b\r\n", "what no file can hold is replaced"
