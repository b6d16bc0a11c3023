"""Figures for the overview of the energy platform, counted by the database."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Sum
from django.db.models.functions import ExtractHour
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.auth.permissions import ENERGY_APP
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, Station
from sandbox_api.months import months_until

if TYPE_CHECKING:
    from datetime import datetime

    from rest_framework.request import Request

_HOURS_SPAN = timedelta(days=30)
_HOURS = range(24)


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


class EnergySummary(serializers.Serializer[Any]):
    """The figures."""

    counts = EnergyCounts()
    chargersByStatus = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - the wire's name
    energyByMonth = EnergyMonth(many=True)  # noqa: N815 - the wire's name
    sessionsByHour = EnergyHour(many=True)  # noqa: N815 - the wire's name


def summarise_energy(*, now: datetime) -> dict[str, Any]:
    """Count everything; months and hours in which nothing happened are there too, with zeros."""
    return {
        "counts": {
            "clients": Client.objects.count(),
            "stations": Station.objects.count(),
            "chargers": Charger.objects.count(),
            "sessions": ChargingSession.objects.count(),
            "meters": Meter.objects.count(),
        },
        "chargersByStatus": dict.fromkeys(Charger.Status.values, 0)
        | dict(Charger.objects.values_list("status").annotate(Count("id"))),
        "energyByMonth": _by_month(now),
        "sessionsByHour": _by_hour(now),
    }


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

    @extend_schema(responses=EnergySummary)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework's signature
        """Give the figures as of now."""
        return Response(summarise_energy(now=timezone.now()))
