"""Numbers, amounts of money, days and times as texts in the active language, by CLDR's rules (Babel).

All languages write 24 hours. Times are in UTC; `portal.js` rewrites a `<time>` in the browser's own time zone.
A value of None is a dash.
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
#: CLDR's skeletons: hour and minute of a day of 24 hours; day and month without the year.
_TIME: Final = "Hm"
_SHORT_DAY: Final = "MMMd"
#: CLDR keeps letters and digits apart (`currencySpacing`), and Babel does not yet.
_CODE_BEFORE_NUMBER: Final = re.compile(r"(?<=[^\W\d_])(?=\d)")
_SPACE: Final = "\N{NO-BREAK SPACE}"
_CLDR: Final = {code: Locale.parse(code) for code in LOCALES}


def number_text(value: float | Decimal | None, *, places: int = 0) -> str:
    """A number with grouped thousands and `places` decimal places; a dash for one of more than 28 digits."""
    rounded = None if value is None else _rounded(value, places)
    if rounded is None:
        return NO_VALUE
    cldr = _cldr()
    pattern = _with_places(cldr.decimal_formats[None].pattern, places)
    return str(pattern.apply(rounded, cldr))


def compact_number_text(value: float | None) -> str:
    """A number: without decimal places if it is whole, else with one."""
    return number_text(value, places=0 if value is None or value == int(value) else 1)


def money_text(value: Decimal | None, *, currency: str, places: int | None = None) -> str:
    """An amount of money with the currency's sign, or with its code if the language has no sign for it.

    :param currency: ISO 4217 code.
    :param places: decimal places; by default those of the currency.
    """
    places = get_currency_precision(currency) if places is None else places
    rounded = None if value is None else _rounded(value, places)
    if rounded is None:
        return NO_VALUE
    cldr = _cldr()
    pattern = _with_places(cldr.currency_formats["standard"].pattern, places)
    amount = pattern.apply(rounded, cldr, currency=currency, currency_digits=False)
    return _CODE_BEFORE_NUMBER.sub(_SPACE, amount)


def day_text(value: datetime | None) -> str:
    """A day in UTC; whether the month is a word depends on the language."""
    return NO_VALUE if value is None else _written(value, _cldr().date_formats["medium"])


def short_day_text(value: datetime) -> str:
    """A day in UTC without its year, for the labels of a chart."""
    return _written(value, _cldr().datetime_skeletons[_SHORT_DAY])


def clock_text(value: datetime | None) -> str:
    """A time of day, followed by "UTC"."""
    if value is None:
        return NO_VALUE
    return f"{_written(value, _cldr().datetime_skeletons[_TIME])} UTC"


def moment_text(value: datetime | None) -> str:
    """A day and a time of day, followed by "UTC"."""
    if value is None:
        return NO_VALUE
    joined = str(_cldr().datetime_formats["medium"])
    return joined.format(clock_text(value), day_text(value))


def month_text(code: str) -> str:
    """The short name of a month such as `2026-01`; any other text stays as it is."""
    try:
        month = date.fromisoformat(f"{code}-01").month
    except ValueError:
        return code
    words: str = _cldr().months["stand-alone"]["abbreviated"][month]
    return words


def _cldr() -> Locale:
    """CLDR's data for the active language."""
    return _CLDR.get(get_language() or DEFAULT_LOCALE) or _CLDR[DEFAULT_LOCALE]


@lru_cache(maxsize=64)
def _with_places(pattern: str, places: int) -> NumberPattern:
    """CLDR's pattern with `places` decimal places. The cache holds one for each language and use."""
    fixed = parse_pattern(pattern)
    fixed.frac_prec = (places, places)
    return fixed


def _rounded(value: float | Decimal, places: int) -> Decimal | None:
    """`value` with `places` decimal places; None for infinity, NaN, and more than 28 digits."""
    try:
        # By way of the decimal text, so that 0.125 is 0.13 and not the nearest binary fraction's 0.12.
        rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    except InvalidOperation:
        return None
    return rounded if rounded.is_finite() else None


def _written(value: datetime, pattern: DateTimePattern) -> str:
    return pattern.apply(value.astimezone(UTC), _cldr())
