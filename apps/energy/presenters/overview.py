"""The energy overview: stat tiles and charts, made from the backend's summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from apps.energy.presenters.chargers import STATUSES as CHARGER_STATUSES
from portal.web.present import (
    BarChart,
    Point,
    SplitBar,
    StatTile,
    bar_chart,
    compact_number_text,
    counts_of,
    integer_of,
    month_text,
    number_of,
    number_text,
    objects_of,
    split_bar,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

#: A key of the summary's `counts`, which also names the list's URL and its icon, to the tile's label.
TILES: Final = {
    "clients": _("Clients"),
    "stations": _("Stations"),
    "chargers": _("Chargers"),
    "sessions": _("Charging sessions"),
    "meters": _("Meters"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the page shows. A chart without data is None."""

    tiles: tuple[StatTile, ...]
    energy: BarChart | None
    hours: BarChart | None
    chargers: SplitBar | None


def present_overview(summary: Mapping[str, Any], *, totals: Mapping[str, int | None]) -> Overview:
    """Present the response of `GET /energy/summary`.

    :param totals: the totals of the lists, for a backend without a summary.
    """
    counts = {**totals, **counts_of(summary, "counts")}
    return Overview(
        tiles=tuple(
            StatTile(label=label, value=number_text(counts.get(key)), route=key, icon=key)
            for key, label in TILES.items()
        ),
        energy=_energy_by_month(summary),
        hours=_sessions_by_hour(summary),
        chargers=split_bar(counts_of(summary, "chargersByStatus"), badges=CHARGER_STATUSES),
    )


def _energy_by_month(summary: Mapping[str, Any]) -> BarChart | None:
    points = []
    for month in objects_of(summary, "energyByMonth"):
        energy_mwh = (number_of(month, "energyKwh") or 0) / 1000
        label, text = month_text(text_of(month, "month")), f"{number_text(energy_mwh, places=1)} MWh"
        points.append(Point(label=label, value=energy_mwh, text=text))
    return bar_chart(points, axis_text=compact_number_text)


def _sessions_by_hour(summary: Mapping[str, Any]) -> BarChart | None:
    points = []
    for hour in objects_of(summary, "sessionsByHour"):
        count = integer_of(hour, "sessions") or 0
        points.append(Point(label=f"{integer_of(hour, 'hour') or 0:02d}", value=count, text=number_text(count)))
    return bar_chart(points, axis_text=compact_number_text)
