"""A station as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present.badges import Badge, badge_for
from portal.web.present.records import integer, moment, number, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

STATUSES: Final = {
    "active": Badge(label=_("Active"), tone="good"),
    "maintenance": Badge(label=_("Maintenance"), tone="warn"),
    "planned": Badge(label=_("Planned")),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StationView:
    """One station.

    :param place: city and country.
    :param position: latitude and longitude in degrees.
    """

    id: str
    title: str
    address: str
    place: str
    position: str
    charger_count: int | None
    status: Badge
    created_at: datetime | None


def present_station(record: Mapping[str, Any]) -> StationView:
    """A record of `/energy/stations`."""
    latitude, longitude = number(record, "latitude"), number(record, "longitude")
    return StationView(
        id=text(record, ID_FIELD),
        title=text(record, "name") or text(record, ID_FIELD),
        address=text(record, "address"),
        place=", ".join(part for part in (text(record, "city"), text(record, "country")) if part),
        position="" if latitude is None or longitude is None else f"{latitude:.5f}, {longitude:.5f}",
        charger_count=integer(record, "chargerCount"),
        status=badge_for(code=text(record, "status"), known=STATUSES),
        created_at=moment(record, CREATED_AT_FIELD),
    )
