"""Chargers: list and detail."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.energy.chargers import MOST_POWER_FIRST, ChargerConnector, ChargerQueries, ChargerStatus
from portal.web.pages import AGE_SORTS, NAME_SORTS, DetailView, ListView, resource_pages
from portal.web.present import Badge

STATUSES: Final = {
    ChargerStatus.AVAILABLE: Badge(label=_("Available"), tone="good"),
    ChargerStatus.CHARGING: Badge(label=_("Charging"), tone="info"),
    ChargerStatus.FAULTED: Badge(label=_("Faulted"), tone="bad"),
    ChargerStatus.UNAVAILABLE: Badge(label=_("Unavailable")),
}
#: Product names, the same in every language.
CONNECTORS: Final = {
    ChargerConnector.TYPE2: "Type 2",
    ChargerConnector.CCS: "CCS",
    ChargerConnector.CHADEMO: "CHAdeMO",
}

charger_pages = resource_pages(
    "energy/chargers",
    name="charger",
    title=_("Chargers"),
    list=ListView(
        hook=ChargerQueries.use_get_chargers_query,
        search_hint=_("Name or model"),
        sorts=AGE_SORTS | NAME_SORTS | {MOST_POWER_FIRST: _("Most power first")},
    ),
    detail=DetailView(hook=ChargerQueries.use_get_charger_query),
    context={"statuses": STATUSES, "connectors": CONNECTORS},
)
