"""Filters that write values in the page's language: `{{ row.created_at|moment }}`."""

from collections.abc import Callable
from datetime import UTC, date, datetime, tzinfo
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final

from django.utils.timezone import get_current_timezone
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from portal.web.present import KEPT_TEXTS, NO_VALUE, Formats, in_utc

MAX_PLACES: Final = 3
#: The variable with the active time zone, of who renders a part with many times: to look it up takes a while.
ZONE: Final = "_zone"


def format_filters(formats: Formats) -> dict[str, Callable[..., str]]:
    """The filters of one language, by their names. Each gives a dash for None."""

    def amount(value: float | Decimal | None, places: int = 0) -> str:
        """A number with grouped thousands."""
        return formats.number(value, places=places)

    def money(value: Decimal | None, currency: str) -> str:
        """An amount of money."""
        return formats.money(value, currency=currency)

    def kwh(value: float | Decimal | None) -> str:
        """An amount of energy."""
        return formats.quantity(value, "kWh", places=1)

    def kw(value: float | Decimal | None) -> str:
        """A power."""
        return formats.quantity(value, "kW", places=None)

    def quantity(value: float | Decimal | None) -> str:
        """A number with as many decimal places as it needs, at most three."""
        return formats.number(value, places=0 if value is None else _places(value))

    def ago(value: datetime | None) -> str:
        """A time as its distance from now; the time itself is to be had by hovering."""
        shown = in_utc(value)
        if not isinstance(shown, datetime):
            return NO_VALUE
        texts = (shown.isoformat(timespec="seconds"), formats.moment(shown), formats.ago(shown, now=datetime.now(UTC)))
        return Markup('<time datetime="%s" title="%s">%s</time>') % texts

    return {
        "ago": ago,
        # Texts as a part of a sentence: A, B and C.
        "listed": formats.listed,
        "amount": amount,
        "money": money,
        "kwh": kwh,
        "kw": kw,
        "quantity": quantity,
        # An event, shown as its day.
        "day": _time_filter(formats.day, '<time datetime="%s" data-local="day">%s</time>'),
        # A day that is the same in every time zone, such as the day of an invoice.
        "calendar_day": _time_filter(formats.calendar_day, '<time datetime="%s">%s</time>'),
        # An event, shown as its day and time of day, with the zone.
        "moment": _time_filter(formats.moment, '<time datetime="%s" data-local="moment">%s</time>'),
        # The same in a list, where "as of" names the zone for all rows.
        "short_moment": _time_filter(formats.short_moment, '<time datetime="%s" data-local="short_moment">%s</time>'),
        # An event, shown as its time of day.
        "clock": _time_filter(formats.clock, '<time datetime="%s" data-local="clock">%s</time>'),
        # When the page's data was fetched, shown as its time of day: data is minutes old.
        "as_of": _time_filter(formats.clock, '<time data-as-of datetime="%s" data-local="clock">%s</time>'),
    }


def _places(value: float | Decimal) -> int:
    """How many decimal places a number needs, at most three."""
    try:
        return next(n for n in (0, 1, 2, MAX_PLACES) if n == MAX_PLACES or round(value, n) == value)
    except InvalidOperation:
        # A decimal that is no number, or has too many digits to be shown.
        return 0


def _time_filter(write: Callable[[Any], str], element: str) -> Callable[[Context, date | None], str]:
    """A filter that writes a `<time>`, or a dash for None. A list that is shown again has the same times.

    :param write: gives the text of the element, in the active time zone.
    :param element: the HTML around the time in ISO 8601, and the text. If the page was
        written in another zone than the browser's, and the user has chosen none, `portal.js` rewrites an element that
        has `data-local`.
    """

    @lru_cache(maxsize=KEPT_TEXTS)
    def in_zone(value: date | None, zone: tzinfo) -> str:
        del zone  # the active one, and a part of the key
        shown = in_utc(value)
        text = write(shown)
        if shown is None or text == NO_VALUE:
            return NO_VALUE
        iso = shown.isoformat(timespec="seconds") if isinstance(shown, datetime) else shown.isoformat()
        return Markup(element % (iso, escape(text)))  # noqa: S704  all are safe

    @pass_context
    def as_time(context: Context, value: date | None) -> str:
        return in_zone(value, context.parent.get(ZONE) or get_current_timezone())

    return as_time
