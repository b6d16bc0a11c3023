"""The period of an overview, as its address says: `?period=year`, or `?from=2026-01-01&to=2026-01-31`.

Days are those of the user's time zone. The backend gets instants, which are the same all day long: so its answer is
found in the cache again.

The part of an overview that renews itself while it is seen: `portal/js/live.js` asks for it every half a minute.

How often the backend is asked does not depend on that: a live query has a short fresh time, and its answers are in the
cache that all tabs of the user share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import URLPattern
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from portal.web.guards import platform_page
from portal.web.preferences import zone_label
from portal.web.present import LazyText, formats_of, with_params
from portal.web.request import active_locale
from portal_pages.lists import Preset, calendar_spans, day_in


def live_part(
    route: str, template: str, context: Callable[[HttpRequest], Mapping[str, Any]], *, name: str, page: str = "home"
) -> URLPattern:
    """The URL of an overview's block `live` alone. Who opens it as a page gets the overview.

    :param template: the overview's; its block `live` is what renews itself.
    :param context: reads what that block shows.
    :param page: name of the overview's URL.
    """

    @require_safe
    def part(request: HttpRequest) -> HttpResponse:
        if "HX-Request" not in request.headers:
            return redirect(page)
        return render(request, f"{template}#live", dict(context(request)))

    return platform_page(route, part, name=name)


#: The value of `period` for each, and its name. Twelve months end with the present one.
PERIODS: Final[dict[str, LazyText]] = {
    "7d": gettext_lazy("7 days"),
    "30d": gettext_lazy("30 days"),
    "90d": gettext_lazy("90 days"),
    "12m": gettext_lazy("12 months"),
    "last-month": gettext_lazy("Last month"),
    "last-quarter": gettext_lazy("Last quarter"),
    "year": gettext_lazy("This year"),
}
DEFAULT: Final = "30d"
#: The longest period, days: five years.
MAX_DAYS: Final = 1826
_DAY: Final = timedelta(days=1)
_FIRST_DAY: Final = date(2000, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodChoice:
    """The days from `first` to `last`, both inclusive, and what else may be chosen.

    :param key: of `PERIODS`; empty for days that the user gave.
    :param end: the day after the period. It may be to come: then the period goes on, and as much of the one before is
        what it is compared with.
    :param error: what is wrong with the days that the address has; the default is shown in their place.
    :param given: those days, as they came.
    :param zone: whose days they are.
    """

    key: str
    first: date
    last: date
    end: date
    path: str
    zone: tzinfo
    error: str = ""
    given: tuple[str, str] = field(default=("", ""))

    @classmethod
    def of(cls, request: HttpRequest, *, calendar: bool = False) -> PeriodChoice:
        """The period that a request asks for.

        :param calendar: whether its days are the same in every time zone, such as the day of an invoice, as those of a
            `DateRange` may be. Else they are days in the user's zone.
        """
        zone = UTC if calendar else timezone.get_current_timezone()
        today = timezone.localdate(timezone=zone)
        given = (request.GET.get("from", "").strip(), request.GET.get("to", "").strip())
        key = request.GET.get("period", "")
        key = key if key in PERIODS else DEFAULT
        error = ""
        if any(given):
            first, last = (day_in(text) for text in given)
            last = min(last or today, today)
            if first is not None and (given[1] == "" or day_in(given[1])) and _FIRST_DAY <= first <= last:
                if (last - first) < MAX_DAYS * _DAY:
                    return cls(key="", first=first, last=last, end=last + _DAY, path=request.path, zone=zone)
                error = _("Choose five years at most.")
            else:
                error = _("Choose a first day, and a last day that is not before it, up to today.")
        first, end = _span(key, today)
        last = min(end - _DAY, today)
        return cls(key=key, first=first, last=last, end=end, path=request.path, zone=zone, error=error, given=given)

    @property
    def links(self) -> list[Preset]:
        """A link for each of the usual periods."""
        return [
            Preset(
                label=label,
                url=with_params(self.path, {"period": None if key == DEFAULT else key}),
                is_current=key == self.key and not self.error,
            )
            for key, label in PERIODS.items()
        ]

    @property
    def explanation(self) -> str:
        """Which days these are, whose, and what they are compared with."""
        language = active_locale()
        days = {"first": formats_of(language).day(self.first), "last": formats_of(language).day(self.last)}
        if self.zone is UTC:  # the days of a calendar: no clock decides which they are
            return _("%(first)s to %(last)s, compared with the period of equal length before.") % days
        name = str(self.zone)
        place = zone_label(name, language=language)
        days["zone"] = name if place == name else _("by the clocks of %(place)s") % {"place": place}
        return _("%(first)s to %(last)s (%(zone)s), compared with the period of equal length before.") % days

    @property
    def fields(self) -> tuple[str, str]:
        """What the form shows: the days, or those that came in their place. A browser takes nothing else for a day."""
        if not self.error:
            return self.first.isoformat(), self.last.isoformat()
        first, last = (text if day_in(text) else "" for text in self.given)
        return first, last

    def range_of(self, name: str) -> dict[str, date]:
        """The same days as the range of a list: `list_url("sessions", **period.range_of("startedAt"))`."""
        return {f"{name}From": self.first, f"{name}To": self.last}

    def params(self) -> dict[str, str]:
        """What a summary is asked: keywords of its hook."""
        begin, end = (datetime.combine(day, time(), tzinfo=self.zone).astimezone(UTC) for day in (self.first, self.end))
        return {
            "from_": begin.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "to": end.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "time_zone": str(self.zone),
        }


def _span(key: str, today: date) -> tuple[date, date]:
    """The first day of one of `PERIODS`, and the day after it."""
    return calendar_spans(today).get(key) or (today - (int(key.removesuffix("d")) - 1) * _DAY, today + _DAY)
