"""The endpoints of the energy platform."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.db.models import Case, CharField, Count, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from sandbox_api.activity.models import Activity
from sandbox_api.activity.views import RecordedRows
from sandbox_api.auth.permissions import ENERGY_APP
from sandbox_api.energy.models import Charger, ChargingSession, Client, Meter, Station
from sandbox_api.energy.serializers import (
    ChargerSerializer,
    ChargingSessionSerializer,
    ClientSerializer,
    MeterDetailSerializer,
    MeterSerializer,
    StationPositionsSerializer,
    StationSerializer,
)
from sandbox_api.idempotency import idempotent
from sandbox_api.lists.spec import ListSpec
from sandbox_api.lists.views import DetailView, ListView, RowView, document_list
from sandbox_api.versions import locked

if TYPE_CHECKING:
    from rest_framework.request import Request


class ClientRows(RecordedRows):
    """All clients."""

    required_permission = ENERGY_APP
    serializer_class = ClientSerializer

    def rows(self) -> QuerySet[Client]:
        """Give all clients."""
        return Client.objects.all()


@document_list
class ClientsView(ClientRows, ListView):
    """List and create clients."""

    spec = ListSpec(
        resource="clients",
        sorts={"createdAt": "created_at", "name": "name_folded", "email": "email", "city": "city_folded"},
        searched=("searched",),
        filters={"city": "city"},
        ranges={"createdAt": "created_at"},
    )

    @extend_schema(request=ClientSerializer, responses={HTTPStatus.CREATED: ClientSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Create a client. Fields that it does not have are ignored."""
        form = ClientSerializer(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(self.represent(form.save()), status=HTTPStatus.CREATED)


class ClientView(ClientRows, DetailView):
    """Read, change and delete one client."""

    @extend_schema(request=ClientSerializer(partial=True), responses=ClientSerializer)
    @idempotent
    def patch(self, request: Request, row_id: str) -> Response:
        """Change the fields that are sent, and leave the others as they are."""
        form = ClientSerializer(self.get_row_to_change(request, row_id), data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(self.represent(form.save()))

    @extend_schema(responses={HTTPStatus.NO_CONTENT: None})
    @idempotent
    def delete(self, request: Request, row_id: str) -> Response:
        """Delete the client. Their charging sessions and invoices stay, without a client."""
        self.get_row_to_change(request, row_id).mark_deleted()
        return Response(status=HTTPStatus.NO_CONTENT)


class ClientRestoreView(ClientRows):
    """Take the deletion of a client back."""

    does = Activity.Kind.RESTORED

    @extend_schema(request=None, responses=ClientSerializer)
    @idempotent
    def post(self, request: Request, row_id: str) -> Response:  # noqa: ARG002 - the framework's signature
        """Restore the client, with the charging sessions and invoices."""
        deleted = Client.everyone.filter(deleted_at__isnull=False)
        client = get_object_or_404(locked(deleted), pk=row_id)
        client.restore()
        return Response(self.represent(client))


def _number_of(rows: QuerySet[Charger] | QuerySet[Meter]) -> Coalesce:
    """How many of these belong to the station of the query around it."""
    of_one = rows.filter(station=OuterRef("pk")).order_by().values("station")
    return Coalesce(Subquery(of_one.annotate(number=Count("pk")).values("number")), 0)


_HEALTH = Case(
    When(faulted_chargers__gt=0, then=Value(Station.Health.FAULT)),
    When(offline_meters__gt=0, then=Value(Station.Health.OFFLINE)),
    default=Value(Station.Health.OK),
    output_field=CharField(choices=Station.Health.choices),
)


class StationRows(RowView):
    """All stations, with the numbers of their chargers and of what is out of order."""

    required_permission = ENERGY_APP
    serializer_class = StationSerializer

    def rows(self) -> QuerySet[Station]:
        """Give all stations."""
        counted = Station.objects.annotate(
            charger_count=_number_of(Charger.objects.all()),
            faulted_chargers=_number_of(Charger.objects.filter(status=Charger.Status.FAULTED)),
            offline_meters=_number_of(Meter.objects.filter(status=Meter.Status.OFFLINE)),
        )
        return counted.annotate(health=_HEALTH)


@document_list
class StationsView(StationRows, ListView):
    """List stations."""

    spec = ListSpec(
        resource="stations",
        sorts={"createdAt": "created_at", "name": "name_folded", "city": "city_folded"},
        searched=("searched",),
        filters={"city": "city", "country": "country", "status": "status", "health": "health"},
        ranges={"createdAt": "created_at"},
    )


class StationView(StationRows, DetailView):
    """Read one station."""


class StationPositionsView(StationRows):
    """Where the stations are, for a map."""

    @extend_schema(responses=StationPositionsSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework's signature
        """Give all stations, without pages."""
        return Response(StationPositionsSerializer({"stations": self.rows().order_by("name_folded", "id")}).data)


class ChargerRows(RowView):
    """All chargers."""

    required_permission = ENERGY_APP
    serializer_class = ChargerSerializer

    def rows(self) -> QuerySet[Charger]:
        """Give all chargers."""
        return Charger.objects.select_related("station")


@document_list
class ChargersView(ChargerRows, ListView):
    """List chargers."""

    spec = ListSpec(
        resource="chargers",
        sorts={"createdAt": "created_at", "name": "name_folded", "maxPowerKw": "max_power_kw"},
        searched=("searched", "station__searched"),
        filters={"stationId": "station_id", "connector": "connector", "status": "status"},
        ranges={"createdAt": "created_at"},
    )


class ChargerView(ChargerRows, DetailView):
    """Read one charger."""


class ChargingSessionRows(RowView):
    """All charging sessions."""

    required_permission = ENERGY_APP
    serializer_class = ChargingSessionSerializer

    def rows(self) -> QuerySet[ChargingSession]:
        """Give all charging sessions."""
        return ChargingSession.objects.select_related("charger__station", "client")


@document_list
class ChargingSessionsView(ChargingSessionRows, ListView):
    """List charging sessions."""

    spec = ListSpec(
        resource="charging_sessions",
        sorts={
            "createdAt": "created_at",
            "name": "reference",
            "startedAt": "started_at",
            "energyKwh": "energy_kwh",
            "cost": "cost",
        },
        searched=("searched", "charger__searched", "client__searched"),
        filters={
            "stationId": "charger__station_id",
            "chargerId": "charger_id",
            "clientId": "client_id",
            "status": "status",
        },
        ranges={"startedAt": "started_at"},
        sums={"energyKwh": "energy_kwh", "cost": "cost"},
    )


class ChargingSessionView(ChargingSessionRows, DetailView):
    """Read one charging session."""


class MeterRows(RowView):
    """All meters."""

    required_permission = ENERGY_APP
    serializer_class = MeterSerializer

    def rows(self) -> QuerySet[Meter]:
        """Give all meters."""
        return Meter.objects.select_related("station")


@document_list
class MetersView(MeterRows, ListView):
    """List meters."""

    spec = ListSpec(
        resource="meters",
        sorts={"createdAt": "created_at", "name": "serial", "serial": "serial"},
        searched=("searched", "station__searched"),
        filters={"stationId": "station_id", "status": "status"},
        ranges={"createdAt": "created_at"},
    )


class MeterView(MeterRows, DetailView):
    """Read one meter, with its readings."""

    serializer_class = MeterDetailSerializer

    def rows(self) -> QuerySet[Meter]:
        """Give all meters, with their readings."""
        return super().rows().prefetch_related("readings")
