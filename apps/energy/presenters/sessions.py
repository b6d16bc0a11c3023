"""A charging session as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import ID_FIELD
from portal.web.present import Badge, badge_for, datetime_of, decimal_of, number_of, texts_of

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
    """One car at one charger. `client_id` is empty if the client was deleted."""

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
    """Present a record of `/energy/sessions`."""
    text = texts_of(record)
    return SessionView(
        id=text[ID_FIELD],
        reference=text["reference"] or text[ID_FIELD],
        charger_id=text["chargerId"],
        charger_name=text["chargerName"] or text["chargerId"],
        station_id=text["stationId"],
        station_name=text["stationName"] or text["stationId"],
        client_id=text["clientId"],
        client_name=text["clientName"] or text["clientId"],
        started_at=datetime_of(record, "startedAt"),
        ended_at=datetime_of(record, "endedAt"),
        energy_kwh=number_of(record, "energyKwh"),
        cost=decimal_of(record, "cost"),
        currency=text["currency"] or "EUR",
        status=badge_for(code=text["status"], known=STATUSES),
    )
