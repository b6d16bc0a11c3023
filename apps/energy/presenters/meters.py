"""A meter as the pages show it, and a chart of what it counted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present import (
    Badge,
    BarChart,
    Point,
    badge_for,
    bar_chart,
    datetime_of,
    number_of,
    number_text,
    objects_of,
    short_day_text,
    texts_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

STATUSES: Final = {
    "online": Badge(label=gettext_lazy("Online"), tone="good"),
    "offline": Badge(label=gettext_lazy("Offline"), tone="bad"),
}
#: The chart's number of bars; earlier readings are left out.
MAX_POINTS: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterView:
    """One meter with its last reading."""

    id: str
    title: str
    station_id: str
    station_name: str
    last_reading_kwh: float | None
    last_reading_at: datetime | None
    status: Badge
    created_at: datetime | None


def present_meter(record: Mapping[str, Any]) -> MeterView:
    """Present a record of `/energy/meters`."""
    text = texts_of(record)
    return MeterView(
        id=text[ID_FIELD],
        title=text["serial"] or text[ID_FIELD],
        station_id=text["stationId"],
        station_name=text["stationName"] or text["stationId"],
        last_reading_kwh=number_of(record, "lastReadingKwh"),
        last_reading_at=datetime_of(record, "lastReadingAt"),
        status=badge_for(code=text["status"], known=STATUSES),
        created_at=datetime_of(record, CREATED_AT_FIELD),
    )


def present_consumption(record: Mapping[str, Any]) -> BarChart | None:
    """A chart of the energy between one reading and the next, kilowatt-hours; None with fewer than two readings."""
    readings = [
        (at, energy)
        for reading in objects_of(record, "readings")
        if (at := datetime_of(reading, "readAt")) and (energy := number_of(reading, "energyKwh")) is not None
    ]
    points = []
    for (_, before), (at, energy) in pairwise(readings):
        drawn = max(energy - before, 0)
        points.append(Point(label=short_day_text(at), value=drawn, text=f"{number_text(drawn, places=1)} kWh"))
    return bar_chart(points[-MAX_POINTS:])
