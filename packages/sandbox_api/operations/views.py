"""The endpoints of the operations platform."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from sandbox_api.activity.models import Activity
from sandbox_api.activity.views import RecordedRows, record
from sandbox_api.auth.permissions import ENERGY_APP, OPERATIONS_APP
from sandbox_api.energy.models import Charger, Station
from sandbox_api.idempotency import idempotent
from sandbox_api.lists.spec import ListSpec
from sandbox_api.lists.views import DetailView, ListView, RowView, document_list
from sandbox_api.operations.models import WorkOrder, people
from sandbox_api.operations.serializers import (
    ChargerWorkOrderRequest,
    ChargerWorkOrderSerializer,
    OperationsChargerSerializer,
    OperationsStationSerializer,
    PersonSerializer,
    WorkOrderChangeRequest,
    WorkOrderCreateRequest,
    WorkOrderSerializer,
)

if TYPE_CHECKING:
    from rest_framework.request import Request

    from sandbox_api.auth.models import Account


class WorkOrderRows(RecordedRows):
    """All work orders."""

    required_permission = OPERATIONS_APP
    serializer_class = WorkOrderSerializer

    def rows(self) -> QuerySet[WorkOrder]:
        """Give all work orders."""
        return WorkOrder.objects.select_related("station", "charger")


@document_list
class WorkOrdersView(WorkOrderRows, ListView):
    """List and create work orders."""

    spec = ListSpec(
        resource="work_orders",
        sorts={
            "createdAt": "created_at",
            "name": "title_folded",
            "title": "title_folded",
            "priority": "priority_rank",
            "status": "status_rank",
            "dueAt": "due_or_never",
        },
        searched=("searched", "station__searched"),
        filters={
            "stationId": "station_id",
            "chargerId": "charger_id",
            "status": "status",
            "priority": "priority",
            "assignee": "assignee",
            "assigneeId": "person_id",
        },
        nullable=("assigneeId",),
        ranges={"createdAt": "created_at", "dueAt": "due_at", "completedAt": "completed_at"},
    )

    @extend_schema(request=WorkOrderCreateRequest, responses={HTTPStatus.CREATED: WorkOrderSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Create an open work order."""
        form = WorkOrderCreateRequest(data=request.data)
        form.is_valid(raise_exception=True)
        return Response(self.represent(form.save()), status=HTTPStatus.CREATED)


class WorkOrderView(WorkOrderRows, DetailView):
    """Read and change one work order."""

    @extend_schema(request=WorkOrderChangeRequest, responses=WorkOrderSerializer)
    @idempotent
    def patch(self, request: Request, row_id: str) -> Response:
        """Change the fields that are sent, and leave the others as they are."""
        form = WorkOrderChangeRequest(self.get_row_to_change(request, row_id), data=request.data, partial=True)
        form.is_valid(raise_exception=True)
        return Response(self.represent(form.save()))


class OperationsStationRows(RowView):
    """All stations, for those who may not open the energy platform."""

    required_permission = OPERATIONS_APP
    serializer_class = OperationsStationSerializer

    def rows(self) -> QuerySet[Station]:
        """Give all stations."""
        return Station.objects.all()


@document_list
class OperationsStationsView(OperationsStationRows, ListView):
    """List stations, to choose one from."""

    spec = ListSpec(
        resource="operations_stations",
        sorts={"createdAt": "created_at", "name": "name_folded", "city": "city_folded"},
        searched=("searched",),
        filters={"city": "city"},
    )


class OperationsStationView(OperationsStationRows, DetailView):
    """Read one station."""


class OperationsChargerRows(RowView):
    """All chargers, for those who may not open the energy platform."""

    required_permission = OPERATIONS_APP
    serializer_class = OperationsChargerSerializer

    def rows(self) -> QuerySet[Charger]:
        """Give all chargers."""
        return Charger.objects.select_related("station")


@document_list
class OperationsChargersView(OperationsChargerRows, ListView):
    """List chargers, to choose one from."""

    spec = ListSpec(
        resource="operations_chargers",
        sorts={"createdAt": "created_at", "name": "name_folded"},
        searched=("searched", "station__searched"),
        filters={"stationId": "station_id"},
    )


class OperationsChargerView(OperationsChargerRows, DetailView):
    """Read one charger."""


class PersonRows(RowView):
    """All to whom a work order can be assigned."""

    required_permission = OPERATIONS_APP
    serializer_class = PersonSerializer

    def rows(self) -> QuerySet[Account]:
        """Give them."""
        return people()


@document_list
class PeopleView(PersonRows, ListView):
    """List people, to choose one from."""

    spec = ListSpec(
        resource="people",
        sorts={"createdAt": "created_at", "name": "name_folded", "email": "email"},
        searched=("searched",),
    )


class PersonView(PersonRows, DetailView):
    """Read one person."""


@document_list
class ChargerWorkOrdersView(ListView):
    """The work orders of one charger, and a new one, for those who may not open the operations platform."""

    required_permission = ENERGY_APP
    serializer_class = ChargerWorkOrderSerializer
    spec = ListSpec(
        resource="charger_work_orders",
        sorts={"createdAt": "created_at", "name": "title_folded"},
        searched=("searched",),
    )

    def rows(self) -> QuerySet[WorkOrder]:
        """Give those of the charger in the path.

        :raises Http404: there is no such charger.
        """
        charger = get_object_or_404(Charger, pk=self.kwargs.get("charger_id"))
        return WorkOrder.objects.filter(charger=charger)

    @extend_schema(request=ChargerWorkOrderRequest, responses={HTTPStatus.CREATED: ChargerWorkOrderSerializer})
    @idempotent
    def post(self, request: Request, charger_id: str) -> Response:
        """Report a fault: create an open work order for the charger, at its station."""
        charger = get_object_or_404(Charger.objects.select_related("station"), pk=charger_id)
        form = ChargerWorkOrderRequest(data=request.data)
        form.is_valid(raise_exception=True)
        order = form.save(charger=charger, station=charger.station)
        record(self.caller, Activity.Kind.CREATED, order.id)
        return Response(self.represent(order), status=HTTPStatus.CREATED)
