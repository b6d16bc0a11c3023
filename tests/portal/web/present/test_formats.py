"""Dates, numbers and money are written as CLDR says, by Babel; a day has 24 hours in all three languages."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import TYPE_CHECKING, Any
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
def test_numbers_money_and_days_are_written_as_cldr_says(locale: str) -> None:
    for number in (0, 7, 999, 1000, 1234567, -4321):
        assert written(number_text, number, locale=locale) == format_decimal(number, locale=locale)
    for currency, value in itertools.product(("EUR", "USD", "GBP", "JPY"), map(Decimal, ("0", "1234.56", "-99.99"))):
        expected = format_currency(value, currency, locale=locale)
        assert written(money_text, value, currency=currency, locale=locale) == expected
    assert formats_of(locale).day(AT) == format_date(AT, "medium", locale=locale)
    assert written(short_day_text, AT, locale=locale) == format_skeleton("MMMd", AT, locale=locale)


@pytest.mark.parametrize(
    ("write", "value", "options", "text"),
    [
        # A currency without a sign shows its code apart from the number. Which has one depends on the language: in
        # English, the lira's is not understood.
        (money_text, "3.20", {"currency": "CHF", "locale": "en"}, f"CHF{SPACE}3.20"),
        (money_text, "3.20", {"currency": "TRY", "locale": "en"}, f"TRY{SPACE}3.20"),
        # The currency's decimal places, or those that are asked for; halves are rounded up.
        (money_text, "1234.5", {"currency": "EUR", "locale": "en", "places": 0}, "€1,235"),
        (number_text, "2.675", {"locale": "en", "places": 2}, "2.68"),
        # An unknown language is written like the default one, and a zero has no sign.
        (number_text, 1234.5, {"locale": "xx", "places": 1}, "1,234.5"),
        (number_text, -0.0, {"locale": "en"}, "0"),
        # Equal numbers of different types are written alike.
        (number_text, 1, {"locale": "en", "places": 1}, "1.0"),
        (number_text, "1.00", {"locale": "en", "places": 1}, "1.0"),
        # A number that is too long is a dash: a backend may send any that JSON can write. So is a missing one.
        *((number_text, value, {"locale": "de"}, NO_VALUE) for value in (None, "1e28", "-1e300", "1e999999", "NaN")),
        *((money_text, value, {"currency": "EUR", "locale": "en"}, NO_VALUE) for value in (None, "1e28", "Infinity")),
        # No line ends between a number and its unit.
        (quantity_text, 74537, {"unit": "kWh", "locale": "en"}, f"74,537{SPACE}kWh"),
        (month_text, "2026-02", {"locale": "en"}, "Feb"),
        *((month_text, code, {"locale": "en"}, code) for code in ("2026-13", "", "x")),
    ],
)
def test_a_value_is_written(write: Callable[..., str], value: Any, options: dict[str, Any], text: str) -> None:
    number = Decimal(value) if isinstance(value, str) and write is not month_text else value
    assert written(write, number, **options) == text


@pytest.mark.parametrize(
    ("zone", "at", "name"),
    [
        ("UTC", AT.astimezone(timezone(timedelta(hours=9))), "07:05 UTC"),
        # The hour that comes twice.
        ("Europe/Berlin", datetime(2026, 10, 25, 0, 30, tzinfo=UTC), "02:30 MESZ"),
        ("Europe/Berlin", datetime(2026, 10, 25, 1, 30, tzinfo=UTC), "02:30 MEZ"),
        ("Asia/Kolkata", AT, "12:35 GMT+5:30"),
    ],
)
def test_a_time_names_the_zone_in_which_it_is_written(zone: str, at: datetime, name: str) -> None:
    with timezones.override(ZoneInfo(zone)):
        german = formats_of("de")
        assert german.clock(at) == name
        assert german.moment(at) == f"{german.day(at)}, {name}"
        assert german.short_moment(at) == f"{german.day(at)}, {name.partition(' ')[0]}"
    assert german.day(None) == german.moment(None) == german.clock(None) == NO_VALUE


def test_every_language_of_djangos_can_be_a_language_of_the_pages() -> None:
    """So that a language needs an entry in `config/locales.py` and catalogs, and no code. CLDR lacks Udmurt alone."""
    for language in (Formats(code) for code, _ in LANGUAGES if code != "udm"):
        assert all([language.day(AT), language.short_day(AT), language.clock(AT), language.moment(AT)])
        assert len({language.month(f"2026-{month:02d}") for month in range(1, 13)}) == 12


@pytest.mark.parametrize(
    ("locale", "texts", "joined"),
    [
        ("en", ["1 minute ago", "44 minutes ago", "3 hours ago", "1 day ago"], "A, B, and C|A and B|A|"),
        ("de", ["vor 1 Minute", "vor 44 Minuten", "vor 3 Stunden", "vor 1 Tag"], "A, B und C|A und B|A|"),
        ("tr", ["1 dakika önce", "44 dakika önce", "3 saat önce", "1 gün önce"], "A, B ve C|A ve B|A|"),
    ],
)
def test_distance_and_list_are_in_the_language(locale: str, texts: list[str], joined: str) -> None:
    now = datetime(2026, 3, 9, 12, tzinfo=UTC)
    distances = (timedelta(seconds=-30), timedelta(minutes=44), timedelta(hours=3), timedelta(hours=25))
    assert [formats_of(locale).ago(now - distance, now=now) for distance in distances] == texts
    with translation.override(locale):
        assert "|".join(list_text("ABC"[:count]) for count in (3, 2, 1, 0)) == joined
