"""Charging sessions: list and detail."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.energy.chargers import ChargerQueries
from portal.services.energy.clients import ClientQueries
from portal.services.energy.sessions import (
    HIGHEST_COST_FIRST,
    MOST_ENERGY_FIRST,
    ChargingSession,
    ChargingSessionQueries,
    ChargingSessionStatus,
)
from portal.services.energy.stations import StationQueries
from portal.web.present import Badge
from portal_pages import AGE_SORTS, Column, DateRange, DetailView, Filter, ListView, Related, Totals, resource_pages

STATUSES: Final = {
    ChargingSessionStatus.ACTIVE: Badge(label=_("Running"), tone="info"),
    ChargingSessionStatus.COMPLETED: Badge(label=_("Completed"), tone="good"),
    ChargingSessionStatus.FAILED: Badge(label=_("Failed"), tone="bad"),
}
SESSION_TOTALS: Final = Totals(
    ChargingSessionQueries.use_get_charging_sessions_totals_query, {"energy_kwh": "kwh", "cost": "money"}
)


def sessions_of(by: str) -> Related[ChargingSession]:
    """Those of a station, a charger or a client, on its page."""
    return Related(
        title=_("Charging sessions"),
        hook=ChargingSessionQueries.use_get_charging_sessions_query,
        totals=SESSION_TOTALS,
        by=by,
        page="sessions",
    )


session_pages = resource_pages(
    "energy/sessions",
    name="session",
    title=_("Charging sessions"),
    list=ListView(
        hook=ChargingSessionQueries.use_get_charging_sessions_query,
        columns={
            "started_at": Column(_("Started"), sort="-startedAt", kind="nowrap", format="short_moment"),
            "reference": Column(_("Reference"), kind="extra"),
            "charger_name": Column(_("Charger"), value=lambda session: session.charger_name or session.charger_id),
            "client_name": Column(_("Client"), value=lambda session: session.client_name or session.client_id),
            "energy_kwh": Column(_("Energy"), sort=MOST_ENERGY_FIRST, kind="number", format="kwh"),
            "cost": Column(_("Cost"), sort=HIGHEST_COST_FIRST, kind="number"),
            "status": Column(_("Status"), kind="corner", words=STATUSES),
        },
        counts=ChargingSessionQueries.use_get_charging_sessions_counts_query,
        totals=SESSION_TOTALS,
        filters=(
            Filter("status", _("Status"), choices=STATUSES),
            Filter("stationId", _("Station"), named_by="station_name", record=StationQueries.use_get_station_query),
            Filter("chargerId", _("Charger"), named_by="charger_name", record=ChargerQueries.use_get_charger_query),
            Filter("clientId", _("Client"), named_by="client_name", record=ClientQueries.use_get_client_query),
        ),
        ranges=(DateRange("startedAt", _("Started")),),
        exported={
            "charger_name": Column(_("Charger")),
            "client_name": Column(_("Client")),
            "station_name": Column(_("Station")),
            "ended_at": Column(_("End")),
            "energy_kwh": Column(_("Energy, kWh")),
            "currency": Column(_("Currency")),
        },
        search_hint=_("Reference, charger, client or city"),
        sorts=AGE_SORTS | {MOST_ENERGY_FIRST: _("Most energy first"), HIGHEST_COST_FIRST: _("Highest cost first")},
    ),
    detail=DetailView(hook=ChargingSessionQueries.use_get_charging_session_query),
    context={"statuses": STATUSES},
    key="e",
)
