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
    from collections.abc import Mapping

    from babel.dates import DateTimePattern

NO_VALUE: Final = "–"
#: CLDR's skeletons: hour and minute of a day of 24 hours; day and month without the year.
_TIME: Final = "Hm"
_SHORT_DAY: Final = "MMMd"
#: CLDR keeps letters and digits apart (`currencySpacing`), and Babel does not yet.
_CODE_BEFORE_NUMBER: Final = re.compile(r"(?<=[^\W\d_])(?=\d)")
_SPACE: Final = "\N{NO-BREAK SPACE}"


class _Language:
    """What CLDR says about one language, looked up once: a page with a list formats a hundred values.

    :param code: a language code of Django's, such as `pt-br`.
    """

    def __init__(self, code: str) -> None:
        self.cldr: Final = Locale.parse(code, sep="-")
        self.number: Final[str] = self.cldr.decimal_formats[None].pattern
        self.money: Final[str] = self.cldr.currency_formats["standard"].pattern
        self.day: Final[DateTimePattern] = self.cldr.date_formats["medium"]
        self.short_day: Final[DateTimePattern] = self.cldr.datetime_skeletons[_SHORT_DAY]
        self.time: Final[DateTimePattern] = self.cldr.datetime_skeletons[_TIME]
        self.day_and_time: Final = str(self.cldr.datetime_formats["medium"])
        self.months: Final[Mapping[int, str]] = self.cldr.months["stand-alone"]["abbreviated"]


_LANGUAGES: Final[Mapping[str | None, _Language]] = {code: _Language(code) for code in LOCALES}
_DEFAULT: Final = _LANGUAGES[DEFAULT_LOCALE]


def number_text(value: float | Decimal | None, *, places: int = 0) -> str:
    """A number with grouped thousands and `places` decimal places; a dash for one of more than 28 digits."""
    rounded = None if value is None else _rounded(value, places)
    if rounded is None:
        return NO_VALUE
    language = _LANGUAGES.get(get_language(), _DEFAULT)
    return str(_with_places(language.number, places).apply(rounded, language.cldr))


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
    language = _LANGUAGES.get(get_language(), _DEFAULT)
    pattern = _with_places(language.money, places)
    amount = pattern.apply(rounded, language.cldr, currency=currency, currency_digits=False)
    return _CODE_BEFORE_NUMBER.sub(_SPACE, amount)


def day_text(value: datetime | None) -> str:
    """A day in UTC; whether the month is a word depends on the language."""
    if value is None:
        return NO_VALUE
    language = _LANGUAGES.get(get_language(), _DEFAULT)
    return language.day.apply(value.astimezone(UTC), language.cldr)


def short_day_text(value: datetime) -> str:
    """A day in UTC without its year, for the labels of a chart."""
    language = _LANGUAGES.get(get_language(), _DEFAULT)
    return language.short_day.apply(value.astimezone(UTC), language.cldr)


def clock_text(value: datetime | None) -> str:
    """A time of day, followed by "UTC"."""
    if value is None:
        return NO_VALUE
    language = _LANGUAGES.get(get_language(), _DEFAULT)
    return f"{language.time.apply(value.astimezone(UTC), language.cldr)} UTC"


def moment_text(value: datetime | None) -> str:
    """A day and a time of day, followed by "UTC"."""
    if value is None:
        return NO_VALUE
    language, in_utc = _LANGUAGES.get(get_language(), _DEFAULT), value.astimezone(UTC)
    time = f"{language.time.apply(in_utc, language.cldr)} UTC"
    return language.day_and_time.format(time, language.day.apply(in_utc, language.cldr))


def month_text(code: str) -> str:
    """The short name of a month such as `2026-01`; any other text stays as it is."""
    try:
        month = date.fromisoformat(f"{code}-01").month
    except ValueError:
        return code
    return _LANGUAGES.get(get_language(), _DEFAULT).months[month]


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
