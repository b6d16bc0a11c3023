"""The overview: what needs somebody now, and the figures of a period; without a summary, the totals of the lists."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.energy.views.chargers import STATUSES
from portal.services.energy.chargers import ChargerQueries, ChargerStatus
from portal.services.energy.clients import ClientQueries
from portal.services.energy.meters import MeterQueries, MeterStatus
from portal.services.energy.sessions import ChargingSessionQueries
from portal.services.energy.state import EnergyState, EnergyStateQueries
from portal.services.energy.stations import StationQueries
from portal.services.energy.summary import EnergySummary, EnergySummaryQueries
from portal.web.present import LazyText, Need, NeedLink, has_failed, needs_of, number_text, part_if_answered
from portal_pages import (
    Count,
    Figure,
    PeriodChoice,
    list_url,
    live_part,
    read_overview,
    rows_by,
)
from portal_pages.figures import bar_chart, hour_points, sum_text


def _count(label: LazyText, route: str, hook: Any) -> Count[EnergySummary]:
    return Count(label=label, route=route, hook=hook, of=lambda summary: summary.counts.get(route))


COUNTS: Final[Sequence[Count[EnergySummary]]] = (
    _count(_("Clients"), "clients", ClientQueries.use_get_clients_query),
    _count(_("Stations"), "stations", StationQueries.use_get_stations_query),
    _count(_("Chargers"), "chargers", ChargerQueries.use_get_chargers_query),
    _count(_("Charging sessions"), "sessions", ChargingSessionQueries.use_get_charging_sessions_query),
    _count(_("Meters"), "meters", MeterQueries.use_get_meters_query),
)
ENERGY: Final = Figure(
    label=_("Energy"), name="energy_kwh", unit="kWh", icon="meters", route="sessions", days="startedAt"
)
FIGURES: Final = (
    ENERGY,
    Figure(label=_("Charging sessions"), name="sessions", icon="sessions", route="sessions", days="startedAt"),
    Figure(label=_("Revenue"), name="revenue", is_money=True, icon="money", route="sessions", days="startedAt"),
)


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """What needs somebody now, and figures and charts of a period."""
    read = read_overview(
        request,
        summary=EnergySummaryQueries.use_get_summary_query,
        counts=COUNTS,
        figures=FIGURES,
        period=PeriodChoice.of(request),
        beside=[EnergyStateQueries.use_get_state_query.spec()],
    )
    summary, state = read.summary, part_if_answered(read.beside[0])
    known = state or EnergyState(chargers_by_status=summary.chargers_by_status)
    hours = summary.sessions_by_local_hour or summary.sessions_by_hour
    return read.respond(
        request,
        "energy/overview.html",
        lambda: {
            "energy": ENERGY.chart(summary, period=read.period, months=summary.energy_by_month),
            "hours": bar_chart(
                hour_points((each.hour, each.sessions) for each in hours),
                unit=_("Sessions"),
                summary=sum_text(number_text(sum(each.sessions or 0 for each in hours))),
            ),
            "hours_are_local": bool(summary.sessions_by_local_hour),
            **now_context(known, as_of=read.beside[0].as_of, is_unknown=has_failed(read.beside[0])),
            "is_live": state is not None,
        },
    )


def now_context(state: EnergyState, *, as_of: datetime | None, is_unknown: bool = False) -> Mapping[str, Any]:
    """What changes from minute to minute.

    :param as_of: when it was fetched.
    """
    faulted = state.chargers_by_status.get(ChargerStatus.FAULTED)
    offline = state.meters_by_status.get(MeterStatus.OFFLINE)
    return {
        "chargers": rows_by("status", state.chargers_by_status, badges=STATUSES, route="chargers"),
        "needs": needs_of(
            [
                Need(
                    label=_faulted_text(faulted or 0, without_order=state.faulted_without_order),
                    count=faulted,
                    href=list_url("chargers", status=ChargerStatus.FAULTED),
                    links=tuple(
                        NeedLink(
                            label=charger.name or charger.id,
                            route="charger",
                            row_id=charger.id,
                            text=_("in hand") if charger.open_orders else "",
                        )
                        for charger in sorted(state.faulted_chargers, key=lambda each: bool(each.open_orders))
                    ),
                ),
                Need(
                    label=ngettext("offline meter", "offline meters", offline or 0),
                    count=offline,
                    href=list_url("meters", status=MeterStatus.OFFLINE),
                    tone="warn",
                ),
            ],
            has_failed=is_unknown,
        ),
        "state_as_of": as_of,
    }


def _faulted_text(number: int, *, without_order: int | None) -> str:
    text = ngettext("faulted charger", "faulted chargers", number)
    if without_order is None:
        return text
    values = {"chargers": text, "number": number_text(without_order)}
    return gettext("%(chargers)s, %(number)s without an order") % values


def _now(request: HttpRequest) -> Mapping[str, Any]:
    state = EnergyStateQueries.use_get_state_query(request)
    return now_context(state.unwrap(), as_of=state.as_of)


#: The part of the overview that renews itself.
now_page = live_part("energy/now", "energy/overview.html", _now, name="now")
