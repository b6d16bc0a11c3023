"""Dates, numbers and money are written as CLDR says, by Babel; a day has 24 hours in all three languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from babel.dates import format_date, format_skeleton
from babel.numbers import format_currency, format_decimal
from django.conf.global_settings import LANGUAGES
from django.utils import timezone as timezones
from django.utils import translation

from portal.config.locales import LOCALES
from portal.web.present.formats import (
    NO_VALUE,
    Formats,
    formats_of,
    list_text,
    money_text,
    month_text,
    number_text,
    quantity_text,
    short_day_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

AT = datetime(2026, 3, 9, 7, 5, tzinfo=UTC)
SPACE = "\N{NO-BREAK SPACE}"


def written(write: Callable[..., str], *args: object, locale: str, **options: object) -> str:
    with translation.override(locale):
        return write(*args, **options)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("value", [0, 7, 999, 1000, 1234567, -4321])
def test_numbers_are_grouped_as_cldr_says(locale: str, value: int) -> None:
    assert written(number_text, value, locale=locale) == format_decimal(value, locale=locale)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("currency", ["EUR", "USD", "GBP", "JPY"])
@pytest.mark.parametrize("value", ["0", "12.5", "1234.56", "-99.99"])
def test_money_is_written_as_cldr_says(locale: str, currency: str, value: str) -> None:
    expected = format_currency(Decimal(value), currency, locale=locale)
    if currency == "JPY" and value == "12.5":
        expected = expected.replace("12", "13")  # halves are rounded up
    assert written(money_text, Decimal(value), currency=currency, locale=locale) == expected


@pytest.mark.parametrize(
    ("locale", "currency", "expected"),
    [
        ("en", "CHF", f"CHF{SPACE}3.20"),
        ("de", "CHF", f"3,20{SPACE}CHF"),
        ("tr", "CHF", f"CHF{SPACE}3,20"),
        ("en", "TRY", f"TRY{SPACE}3.20"),
        ("tr", "TRY", "₺3,20"),
    ],
)
def test_a_currency_without_a_sign_shows_its_code_apart_from_the_number(
    locale: str, currency: str, expected: str
) -> None:
    """Which currency has a sign depends on the language: in English, the lira's is not understood."""
    assert written(money_text, Decimal("3.20"), currency=currency, locale=locale) == expected


@pytest.mark.parametrize(("places", "expected"), [(0, "€1,235"), (2, "€1,234.50"), (None, "€1,234.50")])
def test_money_has_the_currencys_decimal_places_or_those_that_are_asked_for(places: int | None, expected: str) -> None:
    assert written(money_text, Decimal("1234.5"), currency="EUR", locale="en", places=places) == expected


def test_halves_are_rounded_up_and_never_by_way_of_binary_fractions() -> None:
    assert written(number_text, Decimal("2.675"), locale="en", places=2) == "2.68"
    assert written(number_text, 0.125, locale="de", places=2) == "0,13"


@pytest.mark.parametrize("value", ["1e28", "-1e300", "1e999999", "Infinity", "NaN"])
def test_a_number_that_is_too_long_is_shown_as_a_dash(value: str) -> None:
    """A backend may send any number that JSON can write, and the page is still served."""
    number = Decimal(value)
    assert written(number_text, number, locale="de") == NO_VALUE
    assert written(money_text, number, currency="EUR", locale="en") == NO_VALUE


@pytest.mark.parametrize("locale", LOCALES)
def test_days_are_written_as_cldr_says(locale: str) -> None:
    assert formats_of(locale).day(AT) == format_date(AT, "medium", locale=locale)
    assert written(short_day_text, AT, locale=locale) == format_skeleton("MMMd", AT, locale=locale)


@pytest.mark.parametrize(
    ("locale", "moment"),
    [("en", "Mar 9, 2026, 07:05 UTC"), ("de", "09.03.2026, 07:05 UTC"), ("tr", "9 Mar 2026 07:05 UTC")],
)
def test_times_are_in_utc_and_name_it(locale: str, moment: str) -> None:
    elsewhere = AT.astimezone(timezone(timedelta(hours=9)))
    assert formats_of(locale).moment(AT) == formats_of(locale).moment(elsewhere) == moment
    assert formats_of(locale).clock(elsewhere) == "07:05 UTC"


@pytest.mark.parametrize(
    ("zone", "at", "name"),
    [
        ("Europe/Berlin", AT, "08:05 MEZ"),
        ("Europe/Berlin", AT.replace(month=7), "09:05 MESZ"),
        ("Asia/Kolkata", AT, "12:35 GMT+5:30"),
        ("America/St_Johns", AT.replace(month=1), "03:35 GMT-3:30"),
        ("Pacific/Chatham", AT.replace(month=7), "19:50 GMT+12:45"),
        ("Europe/London", AT.replace(month=1), "07:05 GMT"),
    ],
)
def test_a_time_names_the_zone_in_which_it_is_written(zone: str, at: datetime, name: str) -> None:
    with timezones.override(ZoneInfo(zone)):
        assert formats_of("de").clock(at) == name
        assert formats_of("de").moment(at) == f"{formats_of('de').day(at)}, {name}"
        assert formats_of("de").short_moment(at) == f"{formats_of('de').day(at)}, {name.partition(' ')[0]}"


def test_the_hour_that_comes_twice_is_told_apart() -> None:
    with timezones.override(ZoneInfo("Europe/Berlin")):
        hours = [formats_of("de").clock(datetime(2026, 10, 25, hour, 30, tzinfo=UTC)) for hour in (0, 1)]
    assert hours == ["02:30 MESZ", "02:30 MEZ"]


def test_an_unknown_language_is_written_like_the_default_one() -> None:
    assert written(number_text, 1234.5, locale="xx", places=1) == "1,234.5"


def test_a_missing_value_is_a_dash() -> None:
    missing = {
        written(number_text, None, locale="en"),
        formats_of("de").day(None),
        formats_of("tr").moment(None),
    }
    assert missing | {formats_of("en").clock(None)} == {NO_VALUE}
    assert written(money_text, None, currency="EUR", locale="en") == NO_VALUE


@pytest.mark.parametrize(("code", "expected"), [("2026-02", "Feb"), ("2026-13", "2026-13"), ("", ""), ("x", "x")])
def test_a_month_is_a_word_and_anything_else_stays(code: str, expected: str) -> None:
    with translation.override("en"):
        assert month_text(code) == expected


def test_a_month_is_a_word_of_the_pages_language() -> None:
    with translation.override("tr"):
        assert month_text("2026-02") == "Şub"


@pytest.mark.parametrize("code", [code for code, _ in LANGUAGES if code != "udm"])
def test_every_language_of_djangos_can_be_a_language_of_the_pages(code: str) -> None:
    """So that a language needs an entry in `config/locales.py` and catalogs, and no code. CLDR lacks Udmurt alone."""
    language = Formats(code)
    assert all([language.day(AT), language.short_day(AT), language.clock(AT), language.moment(AT)])
    assert len({language.month(f"2026-{month:02d}") for month in range(1, 13)}) == 12


def test_a_zero_has_no_sign() -> None:
    assert written(number_text, -0.0, locale="en") == written(number_text, 0, locale="en") == "0"


def test_equal_numbers_of_different_types_are_written_alike() -> None:
    for first, second in ((1, 1.0), (1.0, 1), (Decimal("2.50"), 2.5)):
        assert written(number_text, first, locale="en", places=1) == written(number_text, second, locale="en", places=1)


@pytest.mark.parametrize(
    ("locale", "texts"),
    [
        ("en", ["1 minute ago", "44 minutes ago", "3 hours ago", "1 day ago"]),
        ("de", ["vor 1 Minute", "vor 44 Minuten", "vor 3 Stunden", "vor 1 Tag"]),
        ("tr", ["1 dakika önce", "44 dakika önce", "3 saat önce", "1 gün önce"]),
    ],
)
def test_a_distance_from_now_is_in_the_largest_unit(locale: str, texts: list[str]) -> None:
    now = datetime(2026, 3, 9, 12, tzinfo=UTC)
    distances = (timedelta(seconds=-30), timedelta(minutes=44), timedelta(hours=3), timedelta(hours=25))
    assert [formats_of(locale).ago(now - distance, now=now) for distance in distances] == texts


@pytest.mark.parametrize(
    ("locale", "text"),
    [("en", "A, B, and C|A and B|A|"), ("de", "A, B und C|A und B|A|"), ("tr", "A, B ve C|A ve B|A|")],
)
def test_words_of_a_sentence_are_joined_as_cldr_says(locale: str, text: str) -> None:
    with translation.override(locale):
        assert "|".join(list_text("ABC"[:count]) for count in (3, 2, 1, 0)) == text


@pytest.mark.parametrize(("locale", "text"), [("en", "74,537"), ("de", "74.537"), ("tr", "74.537")])
def test_no_line_ends_between_a_number_and_its_unit(locale: str, text: str) -> None:
    assert written(quantity_text, 74537, "kWh", locale=locale) == f"{text}{SPACE}kWh"
    assert written(quantity_text, None, "kWh", locale=locale) == NO_VALUE
