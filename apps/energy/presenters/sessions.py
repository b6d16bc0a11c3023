"""A charging session as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import ID_FIELD
from portal.web.present.badges import Badge, badge_for
from portal.web.present.records import decimal, moment, number, text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from decimal import Decimal

STATUSES: Final = {
    "active": Badge(label=_("Running"), tone="info"),
    "completed": Badge(label=_("Completed"), tone="good"),
    "failed": Badge(label=_("Failed"), tone="bad"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """One car at one charger; `client_id` is empty where the client was deleted."""

    id: str
    reference: str
    charger_id: str
    charger_name: str
    station_id: str
    station_name: str
    client_id: str
    client_name: str
    started_at: datetime | None
    ended_at: datetime | None
    energy_kwh: float | None
    cost: Decimal | None
    currency: str
    status: Badge


def present_session(record: Mapping[str, Any]) -> SessionView:
    """A record of `/energy/sessions`."""
    return SessionView(
        id=text(record, ID_FIELD),
        reference=text(record, "reference") or text(record, ID_FIELD),
        charger_id=text(record, "chargerId"),
        charger_name=text(record, "chargerName") or text(record, "chargerId"),
        station_id=text(record, "stationId"),
        station_name=text(record, "stationName") or text(record, "stationId"),
        client_id=text(record, "clientId"),
        client_name=text(record, "clientName") or text(record, "clientId"),
        started_at=moment(record, "startedAt"),
        ended_at=moment(record, "endedAt"),
        energy_kwh=number(record, "energyKwh"),
        cost=decimal(record, "cost"),
        currency=text(record, "currency") or "EUR",
        status=badge_for(code=text(record, "status"), known=STATUSES),
    )
