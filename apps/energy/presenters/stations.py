"""A station as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present import Badge, badge_for, datetime_of, integer_of, number_of, texts_of

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
    text = texts_of(record)
    latitude, longitude = number_of(record, "latitude"), number_of(record, "longitude")
    return StationView(
        id=text[ID_FIELD],
        title=text["name"] or text[ID_FIELD],
        address=text["address"],
        place=", ".join(part for part in (text["city"], text["country"]) if part),
        position="" if latitude is None or longitude is None else f"{latitude:.5f}, {longitude:.5f}",
        charger_count=integer_of(record, "chargerCount"),
        status=badge_for(code=text["status"], known=STATUSES),
        created_at=datetime_of(record, CREATED_AT_FIELD),
    )
