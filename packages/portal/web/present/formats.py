"""Dates, numbers and amounts of money in the page's language, as CLDR says people there write them (by Babel).

A day has 24 hours in all languages here. What a `<time>` says is UTC; `portal.js` writes it anew in the reader's own
time, by the browser's CLDR.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from babel import Locale
from babel.numbers import NumberPattern, get_currency_precision, parse_pattern
from django.utils.translation import get_language

from portal.config.locales import DEFAULT_LOCALE, LOCALES

if TYPE_CHECKING:
    from babel.dates import DateTimePattern

NO_VALUE: Final = "–"
#: CLDR's names of patterns: hour and minute of a day with 24 hours; day and month without the year.
_TIME: Final = "Hm"
_SHORT_DAY: Final = "MMMd"
#: CLDR keeps letters and digits apart (`currencySpacing`), and Babel does not yet.
_CODE_BEFORE_NUMBER: Final = re.compile(r"(?<=[^\W\d_])(?=\d)")
_SPACE: Final = "\N{NO-BREAK SPACE}"
_CLDR: Final = {code: Locale.parse(code) for code in LOCALES}


def number_text(value: float | Decimal | None, *, locale: str, places: int = 0) -> str:
    """A number with grouped thousands and exactly `places` decimal places; none where it is no figure at all."""
    rounded = None if value is None else _rounded(value, places)
    if rounded is None:
        return NO_VALUE
    cldr = _cldr(locale)
    pattern = _with_places(cldr.decimal_formats[None].pattern, places)
    return str(pattern.apply(rounded, cldr))


def money_text(value: Decimal | None, *, currency: str, locale: str, places: int | None = None) -> str:
    """An amount of money with its currency; a currency without a sign of its own shows its code.

    :param places: decimal places; those of the currency by default.
    """
    places = get_currency_precision(currency) if places is None else places
    rounded = None if value is None else _rounded(value, places)
    if rounded is None:
        return NO_VALUE
    cldr = _cldr(locale)
    pattern = _with_places(cldr.currency_formats["standard"].pattern, places)
    amount = pattern.apply(rounded, cldr, currency=currency, currency_digits=False)
    return _CODE_BEFORE_NUMBER.sub(_SPACE, amount)


def day_text(value: datetime | None, *, locale: str) -> str:
    """A day in UTC, with the month as a word where people write it so."""
    return NO_VALUE if value is None else _written(value, _cldr(locale).date_formats["medium"], locale)


def short_day_text(value: datetime, *, locale: str) -> str:
    """A day without its year, for the narrow places of a chart."""
    return _written(value, _cldr(locale).datetime_skeletons[_SHORT_DAY], locale)


def clock_text(value: datetime | None, *, locale: str) -> str:
    """A time of day in UTC, which it says."""
    if value is None:
        return NO_VALUE
    return f"{_written(value, _cldr(locale).datetime_skeletons[_TIME], locale)} UTC"


def moment_text(value: datetime | None, *, locale: str) -> str:
    """A day and a time of day in UTC, which it says."""
    if value is None:
        return NO_VALUE
    joined = str(_cldr(locale).datetime_formats["medium"])
    return joined.format(clock_text(value, locale=locale), day_text(value, locale=locale))


def month_text(code: str) -> str:
    """A month such as `2026-01` as a short word in the active language; as it stands where it is none."""
    try:
        month = date.fromisoformat(f"{code}-01").month
    except ValueError:
        return code
    words: str = _cldr(get_language() or DEFAULT_LOCALE).months["stand-alone"]["abbreviated"][month]
    return words


def _cldr(locale: str) -> Locale:
    return _CLDR.get(locale) or _CLDR[DEFAULT_LOCALE]


@lru_cache(maxsize=64)
def _with_places(pattern: str, places: int) -> NumberPattern:
    """CLDR's pattern with exactly so many decimal places. There are as many as languages times uses."""
    fixed = parse_pattern(pattern)
    fixed.frac_prec = (places, places)
    return fixed


def _rounded(value: float | Decimal, places: int) -> Decimal | None:
    """None for what has more than 28 digits, which no page has room for, and for what is no number."""
    try:
        # Half up, and by the digits that are shown of a fraction: 0.125 is 0.13.
        rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    except InvalidOperation:
        return None
    return rounded if rounded.is_finite() else None


def _written(value: datetime, pattern: DateTimePattern, locale: str) -> str:
    return pattern.apply(value.astimezone(UTC), _cldr(locale))
