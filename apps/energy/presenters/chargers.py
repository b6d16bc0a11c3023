"""A charger as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present import Badge, badge_for, datetime_of, number_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

STATUSES: Final = {
    "available": Badge(label=_("Available"), tone="good"),
    "charging": Badge(label=_("Charging"), tone="info"),
    "faulted": Badge(label=_("Faulted"), tone="bad"),
    "unavailable": Badge(label=_("Unavailable")),
}
#: Product names, the same in every language.
CONNECTORS: Final = {"type2": "Type 2", "ccs": "CCS", "chademo": "CHAdeMO"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargerView:
    """One charging point, with its station."""

    id: str
    title: str
    station_id: str
    station_name: str
    model: str
    connector: str
    max_power_kw: float | None
    status: Badge
    created_at: datetime | None


def present_charger(record: Mapping[str, Any]) -> ChargerView:
    """Present a record of `/energy/chargers`."""
    text = texts_of(record)
    connector = text["connector"]
    return ChargerView(
        id=text[ID_FIELD],
        title=text["name"] or text[ID_FIELD],
        station_id=text["stationId"],
        station_name=text["stationName"] or text["stationId"],
        model=text["model"],
        connector=CONNECTORS.get(connector, connector),
        max_power_kw=number_of(record, "maxPowerKw"),
        status=badge_for(code=text["status"], known=STATUSES),
        created_at=datetime_of(record, CREATED_AT_FIELD),
    )
