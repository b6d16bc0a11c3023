"""The map: where the stations are, and which of them need somebody. It is drawn here, and asks no other server."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import asinh, degrees, radians, tan
from statistics import fmean
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.energy.views.stations import HEALTHS
from portal.services.energy.stations import StationHealth, StationPosition, StationQueries
from portal_pages import list_url, platform_page

#: Of the drawing of the land, for each degree of longitude.
_UNITS: Final = 20
#: Stations of one town are not further from one another.
_DEGREES: Final = 2
#: Around the outermost stations, units.
_MARGIN: Final = 2 * _UNITS
#: Pixels that the picture has on a desktop, about; marks are drawn for it.
_WIDTH_PX, _HEIGHT_PX = 500, 700
_RIGHT_ANGLE: Final = 90
#: Mercator's projection has no poles.
_NORTHMOST: Final = 85
#: Stations that are named beside the picture; the list has all.
MOST_NAMED: Final = 50
#: The worst is drawn last, above what is at the same place.
_WORST_FIRST: Final = tuple(HEALTHS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The stations of one town in the picture, the worst first; units from its origin."""

    stations: Sequence[StationPosition]
    x: float
    y: float

    @property
    def in_need(self) -> int:
        """How many of them need somebody."""
        return sum(needs_somebody(each) for each in self.stations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The picture.

    :param view_box: of the SVG: the part of the earth with all stations.
    :param scale: units for one pixel.
    """

    view_box: str
    scale: float
    marks: Sequence[Mark]


def picture_of(stations: Iterable[StationPosition]) -> Picture | None:
    """The picture of the stations whose place is known; None without any."""
    towns: dict[tuple[object, ...], list[tuple[StationPosition, float, float]]] = {}
    for each in sorted(stations, key=_rank):
        latitude, longitude = each.latitude, each.longitude
        if latitude is None or longitude is None or abs(latitude) > _RIGHT_ANGLE or abs(longitude) > 2 * _RIGHT_ANGLE:
            continue
        # Far from one another, two towns have one name.
        town = (each.city, latitude // _DEGREES, longitude // _DEGREES) if each.city else (each.id,)
        towns.setdefault(town, []).append((each, latitude, longitude))
    marks = [_mark(*zip(*found, strict=True)) for found in towns.values()]
    if not marks:
        return None
    left, right = min(mark.x for mark in marks) - _MARGIN, max(mark.x for mark in marks) + _MARGIN
    top, bottom = min(mark.y for mark in marks) - _MARGIN, max(mark.y for mark in marks) + _MARGIN
    width, height = right - left, bottom - top
    return Picture(
        view_box=f"{left:.0f} {top:.0f} {width:.0f} {height:.0f}",
        scale=round(max(width / _WIDTH_PX, height / _HEIGHT_PX), 2),
        marks=sorted(marks, key=lambda mark: -_rank(mark.stations[0])),
    )


def _mark(stations: Sequence[StationPosition], latitudes: Sequence[float], longitudes: Sequence[float]) -> Mark:
    north = degrees(asinh(tan(radians(min(max(fmean(latitudes), -_NORTHMOST), _NORTHMOST)))))
    return Mark(stations=stations, x=round(fmean(longitudes) * _UNITS, 1), y=round(-north * _UNITS, 1))


def _rank(station: StationPosition) -> int:
    return _WORST_FIRST.index(station.health) if station.health in HEALTHS else len(_WORST_FIRST)


def needs_somebody(station: StationPosition) -> bool:
    """Whether it is out of order, as far as is known."""
    return _rank(station) < _WORST_FIRST.index(StationHealth.OK)


@require_safe
def station_map(request: HttpRequest) -> HttpResponse:
    """The picture, and beside it the names of those that need somebody."""
    result = StationQueries.use_get_station_positions_query(request)
    stations = result.unwrap().stations
    numbers = Counter(each.health for each in stations)
    in_need = sorted(filter(needs_somebody, stations), key=_rank)
    return render(
        request,
        "energy/stations/map.html",
        {
            "picture": picture_of(stations),
            "legend": [
                (code, badge.label, numbers[code], list_url("stations", health=code))
                for code, badge in HEALTHS.items()
                if numbers[code]
            ],
            "in_need": in_need[:MOST_NAMED],
            "needs": len(in_need),
            "number": len(stations),
            "healths": HEALTHS,
            "as_of": result.as_of,
        },
    )


station_map_page = platform_page(
    "energy/stations/map",
    station_map,
    name="station-map",
    part_of="stations",
    shows=StationQueries.use_get_station_positions_query,
)
