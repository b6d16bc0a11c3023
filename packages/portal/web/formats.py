"""Dates, numbers and amounts of money in the three languages, as people there write them (after CLDR)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from django.utils.dateformat import format as format_date

from portal.config.locales import DEFAULT_LOCALE

NO_VALUE: Final = "–"
_SYMBOLS: Final = {"EUR": "€", "USD": "$", "GBP": "£", "TRY": "₺"}
_SPACE: Final = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberStyle:
    """How a language writes numbers.

    :param money: pattern with `{symbol}` and `{number}`.
    :param day: Django's date pattern; `short_day` is the same without the year.
    """

    point: str
    group: str
    money: str
    day: str
    short_day: str


STYLES: Final = {
    "en": NumberStyle(point=".", group=",", money="{symbol}{number}", day="j M Y", short_day="j M"),
    "de": NumberStyle(
        point=",",
        group=".",
        money="{number}\N{NO-BREAK SPACE}{symbol}",
        day="d.m.Y",
        short_day="d.m.",
    ),
    "tr": NumberStyle(point=",", group=".", money="{symbol}{number}", day="j M Y", short_day="j M"),
}


def number_text(value: float | Decimal | None, *, locale: str, places: int = 0) -> str:
    """A number with grouped thousands and exactly `places` decimal places."""
    if value is None:
        return NO_VALUE
    style = _style(locale)
    rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return f"{rounded:,.{places}f}".translate({ord(","): style.group, ord("."): style.point})


def money_text(value: Decimal | None, *, currency: str, locale: str, places: int = 2) -> str:
    """An amount of money with its currency; a currency without a sign of its own shows its code."""
    if value is None:
        return NO_VALUE
    symbol = _SYMBOLS.get(currency)
    number = number_text(abs(value), locale=locale, places=places)
    style = _style(locale)
    if symbol is None:
        shown = f"{number}{_SPACE}{currency}" if locale == "de" else f"{currency}{_SPACE}{number}"
    else:
        shown = style.money.format(symbol=symbol, number=number)
    return f"-{shown}" if value < 0 else shown


def day_text(value: datetime | None, *, locale: str) -> str:
    """A day, with the month as a word in the active language."""
    return format_date(value, _style(locale).day) if value else NO_VALUE


def short_day_text(value: datetime, *, locale: str) -> str:
    """A day without its year, for the narrow places of a chart."""
    return format_date(value, _style(locale).short_day)


def moment_text(value: datetime | None, *, locale: str) -> str:
    """A day and a time of day, in UTC, 24 hours."""
    if value is None:
        return NO_VALUE
    value = value.astimezone(UTC)
    return f"{day_text(value, locale=locale)}, {value:%H:%M}"


def _style(locale: str) -> NumberStyle:
    return STYLES.get(locale, STYLES[DEFAULT_LOCALE])


def month_text(code: str) -> str:
    """A month such as `2026-01` as a short word in the active language; as it stands where it is none."""
    try:
        return format_date(date.fromisoformat(f"{code}-01"), "M")
    except ValueError:
        return code
