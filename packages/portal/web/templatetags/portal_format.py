"""Filters that write values in the page's language: `{{ row.created_at|moment }}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.safestring import mark_safe

from portal.web.present import clock_text, compact_number_text, day_text, moment_text, money_text, number_text

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

register = template.Library()

MAX_PLACES = 3


@register.filter
def amount(value: float | None, places: int = 0) -> str:
    """A number with grouped thousands."""
    return number_text(value, places=places)


@register.filter
def money(value: Decimal | None, currency: str) -> str:
    """An amount of money."""
    return money_text(value, currency=currency)


@register.filter
def kwh(value: float | None) -> str:
    """An amount of energy."""
    text = number_text(value, places=1)
    return text if value is None else f"{text}\N{NO-BREAK SPACE}kWh"


@register.filter
def kw(value: float | None) -> str:
    """A power."""
    text = compact_number_text(value)
    return text if value is None else f"{text}\N{NO-BREAK SPACE}kW"


@register.filter
def day(value: datetime | None) -> str:
    """The `<time>` of an event, shown as its day: in the browser's time zone, or in UTC without scripts."""
    return _time(value, day_text(value), local="day")


@register.filter
def calendar_day(value: datetime | None) -> str:
    """The `<time>` of a day that is the same in every time zone, such as the day of an invoice."""
    return _time(value, day_text(value))


@register.filter
def moment(value: datetime | None) -> str:
    """The `<time>` of an event, shown as its day and time of day."""
    return _time(value, moment_text(value), local="moment")


@register.filter
def clock(value: datetime | None) -> str:
    """The `<time>` of an event, shown as its time of day."""
    return _time(value, clock_text(value), local="clock")


@register.filter
def as_of(value: datetime | None) -> str:
    """The `<time>` at which the page's data was fetched, shown as its time of day: data is minutes old."""
    return _time(value, clock_text(value), local="clock", is_as_of=True)


def _time(value: datetime | None, text: str, *, local: str = "", is_as_of: bool = False) -> str:
    """A `<time>`. `portal.js` rewrites one that has `data-local` in the browser's time zone."""
    if value is None:
        return text
    moment = value.isoformat(timespec="seconds")
    written = format_html(' data-local="{}"', local) if local else ""
    marked = mark_safe(" data-as-of") if is_as_of else ""
    return format_html('<time{} datetime="{}"{}>{}</time>', marked, moment, written, text)


@register.filter
def quantity(value: float | None) -> str:
    """A number with as many decimal places as it needs, at most three."""
    places = 0 if value is None else next(n for n in (0, 1, 2, 3) if n == MAX_PLACES or round(value, n) == value)
    return number_text(value, places=places)
