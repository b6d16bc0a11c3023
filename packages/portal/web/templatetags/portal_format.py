"""Filters that write values in the page's language: `{{ row.created_at|moment }}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.safestring import mark_safe
from django.utils.translation import get_language

from portal.config.locales import DEFAULT_LOCALE
from portal.web.present import formats

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

register = template.Library()

MAX_PLACES = 3


def _locale() -> str:
    return get_language() or DEFAULT_LOCALE


@register.filter
def amount(value: float | None, places: int = 0) -> str:
    """A number with grouped thousands."""
    return formats.number_text(value, locale=_locale(), places=places)


@register.filter
def money(value: Decimal | None, currency: str) -> str:
    """An amount of money."""
    return formats.money_text(value, currency=currency, locale=_locale())


@register.filter
def kwh(value: float | None) -> str:
    """An amount of energy."""
    text = formats.number_text(value, locale=_locale(), places=1)
    return text if value is None else f"{text}\N{NO-BREAK SPACE}kWh"


@register.filter
def kw(value: float | None) -> str:
    """A power."""
    text = formats.number_text(value, locale=_locale(), places=0 if value is None or value == int(value) else 1)
    return text if value is None else f"{text}\N{NO-BREAK SPACE}kW"


@register.filter
def day(value: datetime | None) -> str:
    """A `<time>` that shows the day on which something happened, where the reader is; without scripts in UTC."""
    return _time(value, formats.day_text(value, locale=_locale()), local="day")


@register.filter
def calendar_day(value: datetime | None) -> str:
    """A `<time>` that shows a day that is the same for every reader, such as the day of an invoice."""
    return _time(value, formats.day_text(value, locale=_locale()))


@register.filter
def moment(value: datetime | None) -> str:
    """A `<time>` that shows day and time of day, in the reader's own time; without scripts in UTC, and says so."""
    return _time(value, formats.moment_text(value, locale=_locale()), local="moment")


@register.filter
def clock(value: datetime | None) -> str:
    """A `<time>` that shows the time of day, likewise."""
    return _time(value, formats.clock_text(value, locale=_locale()), local="clock")


@register.filter
def as_of(value: datetime | None) -> str:
    """The `<time>` that says when what a page shows was fetched; with its time of day alone, as it is minutes old."""
    return _time(value, formats.clock_text(value, locale=_locale()), local="clock", is_as_of=True)


def _time(value: datetime | None, text: str, *, local: str = "", is_as_of: bool = False) -> str:
    """A `<time>`; `portal.js` writes one with `data-local` anew in the reader's own time."""
    if value is None:
        return text
    moment = value.isoformat(timespec="seconds")
    written = format_html(' data-local="{}"', local) if local else ""
    marked = mark_safe(" data-as-of") if is_as_of else ""
    return format_html('<time{} datetime="{}"{}>{}</time>', marked, moment, written, text)


@register.filter
def quantity(value: float | None) -> str:
    """A number with as many decimal places as it has, at most three."""
    places = 0 if value is None else next(n for n in (0, 1, 2, 3) if n == MAX_PLACES or round(value, n) == value)
    return formats.number_text(value, locale=_locale(), places=places)
