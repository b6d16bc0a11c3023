"""Charging sessions: list and detail."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.energy.sessions import (
    HIGHEST_COST_FIRST,
    MOST_ENERGY_FIRST,
    ChargingSessionQueries,
    ChargingSessionStatus,
)
from portal.web.pages import AGE_SORTS, DetailView, ListView, resource_pages
from portal.web.present import Badge

STATUSES: Final = {
    ChargingSessionStatus.ACTIVE: Badge(label=_("Running"), tone="info"),
    ChargingSessionStatus.COMPLETED: Badge(label=_("Completed"), tone="good"),
    ChargingSessionStatus.FAILED: Badge(label=_("Failed"), tone="bad"),
}

session_pages = resource_pages(
    "energy/sessions",
    name="session",
    title=_("Charging sessions"),
    list=ListView(
        hook=ChargingSessionQueries.use_get_charging_sessions_query,
        search_hint=_("Charger, client or city"),
        sorts=AGE_SORTS | {MOST_ENERGY_FIRST: _("Most energy first"), HIGHEST_COST_FIRST: _("Highest cost first")},
    ),
    detail=DetailView(hook=ChargingSessionQueries.use_get_charging_session_query),
    context={"statuses": STATUSES},
)
