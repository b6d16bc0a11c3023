"""The energy overview: figures and charts, from the backend's summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from apps.energy.presenters.chargers import STATUSES as CHARGER_STATUSES
from portal.web.present.badges import badge_for
from portal.web.present.charts import BarChart, Point, Split, bar_chart, split
from portal.web.present.formats import month_text, number_text
from portal.web.present.records import integer, number, records, text
from portal.web.present.stat_tiles import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping

#: A key of the summary's `counts`, which is also the name of the list's route and of its icon; and the label.
FIGURES: Final = (
    ("clients", _("Clients")),
    ("stations", _("Stations")),
    ("chargers", _("Chargers")),
    ("sessions", _("Charging sessions")),
    ("meters", _("Meters")),
)
HOUR_DIGITS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the page shows. A chart without data is None."""

    figures: tuple[Figure, ...]
    energy: BarChart | None
    hours: BarChart | None
    chargers: Split | None


def present_overview(summary: Mapping[str, Any], *, totals: Mapping[str, int | None], locale: str) -> Overview:
    """The figures of `GET /energy/summary`.

    :param totals: the lists' own totals, for a backend without a summary.
    """
    counts = summary.get("counts")
    known = counts if isinstance(counts, dict) else {}
    return Overview(
        figures=tuple(
            Figure(label=label, route=key, icon=f"energy/icons/{key}.svg", value=_count(known, totals, key, locale))
            for key, label in FIGURES
        ),
        energy=_energy_by_month(summary, locale=locale),
        hours=_sessions_by_hour(summary, locale=locale),
        chargers=_chargers_by_status(summary, locale=locale),
    )


def _count(known: Mapping[str, Any], totals: Mapping[str, int | None], key: str, locale: str) -> str:
    value = integer(known, key)
    return number_text(totals.get(key) if value is None else value, locale=locale)


def _energy_by_month(summary: Mapping[str, Any], *, locale: str) -> BarChart | None:
    points = [
        Point(
            label=month_text(text(month, "month")),
            value=(number(month, "energyKwh") or 0) / 1000,
            text=f"{number_text((number(month, 'energyKwh') or 0) / 1000, locale=locale, places=1)} MWh",
        )
        for month in records(summary, "energyByMonth")
    ]
    return bar_chart(points, axis_text=lambda value: _axis(value, locale)) if points else None


def _sessions_by_hour(summary: Mapping[str, Any], *, locale: str) -> BarChart | None:
    points = [
        Point(
            label=f"{integer(hour, 'hour') or 0:0{HOUR_DIGITS}d}",
            value=integer(hour, "sessions") or 0,
            text=number_text(integer(hour, "sessions") or 0, locale=locale),
        )
        for hour in records(summary, "sessionsByHour")
    ]
    return bar_chart(points, axis_text=lambda value: _axis(value, locale)) if points else None


def _chargers_by_status(summary: Mapping[str, Any], *, locale: str) -> Split | None:
    by_status = summary.get("chargersByStatus")
    if not isinstance(by_status, dict) or not by_status:
        return None
    badges = {code: badge_for(code=code, known=CHARGER_STATUSES) for code in {**CHARGER_STATUSES, **by_status}}
    parts = [
        (badge.label, badge.tone, integer(by_status, code) or 0) for code, badge in badges.items() if code in by_status
    ]
    return split(parts, count_text=lambda value: number_text(value, locale=locale))


def _axis(value: float, locale: str) -> str:
    return number_text(value, locale=locale, places=0 if value == int(value) else 1)
