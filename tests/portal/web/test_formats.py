"""Dates, numbers and money, held against Babel's CLDR data where that has a say."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from babel.numbers import format_currency, format_decimal
from django.utils import translation

from portal.config.locales import LOCALES
from portal.web.formats import NO_VALUE, STYLES, day_text, moment_text, money_text, month_text, number_text

AT = datetime(2026, 3, 9, 7, 5, tzinfo=UTC)


def test_every_language_has_a_style() -> None:
    assert set(STYLES) == set(LOCALES)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("value", [0, 7, 999, 1000, 1234567, -4321])
def test_numbers_are_grouped_as_cldr_says(locale: str, value: int) -> None:
    assert number_text(value, locale=locale) == format_decimal(value, locale=locale)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("currency", ["EUR", "USD", "GBP"])
@pytest.mark.parametrize("value", ["0", "12.5", "1234.56", "-99.99"])
def test_money_is_written_as_cldr_says(locale: str, currency: str, value: str) -> None:
    expected = format_currency(Decimal(value), currency, locale=locale)
    assert money_text(Decimal(value), currency=currency, locale=locale) == expected


@pytest.mark.parametrize("locale", LOCALES)
def test_a_currency_without_a_sign_shows_its_code(locale: str) -> None:
    assert "CHF" in money_text(Decimal("3.20"), currency="CHF", locale=locale)


def test_halves_are_rounded_up_and_never_by_way_of_binary_fractions() -> None:
    assert number_text(Decimal("2.675"), locale="en", places=2) == "2.68"
    assert number_text(0.125, locale="de", places=2) == "0,13"


@pytest.mark.parametrize(("locale", "day"), [("en", "9 Mar 2026"), ("de", "09.03.2026"), ("tr", "9 Mar 2026")])
def test_days_and_moments(locale: str, day: str) -> None:
    with translation.override(locale):
        assert day_text(AT, locale=locale) == day
        assert moment_text(AT, locale=locale) == f"{day}, 07:05"


def test_what_is_missing_is_a_dash() -> None:
    assert {number_text(None, locale="en"), day_text(None, locale="de"), moment_text(None, locale="tr")} == {NO_VALUE}
    assert money_text(None, currency="EUR", locale="en") == NO_VALUE


@pytest.mark.parametrize(("code", "expected"), [("2026-02", "Feb"), ("2026-13", "2026-13"), ("", ""), ("x", "x")])
def test_a_month_is_a_word_and_anything_else_stays(code: str, expected: str) -> None:
    with translation.override("en"):
        assert month_text(code) == expected
