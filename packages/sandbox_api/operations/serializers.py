"""How work orders stand on the wire, and what is chosen for one: stations, chargers, people."""

import re
from datetime import datetime
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from sandbox_api.auth.models import Account
from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.energy.models import Charger, Station
from sandbox_api.ids import RowIdConverter
from sandbox_api.operations.models import WorkOrder, people
from sandbox_api.texts import LineField, LinesField


class WorkOrderSerializer(CamelCaseSerializer[WorkOrder]):
    """A work order, with the names of its station and its charger."""

    station_id = serializers.CharField(read_only=True, allow_null=True)
    station_name = serializers.CharField(source="station.name", read_only=True, allow_null=True, default=None)
    charger_id = serializers.CharField(read_only=True, allow_null=True)
    charger_name = serializers.CharField(source="charger.name", read_only=True, allow_null=True, default=None)
    assignee_id = serializers.CharField(source="person_id", read_only=True, allow_null=True)

    class Meta:
        model = WorkOrder
        fields = (
            "id",
            "title",
            "description",
            "station_id",
            "station_name",
            "charger_id",
            "charger_name",
            "priority",
            "status",
            "assignee",
            "assignee_id",
            "created_at",
            "due_at",
            "completed_at",
            "version",
        )


class ChargerWorkOrderSerializer(CamelCaseSerializer[WorkOrder]):
    """What is in hand at a charger, for those who may not open the operations platform."""

    class Meta:
        model = WorkOrder
        fields = ("id", "title", "status", "priority", "assignee", "description", "created_at")


class OperationsStationSerializer(CamelCaseSerializer[Station]):
    """A station, as those need to know it who work there."""

    class Meta:
        model = Station
        fields = ("id", "name", "address", "city", "country", "latitude", "longitude", "created_at")


class OperationsChargerSerializer(CamelCaseSerializer[Charger]):
    """A charger, as those need to know it who work there."""

    station_id = serializers.CharField(read_only=True)
    station_name = serializers.CharField(source="station.name", read_only=True)

    class Meta:
        model = Charger
        fields = ("id", "name", "station_id", "station_name", "created_at")


class PersonSerializer(CamelCaseSerializer[Account]):
    """Someone to whom a work order can be assigned."""

    class Meta:
        model = Account
        fields = ("id", "name", "email", "created_at")


class RowIdField(serializers.PrimaryKeyRelatedField[Any]):
    """The id of a row that exists; null for none."""

    default_error_messages = {"does_not_exist": "There is no such row."}

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, allow_null=True, **options)

    def to_internal_value(self, data: Any) -> Any:
        """Give the row; what is no id is not asked for, since a database may choke on it."""
        is_id = isinstance(data, str) and re.fullmatch(RowIdConverter.regex, data)
        if not is_id:
            self.fail("does_not_exist")
        return super().to_internal_value(data)


class WorkOrderRequest(CamelCaseSerializer[WorkOrder]):
    """What creating and changing a work order have in common."""

    title = LineField(max_length=200)
    description = LinesField(max_length=2000, required=False, allow_blank=True)
    station_id = RowIdField(source="station", queryset=Station.objects.all())
    charger_id = RowIdField(source="charger", queryset=Charger.objects.select_related("station"))
    assignee_id = RowIdField(source="person", queryset=people())
    assignee = LineField(max_length=100, required=False, allow_null=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Complete what follows from the rest: the charger's station, the person's name, the person of a name.

        :raises ValidationError: the charger is at another station.
        """
        charger = attrs.get("charger", self.instance and self.instance.charger)
        if charger is not None and attrs.get("charger") and not attrs.get("station"):
            attrs["station"] = charger.station
        elif charger is not None and attrs.get("station", charger.station) != charger.station:
            raise serializers.ValidationError({"chargerId": ["This charger is at another station."]})
        if "person" in attrs:
            attrs["assignee"] = attrs["person"].name if attrs["person"] else None
        elif "assignee" in attrs:
            named = list(people().filter(name=attrs["assignee"])[:2])
            attrs["person"] = named[0] if len(named) == 1 else None
        return attrs


class WorkOrderCreateRequest(WorkOrderRequest):
    """`{"title", "stationId"?, "chargerId"?, "priority", "dueAt"?, "description"?, "assigneeId"?, "assignee"?}`."""

    class Meta:
        model = WorkOrder
        fields = ("title", "station_id", "charger_id", "priority", "due_at", "description", "assignee_id", "assignee")


class ChargerWorkOrderRequest(CamelCaseSerializer[WorkOrder]):
    """`{"title", "description"?, "priority"}`."""

    title = LineField(max_length=200)
    description = LinesField(max_length=2000, required=False, allow_blank=True)

    class Meta:
        model = WorkOrder
        fields = ("title", "description", "priority")


def not_in_the_future(moment: datetime) -> None:
    """Refuse a moment that is still to come.

    :raises ValidationError: it is.
    """
    if moment > timezone.now():
        raise serializers.ValidationError("This is in the future.")


class WorkOrderChangeRequest(WorkOrderRequest):
    """Any field of a create, and `status` and `completedAt`."""

    completed_at = serializers.DateTimeField(required=False, allow_null=True, validators=[not_in_the_future])

    class Meta:
        model = WorkOrder
        fields = (*WorkOrderCreateRequest.Meta.fields, "status", "completed_at")

    def update(self, instance: WorkOrder, validated_data: dict[str, Any]) -> WorkOrder:
        """Change it, and keep the time of completion with the status.

        Who says only that it is done has done it now; who says only when, has done it then. The time is for work that
        is entered late, and for taking a reopening back.
        """
        said = validated_data.get("completed_at")
        status = validated_data.get("status") or (WorkOrder.Status.DONE if said else instance.status)
        done_at = (said or instance.completed_at or timezone.now()) if status == WorkOrder.Status.DONE else None
        return super().update(instance, {**validated_data, "status": status, "completed_at": done_at})
