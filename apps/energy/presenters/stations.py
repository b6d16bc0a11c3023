"""A station as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.web.present import Badge, badge_for, created_at_of, id_of, integer_of, number_of, text_of

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
    """Present a record of `/energy/stations`."""
    latitude, longitude = number_of(record, "latitude"), number_of(record, "longitude")
    return StationView(
        id=id_of(record),
        title=text_of(record, "name") or id_of(record),
        address=text_of(record, "address"),
        place=", ".join(part for part in (text_of(record, "city"), text_of(record, "country")) if part),
        position="" if latitude is None or longitude is None else f"{latitude:.5f}, {longitude:.5f}",
        charger_count=integer_of(record, "chargerCount"),
        status=badge_for(code=text_of(record, "status"), known=STATUSES),
        created_at=created_at_of(record),
    )
