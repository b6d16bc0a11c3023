"""Numbers, amounts of money, days and times as texts in the active language, by CLDR's rules (Babel).

All languages write 24 hours. Times are in the active time zone (:mod:`portal.web.preferences`). They name it by its
short name in the language, such as MEZ, or by its distance from Greenwich, such as GMT+5:30. A value of None is a dash.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from functools import cached_property, lru_cache
from typing import Final

from babel import Locale
from babel.dates import DateTimePattern, format_timedelta, get_timezone_name
from babel.lists import format_list
from babel.numbers import NumberPattern, get_currency_precision, parse_pattern
from django.utils.timezone import get_current_timezone
from django.utils.translation import get_language

from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal.web.present.languages import forget_other_languages

NO_VALUE: Final = "–"
#: CLDR's skeletons: hour and minute of a day of 24 hours; day and month without the year.
_TIME: Final = "Hm"
_SHORT_DAY: Final = "MMMd"
_MONTH_AND_YEAR: Final = "yMMM"
#: CLDR keeps letters and digits apart (`currencySpacing`), and Babel does not yet.
_CODE_BEFORE_NUMBER: Final = re.compile(r"(?<=[^\W\d_])(?=\d)")
#: Of an amount whose currency nobody knows.
_CENTS: Final = 2
#: What Babel gives for a zone without a short name in the language. It is wrong for some west of Greenwich.
_NO_ZONE_NAME: Final = re.compile(r"[+-]\d{4}", re.ASCII)
_SPACE: Final = "\N{NO-BREAK SPACE}"
#: Texts that are kept of each kind, in each language: about 200 KiB.
KEPT_TEXTS: Final = 2048


class _Patterns:
    """What CLDR says about a language: 1 to 2 MiB, which Babel reads at once."""

    def __init__(self, cldr: Locale) -> None:
        self.number: Final[str] = cldr.decimal_formats[None].pattern
        self.money: Final[str] = cldr.currency_formats["standard"].pattern
        self.day: Final[DateTimePattern] = cldr.date_formats["medium"]
        self.short_day: Final[DateTimePattern] = cldr.datetime_skeletons[_SHORT_DAY]
        self.month_and_year: Final[DateTimePattern] = cldr.datetime_skeletons[_MONTH_AND_YEAR]
        self.percent: Final[str] = cldr.percent_formats[None].pattern
        self.time: Final[DateTimePattern] = cldr.datetime_skeletons[_TIME]
        self.day_and_time: Final = str(cldr.datetime_formats["medium"])
        self.months: Final[Mapping[int, str]] = cldr.months["stand-alone"]["abbreviated"]


class Formats:
    """Writes values in one language. What CLDR says about the language is read when a page first needs it.

    Numbers and days are kept: a list that is shown again writes the same hundred values, and one takes 20 µs.

    :param code: a language code of Django's, such as `pt-br`.
    """

    def __init__(self, code: str) -> None:
        self.cldr: Final = Locale.parse(code, sep="-")
        self._written_day: Final = lru_cache(maxsize=KEPT_TEXTS)(lambda day: self._applied(self._patterns.day, day))
        self._written_number: Final = lru_cache(maxsize=KEPT_TEXTS, typed=True)(self._write_number)
        self._written_money: Final = lru_cache(maxsize=KEPT_TEXTS, typed=True)(self._write_money)

    @cached_property
    def _patterns(self) -> _Patterns:
        return _Patterns(self.cldr)

    def number(self, value: float | Decimal | None, *, places: int = 0) -> str:
        """See :func:`number_text`."""
        return NO_VALUE if value is None else self._written_number(value, places)

    def compact_number(self, value: float | Decimal | None, *, places: int = 1) -> str:
        """See :func:`compact_number_text`; `places`: those of a number that is not whole."""
        return self.number(value, places=0 if value is None or _is_whole(value) else places)

    def quantity(self, value: float | Decimal | None, unit: str, *, places: int | None = 0) -> str:
        """See :func:`quantity_text`."""
        text = self.compact_number(value) if places is None else self.number(value, places=places)
        return text if text == NO_VALUE else f"{text}{_SPACE}{unit}"

    def money(self, value: Decimal | None, *, currency: str, places: int | None = None) -> str:
        """See :func:`money_text`."""
        if value is not None and not currency:
            return self.number(value, places=_CENTS if places is None else places)
        return NO_VALUE if value is None else self._written_money(value, currency, places)

    def day(self, value: date | None) -> str:
        """The day of an event; whether the month is a word depends on the language."""
        return self._day(in_active_zone(value))

    def calendar_day(self, value: date | None) -> str:
        """A day that is the same in every zone; that of a time is its day in UTC."""
        return self._day(in_utc(value))

    def short_day(self, value: date) -> str:
        """See :func:`short_day_text`."""
        return self._applied(self._patterns.short_day, in_utc(value))

    def month_and_year(self, value: date) -> str:
        """See :func:`month_and_year_text`."""
        return self._applied(self._patterns.month_and_year, value)

    def percent(self, value: float) -> str:
        """See :func:`percent_text`."""
        rounded = _rounded(value, 2)
        return NO_VALUE if rounded is None else str(_with_places(self._patterns.percent, 0).apply(rounded, self.cldr))

    def clock(self, value: datetime | None) -> str:
        """A time of day, and the zone."""
        shown = in_active_zone(value)
        text = self._applied(self._patterns.time, shown)
        return f"{text} {self._zone_name(shown)}" if isinstance(shown, datetime) else text

    def moment(self, value: datetime | None) -> str:
        """A day, a time of day, and the zone."""
        day = self.day(value)
        return day if day == NO_VALUE else self._patterns.day_and_time.format(self.clock(value), day)

    def short_moment(self, value: datetime | None) -> str:
        """A day and a time of day, where the zone is named elsewhere."""
        shown = in_active_zone(value)
        if shown is None:
            return NO_VALUE
        return self._patterns.day_and_time.format(self._applied(self._patterns.time, shown), self._day(shown))

    def ago(self, value: datetime | None, *, now: datetime) -> str:
        """How long ago a time was, in its largest unit: 3 hours ago. At least a minute, also for a time to come."""
        shown = in_utc(value)
        if not isinstance(shown, datetime):
            return NO_VALUE
        since = max(now - shown, timedelta(minutes=1))
        return str(format_timedelta(-since, granularity="minute", add_direction=True, locale=self.cldr))

    def _zone_name(self, value: datetime) -> str:
        """The short name of the zone of `value` at that time, as browsers write it too."""
        name = get_timezone_name(value, width="short", locale=self.cldr)
        if not _NO_ZONE_NAME.fullmatch(name):
            return name
        minutes = round((value.utcoffset() or timedelta()).total_seconds() / 60)
        hours, minutes_left = divmod(abs(minutes), 60)
        distance = f"{'-' if minutes < 0 else '+'}{hours}" if minutes else ""
        return f"GMT{distance}:{minutes_left:02d}" if minutes_left else f"GMT{distance}"

    def listed(self, texts: Iterable[str]) -> str:
        """See :func:`list_text`."""
        return str(format_list(list(texts), locale=self.cldr))

    def month(self, code: str) -> str:
        """See :func:`month_text`."""
        try:
            month = date.fromisoformat(f"{code}-01").month
        except ValueError:
            return code
        return self._patterns.months[month]

    def _day(self, value: date | None) -> str:
        # A list of times has few days.
        return self._written_day(value.date() if isinstance(value, datetime) else value)

    def _applied(self, pattern: DateTimePattern, value: date | None) -> str:
        return NO_VALUE if value is None else str(pattern.apply(value, self.cldr))

    def _write_number(self, value: float | Decimal, places: int) -> str:
        rounded = _rounded(value, places)
        return (
            NO_VALUE if rounded is None else str(_with_places(self._patterns.number, places).apply(rounded, self.cldr))
        )

    def _write_money(self, value: Decimal, currency: str, places: int | None) -> str:
        places = get_currency_precision(currency) if places is None else places
        rounded = _rounded(value, places)
        if rounded is None:
            return NO_VALUE
        pattern = _with_places(self._patterns.money, places)
        amount = pattern.apply(rounded, self.cldr, currency=currency, currency_digits=False)
        return _CODE_BEFORE_NUMBER.sub(_SPACE, amount)


# Now, while no other thread reads it.
forget_other_languages()

_FORMATS: Final[Mapping[str | None, Formats]] = {code: Formats(code) for code in LOCALES}


def formats_of(language: str | None) -> Formats:
    """The formats of a language; those of the default language for a language that the portal lacks."""
    return _FORMATS.get(language) or _FORMATS[DEFAULT_LOCALE]


def number_text(value: float | Decimal | None, *, places: int = 0) -> str:
    """A number with grouped thousands and `places` decimal places; a dash for one of more than 28 digits."""
    return formats_of(get_language()).number(value, places=places)


def quantity_text(value: float | Decimal | None, unit: str, *, places: int = 0) -> str:
    """A number with its unit, such as kWh; no line ends between them."""
    return formats_of(get_language()).quantity(value, unit, places=places)


def compact_number_text(value: float | Decimal | None) -> str:
    """A number: without decimal places if it is whole, else with one."""
    return formats_of(get_language()).compact_number(value)


def money_text(value: Decimal | None, *, currency: str, places: int | None = None) -> str:
    """An amount of money with the currency's sign, or with its code if the language has no sign for it.

    :param currency: ISO 4217 code. Empty where it is not known: then the number stands alone.
    :param places: decimal places; by default those of the currency.
    """
    return formats_of(get_language()).money(value, currency=currency, places=places)


def day_text(value: date) -> str:
    """A day; whether the month is a word depends on the language."""
    return formats_of(get_language()).day(value)


def short_day_text(value: date) -> str:
    """A day in UTC without its year, for the labels of a chart."""
    return formats_of(get_language()).short_day(value)


def month_and_year_text(value: date) -> str:
    """The month and the year of a day."""
    return formats_of(get_language()).month_and_year(value)


def percent_text(value: float) -> str:
    """A share as whole per cents: 0.125 is 13%."""
    return formats_of(get_language()).percent(value)


def list_text(texts: Iterable[str]) -> str:
    """Texts as a part of a sentence: A, B and C."""
    return formats_of(get_language()).listed(texts)


def territory_text(code: str) -> str:
    """The name of a country; the code itself if CLDR has no name for it.

    :param code: ISO 3166-1, two letters.
    """
    return str(formats_of(get_language()).cldr.territories.get(code, code))


def month_text(code: str) -> str:
    """The short name of a month such as `2026-01`; any other text stays as it is."""
    return formats_of(get_language()).month(code)


def in_utc(value: date | None) -> date | None:
    """A time in UTC; one without a zone is one in UTC. A day stays as it is. None for a time that UTC can't write."""
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError:
        return None


def utc_day(value: date | None) -> date | None:
    """The calendar day of a time, which is the same in every zone: its day in UTC."""
    shown = in_utc(value)
    return shown.date() if isinstance(shown, datetime) else shown


def in_active_zone(value: date | None) -> date | None:
    """A time in the active zone; a day stays as it is. None for a time that the zone or UTC can't write."""
    shown = in_utc(value)
    if not isinstance(shown, datetime):
        return shown
    try:
        return shown.astimezone(get_current_timezone())
    except OverflowError:
        return None


def _is_whole(value: float | Decimal) -> bool:
    try:
        return float(value).is_integer()
    except OverflowError:
        return True


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
    # A zero has no sign.
    return rounded + 0 if rounded.is_finite() else None
