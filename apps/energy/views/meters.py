"""Meters: list, and detail with a chart of what the meter counted."""

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.config.contract_names import SORT_BY_NAME
from portal.services.energy.meters import MeterQueries, MeterReading, MeterStatus
from portal.services.energy.stations import StationQueries
from portal.web.present import Badge, quantity_text, short_day_text
from portal_pages import AGE_SORTS, NUMBER_SORTS, Column, DetailView, Filter, ListView, resource_pages
from portal_pages.figures import BarChart, Point, bar_chart

STATUSES: Final = {
    MeterStatus.ONLINE: Badge(label=_("Online"), tone="good"),
    MeterStatus.OFFLINE: Badge(label=_("Offline"), tone="bad"),
}
#: The chart's number of bars; earlier readings are left out.
MAX_POINTS: Final = 24


def consumption_chart(readings: Iterable[MeterReading]) -> BarChart | None:
    """A chart of the energy between one reading and the next, kilowatt-hours; None with fewer than two readings."""
    known = [(each.read_at, each.energy_kwh) for each in readings if each.read_at and each.energy_kwh is not None]
    points = []
    for (_at, before), (at, energy) in pairwise(known):
        drawn = max(energy - before, 0)
        text = quantity_text(drawn, "kWh", places=1)
        points.append(Point(label=short_day_text(at), group=f"{at.year:04d}", value=drawn, text=text))
    return bar_chart(points[-MAX_POINTS:], unit="kWh")


meter_detail = DetailView(
    hook=MeterQueries.use_get_meter_query, context=lambda meter: {"chart": consumption_chart(meter.readings)}
)
meter_pages = resource_pages(
    "energy/meters",
    name="meter",
    title=_("Meters"),
    list=ListView(
        hook=MeterQueries.use_get_meters_query,
        columns={
            "serial": Column(_("Meter"), sort=SORT_BY_NAME),
            "station_name": Column(_("Station"), value=lambda meter: meter.station_name or meter.station_id),
            "last_reading_kwh": Column(_("Reading"), kind="number", format="kwh"),
            "last_reading_at": Column(_("Last reading"), format="short_moment"),
            "status": Column(_("Status"), kind="corner", words=STATUSES),
        },
        exported={"station_name": Column(_("Station")), "last_reading_kwh": Column(_("Reading, kWh"))},
        counts=MeterQueries.use_get_meters_counts_query,
        filters=(
            Filter("status", _("Status"), choices=STATUSES),
            Filter("stationId", _("Station"), named_by="station_name", record=StationQueries.use_get_station_query),
        ),
        search_hint=_("Number or station"),
        sorts=AGE_SORTS | NUMBER_SORTS,
    ),
    detail=meter_detail,
    context={"statuses": STATUSES},
    key="m",
)
