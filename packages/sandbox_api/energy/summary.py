"""Figures for the overview of the energy platform, counted by the database."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django.db.models import Count, Q, Sum
from django.db.models.functions import ExtractHour
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.auth.permissions import ENERGY_APP
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, Station
from sandbox_api.finance.summary import CURRENCY, AmountField, amount_text
from sandbox_api.months import months_until
from sandbox_api.operations.models import UNFINISHED
from sandbox_api.periods import PERIOD_PARAMETERS, Period, SummaryPeriod, SummaryPoint, by_day, by_hour, read_period

if TYPE_CHECKING:
    from rest_framework.request import Request

_HOURS_SPAN = timedelta(days=30)
_HOURS = range(24)
_FIRST_FAULTED = 5
#: Whose clocks the stations of a country have: one name for all that change theirs together, so that one query counts
#: their sessions. A country with several zones would need one for each station.
_CENTRAL_EUROPE = ZoneInfo("Europe/Berlin")
_ZONES = {
    **dict.fromkeys(("AT", "CH", "DE", "DK", "NO", "PL", "SE"), _CENTRAL_EUROPE),
    "TR": ZoneInfo("Europe/Istanbul"),
}


class EnergyCounts(serializers.Serializer[Any]):
    """How many rows of each kind there are."""

    clients = serializers.IntegerField()
    stations = serializers.IntegerField()
    chargers = serializers.IntegerField()
    sessions = serializers.IntegerField()
    meters = serializers.IntegerField()


class EnergyMonth(serializers.Serializer[Any]):
    """What was charged in a month."""

    month = serializers.CharField(help_text="Such as `2026-01`.")
    energyKwh = serializers.FloatField()  # noqa: N815 - the wire's name
    sessions = serializers.IntegerField()


class EnergyHour(serializers.Serializer[Any]):
    """How many sessions began in an hour of the day (UTC), in the last 30 days."""

    hour = serializers.IntegerField()
    sessions = serializers.IntegerField()


class EnergyLocalHour(serializers.Serializer[Any]):
    """How many sessions of the period began in an hour of the day, as the clocks at their stations show it."""

    hour = serializers.IntegerField()
    sessions = serializers.IntegerField()


class EnergyFigures(serializers.Serializer[Any]):
    """What was charged in a period. `revenue` is the sessions' cost."""

    energyKwh = serializers.FloatField()  # noqa: N815 - the wire's name
    sessions = serializers.IntegerField()
    revenue = AmountField()


class EnergyPoint(SummaryPoint, EnergyFigures):
    """The same for a point of the series."""


class EnergySummary(serializers.Serializer[Any]):
    """The figures."""

    counts = EnergyCounts()
    chargersByStatus = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - the wire's name
    energyByMonth = EnergyMonth(many=True)  # noqa: N815 - the wire's name
    sessionsByHour = EnergyHour(many=True)  # noqa: N815 - the wire's name
    currency = serializers.CharField()
    period = SummaryPeriod()
    current = EnergyFigures()
    before = EnergyFigures()
    series = EnergyPoint(many=True)
    seriesBefore = EnergyPoint(many=True)  # noqa: N815 - the wire's name
    sessionsByLocalHour = EnergyLocalHour(many=True)  # noqa: N815 - the wire's name


class FaultedCharger(serializers.Serializer[Any]):
    """A charger that is out of order, with the number of its work orders that are not finished."""

    id = serializers.CharField()
    name = serializers.CharField()
    stationName = serializers.CharField()  # noqa: N815 - the wire's name
    openOrders = serializers.IntegerField()  # noqa: N815 - the wire's name


class EnergyState(serializers.Serializer[Any]):
    """What chargers and meters do right now; of the faulted chargers five, those without an order first."""

    chargersByStatus = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - the wire's name
    metersByStatus = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - the wire's name
    faultedWithoutOrder = serializers.IntegerField()  # noqa: N815 - the wire's name
    faultedChargers = FaultedCharger(many=True)  # noqa: N815 - the wire's name


def summarise_energy(*, now: datetime, period: Period | None = None) -> dict[str, Any]:
    """Count everything; months and hours in which nothing happened are there too, with zeros."""
    period = period or read_period(query={}, now=now)
    current, series = _charged(period)
    before, series_before = _charged(period.before)
    return {
        "counts": {
            "clients": Client.objects.count(),
            "stations": Station.objects.count(),
            "chargers": Charger.objects.count(),
            "sessions": ChargingSession.objects.count(),
            "meters": Meter.objects.count(),
        },
        "chargersByStatus": _chargers_by_status(),
        "energyByMonth": _by_month(now),
        "sessionsByHour": _by_hour(now),
        "currency": CURRENCY,
        "period": period.described(),
        "current": current,
        "before": before,
        "series": series,
        "seriesBefore": series_before,
        "sessionsByLocalHour": _by_local_hour(period),
    }


def energy_state() -> dict[str, Any]:
    """Count what changes from minute to minute."""
    open_orders = Count("work_orders", filter=Q(work_orders__status__in=UNFINISHED))
    faulted = Charger.objects.filter(status=Charger.Status.FAULTED).annotate(open_orders=open_orders)
    first = faulted.select_related("station").order_by("open_orders", "name_folded", "id")[:_FIRST_FAULTED]
    return {
        "chargersByStatus": _chargers_by_status(),
        "metersByStatus": dict.fromkeys(Meter.Status.values, 0)
        | dict(Meter.objects.values_list("status").annotate(Count("id"))),
        "faultedWithoutOrder": faulted.filter(open_orders=0).count(),
        "faultedChargers": [
            {
                "id": charger.id,
                "name": charger.name,
                "stationName": charger.station.name,
                "openOrders": charger.open_orders,
            }
            for charger in first
        ],
    }


def _chargers_by_status() -> dict[str, int]:
    return dict.fromkeys(Charger.Status.values, 0) | dict(Charger.objects.values_list("status").annotate(Count("id")))


def _charged(period: Period) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The figures of a period, and its series."""
    sums: dict[date, list[Any]] = defaultdict(lambda: [0.0, 0, Decimal(0)])
    days = by_day(
        ChargingSession.objects.all(),
        "started_at",
        period=period,
        energy=Sum("energy_kwh"),
        count=Count("id"),
        revenue=Sum("cost"),
    )
    for day, energy, count, revenue in days:
        point = sums[period.point_of(day)]
        point[:] = point[0] + energy, point[1] + count, point[2] + revenue
    series = [point | _figures(*sums[point["start"]]) for point in period.points()]
    return _figures(*(sum(column) for column in zip(*sums.values(), strict=True))) if sums else _figures(), series


def _figures(energy: float = 0.0, sessions: int = 0, revenue: Decimal = Decimal(0)) -> dict[str, Any]:
    return {"energyKwh": round(energy, 3), "sessions": sessions, "revenue": amount_text(Decimal(revenue))}


def _by_local_hour(period: Period) -> list[dict[str, int]]:
    countries: dict[ZoneInfo, list[str]] = defaultdict(list)
    for country in Station.objects.order_by().values_list("country", flat=True).distinct():
        countries[_ZONES.get(country, period.zone)].append(country)
    found: Counter[int] = Counter()
    for zone, names in countries.items():
        there = ChargingSession.objects.filter(charger__station__country__in=names)
        for hour, count in by_hour(there, "started_at", period=period, zone=zone):
            found[hour] += count
    return [{"hour": hour, "sessions": found[hour]} for hour in _HOURS]


def _by_month(now: datetime) -> list[dict[str, Any]]:
    # One range of the index for each month: grouping by a truncated date calls back into Python for every row
    # on SQLite, and there are many.
    figures = []
    for month in months_until(now=now):
        begun = ChargingSession.objects.filter(
            started_at__gte=month.start, started_at__lt=month.before(-1).start
        ).aggregate(energy=Sum("energy_kwh", default=0.0), count=Count("id"))
        figures.append({"month": str(month), "energyKwh": round(begun["energy"], 3), "sessions": begun["count"]})
    return figures


def _by_hour(now: datetime) -> list[dict[str, int]]:
    found = dict(
        ChargingSession.objects.filter(started_at__gte=now - _HOURS_SPAN)
        .values_list(ExtractHour("started_at"))
        .annotate(Count("id"))
    )
    return [{"hour": hour, "sessions": found.get(hour, 0)} for hour in _HOURS]


class EnergySummaryView(ApiView):
    """Figures for the overview."""

    required_permission = ENERGY_APP

    @extend_schema(parameters=PERIOD_PARAMETERS, responses=EnergySummary)
    def get(self, request: Request) -> Response:
        """Give the figures as of now, and those of a period."""
        now = timezone.now()
        return Response(summarise_energy(now=now, period=read_period(query=request.query_params.dict(), now=now)))


class EnergyStateView(ApiView):
    """What changes from minute to minute."""

    required_permission = ENERGY_APP

    @extend_schema(responses=EnergyState)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework's signature
        """Give the state as of now."""
        return Response(energy_state())
