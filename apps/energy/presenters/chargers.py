"""A charger as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.web.present import Badge, badge_for, created_at_of, id_of, number_of, text_of

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
    connector = text_of(record, "connector")
    return ChargerView(
        id=id_of(record),
        title=text_of(record, "name") or id_of(record),
        station_id=text_of(record, "stationId"),
        station_name=text_of(record, "stationName") or text_of(record, "stationId"),
        model=text_of(record, "model"),
        connector=CONNECTORS.get(connector, connector),
        max_power_kw=number_of(record, "maxPowerKw"),
        status=badge_for(code=text_of(record, "status"), known=STATUSES),
        created_at=created_at_of(record),
    )
