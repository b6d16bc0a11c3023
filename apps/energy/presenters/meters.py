"""A meter as the pages show it, and what it counted between its readings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present.badges import Badge, badge_for
from portal.web.present.charts import Point
from portal.web.present.formats import number_text, short_day_text
from portal.web.present.records import moment, number, records, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

STATUSES: Final = {
    "online": Badge(label=gettext_lazy("Online"), tone="good"),
    "offline": Badge(label=gettext_lazy("Offline"), tone="bad"),
}
#: Bars of the chart: the latest ones.
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
    """A record of `/energy/meters`."""
    return MeterView(
        id=text(record, ID_FIELD),
        title=text(record, "serial") or text(record, ID_FIELD),
        station_id=text(record, "stationId"),
        station_name=text(record, "stationName") or text(record, "stationId"),
        last_reading_kwh=number(record, "lastReadingKwh"),
        last_reading_at=moment(record, "lastReadingAt"),
        status=badge_for(code=text(record, "status"), known=STATUSES),
        created_at=moment(record, CREATED_AT_FIELD),
    )


def present_consumption(record: Mapping[str, Any], *, locale: str) -> list[Point]:
    """What was drawn between one reading and the next, kilowatt-hours, oldest first."""
    readings = [
        (at, energy)
        for reading in records(record, "readings")
        if (at := moment(reading, "readAt")) and (energy := number(reading, "energyKwh")) is not None
    ]
    return [
        Point(
            label=short_day_text(at, locale=locale),
            value=max(energy - before, 0),
            text=f"{number_text(max(energy - before, 0), locale=locale, places=1)} kWh",
        )
        for (_, before), (at, energy) in pairwise(readings)
    ][-MAX_POINTS:]
