"""Filters that write values in the page's language: `{{ row.created_at|moment }}`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import template
from django.utils.html import format_html
from django.utils.translation import get_language

from portal.config.locales import DEFAULT_LOCALE
from portal.web import formats

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
    """A `<time>` that shows the day."""
    return _time(value, formats.day_text(value, locale=_locale()))


@register.filter
def moment(value: datetime | None) -> str:
    """A `<time>` that shows day and time of day, in UTC."""
    return _time(value, formats.moment_text(value, locale=_locale()))


def _time(value: datetime | None, text: str) -> str:
    return text if value is None else format_html('<time datetime="{}">{}</time>', value.isoformat(), text)


@register.filter
def quantity(value: float | None) -> str:
    """A number with as many decimal places as it has, at most three."""
    places = 0 if value is None else next(n for n in (0, 1, 2, 3) if n == MAX_PLACES or round(value, n) == value)
    return formats.number_text(value, locale=_locale(), places=places)
