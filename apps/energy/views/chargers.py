"""Chargers: list and detail."""

from typing import Final

from django import forms
from django.utils.translation import gettext_lazy as _

from apps.energy.views.elsewhere import ORDERS_IN_HAND, charger_work_orders
from apps.energy.views.sessions import sessions_of
from portal.config.contract_names import SORT_BY_NAME
from portal.services.energy.charger_work_orders import (
    ChargerWorkOrderMutations,
    ChargerWorkOrderQueries,
    ReportedOrder,
)
from portal.services.energy.chargers import MOST_POWER_FIRST, ChargerConnector, ChargerQueries, ChargerStatus
from portal.services.energy.stations import StationQueries
from portal.web.present import Badge
from portal_pages import (
    AGE_SORTS,
    NAME_SORTS,
    AddView,
    BackendForm,
    Column,
    DetailView,
    Filter,
    ListView,
    QuickView,
    resource_pages,
)

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

#: Of a work order.
PRIORITIES: Final = {"low": _("Low"), "normal": _("Normal"), "high": _("High"), "urgent": _("Urgent")}


class FaultForm(BackendForm[ReportedOrder]):
    """Report a fault, for who may not open the operations platform."""

    class Meta:
        fields = {"title": _("Title"), "priority": _("Priority"), "description": _("Description")}
        optional = ("description",)
        choices = {"priority": PRIORITIES}
        initial = {"priority": "high"}
        max_lengths = {"title": 200, "description": 2000}
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}


charger_pages = resource_pages(
    "energy/chargers",
    name="charger",
    title=_("Chargers"),
    list=ListView(
        hook=ChargerQueries.use_get_chargers_query,
        columns={
            "name": Column(_("Charger"), sort=SORT_BY_NAME),
            "station_name": Column(_("Station"), value=lambda charger: charger.station_name or charger.station_id),
            "model": Column(_("Model")),
            "connector": Column(_("Connector"), words=CONNECTORS),
            "max_power_kw": Column(_("Power"), sort=MOST_POWER_FIRST, kind="number", format="kw"),
            "status": Column(_("Status"), kind="corner", words=STATUSES),
        },
        exported={"station_name": Column(_("Station")), "max_power_kw": Column(_("Power, kW"))},
        counts=ChargerQueries.use_get_chargers_counts_query,
        filters=(
            Filter("status", _("Status"), choices=STATUSES),
            Filter("connector", _("Connector"), choices=CONNECTORS),
            Filter("stationId", _("Station"), named_by="station_name", record=StationQueries.use_get_station_query),
        ),
        views=(QuickView(_("Faulted"), {"status": ChargerStatus.FAULTED}),),
        search_hint=_("Name, model or station"),
        sorts=AGE_SORTS | NAME_SORTS | {MOST_POWER_FIRST: _("Most power first")},
    ),
    detail=DetailView(
        hook=ChargerQueries.use_get_charger_query,
        related=(
            charger_work_orders,
            sessions_of("charger_id"),
        ),
    ),
    adds={
        "report": AddView(
            mutation=ChargerWorkOrderMutations.use_report_fault_mutation,
            form=FaultForm,
            title=_("Report a fault"),
            submit_label=_("Report"),
            message=_("“%(name)s” was reported."),
            rows=ChargerWorkOrderQueries.use_get_charger_work_orders_query,
            unique=("charger_id",),
            among={"status": ORDERS_IN_HAND},
        )
    },
    context={"statuses": STATUSES, "connectors": CONNECTORS},
    key="r",
)
