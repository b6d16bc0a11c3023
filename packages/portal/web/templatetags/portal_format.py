"""Filters that write values in the page's language: `{{ row.created_at|moment }}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html

from portal.web.present import clock_text, compact_number_text, day_text, moment_text, money_text, number_text

if TYPE_CHECKING:
    from collections.abc import Callable
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
def quantity(value: float | None) -> str:
    """A number with as many decimal places as it needs, at most three."""
    places = 0 if value is None else next(n for n in (0, 1, 2, 3) if n == MAX_PLACES or round(value, n) == value)
    return number_text(value, places=places)


def _time_filter(write: Callable[[datetime | None], str], element: str) -> Callable[[datetime | None], str]:
    """A filter that writes a `<time>`, or a dash for None.

    :param write: gives the text of the element.
    :param element: the HTML around the time in ISO 8601 and the text. `portal.js` rewrites an element that has
        `data-local` in the browser's time zone; without scripts the text is in UTC.
    """

    def as_time(value: datetime | None) -> str:
        text = write(value)
        return text if value is None else format_html(element, value.isoformat(timespec="seconds"), text)

    return as_time


#: An event, shown as its day.
register.filter("day", _time_filter(day_text, '<time datetime="{}" data-local="day">{}</time>'))
#: A day that is the same in every time zone, such as the day of an invoice.
register.filter("calendar_day", _time_filter(day_text, '<time datetime="{}">{}</time>'))
#: An event, shown as its day and time of day.
register.filter("moment", _time_filter(moment_text, '<time datetime="{}" data-local="moment">{}</time>'))
#: An event, shown as its time of day.
register.filter("clock", _time_filter(clock_text, '<time datetime="{}" data-local="clock">{}</time>'))
#: When the page's data was fetched, shown as its time of day: data is minutes old.
register.filter("as_of", _time_filter(clock_text, '<time data-as-of datetime="{}" data-local="clock">{}</time>'))
