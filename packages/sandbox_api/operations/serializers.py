"""How work orders stand on the wire."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.utils import timezone
from rest_framework import serializers

from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.energy.models import Station
from sandbox_api.ids import RowIdConverter
from sandbox_api.operations.models import WorkOrder
from sandbox_api.texts import LineField

if TYPE_CHECKING:
    from datetime import datetime


class WorkOrderSerializer(CamelCaseSerializer[WorkOrder]):
    """A work order, with the name of its station."""

    station_id = serializers.CharField(read_only=True, allow_null=True)
    station_name = serializers.CharField(source="station.name", read_only=True, allow_null=True, default=None)

    class Meta:
        model = WorkOrder
        fields = (
            "id",
            "title",
            "station_id",
            "station_name",
            "priority",
            "status",
            "assignee",
            "created_at",
            "due_at",
            "completed_at",
            "version",
        )


class OperationsStationSerializer(CamelCaseSerializer[Station]):
    """A station, as those need to know it who work there."""

    class Meta:
        model = Station
        fields = ("id", "name", "city", "created_at")


class StationIdField(serializers.PrimaryKeyRelatedField[Station]):
    """The id of a station that exists."""

    default_error_messages = {"does_not_exist": "There is no such station."}

    def to_internal_value(self, data: Any) -> Station:
        """Give the station; what is no id is not asked for, since a database may choke on it."""
        is_id = isinstance(data, str) and re.fullmatch(RowIdConverter.regex, data)
        if not is_id:
            self.fail("does_not_exist")
        return super().to_internal_value(data)


class WorkOrderCreateRequest(CamelCaseSerializer[WorkOrder]):
    """`{"title", "stationId"?, "priority", "dueAt"?}`."""

    title = LineField(max_length=200)
    station_id = StationIdField(source="station", queryset=Station.objects.all(), required=False, allow_null=True)

    class Meta:
        model = WorkOrder
        fields = ("title", "station_id", "priority", "due_at")


def not_in_the_future(moment: datetime) -> None:
    """Refuse a moment that is still to come.

    :raises ValidationError: it is.
    """
    if moment > timezone.now():
        raise serializers.ValidationError("This is in the future.")


class WorkOrderChangeRequest(CamelCaseSerializer[WorkOrder]):
    """`{"title"?, "stationId"?, "status"?, "assignee"?, "priority"?, "dueAt"?, "completedAt"?}`."""

    title = LineField(max_length=200, required=False)
    station_id = StationIdField(source="station", queryset=Station.objects.all(), required=False, allow_null=True)
    assignee = LineField(max_length=100, required=False, allow_null=True)
    completed_at = serializers.DateTimeField(required=False, allow_null=True, validators=[not_in_the_future])

    class Meta:
        model = WorkOrder
        fields = ("title", "station_id", "status", "assignee", "priority", "due_at", "completed_at")

    def update(self, instance: WorkOrder, validated_data: dict[str, Any]) -> WorkOrder:
        """Change it, and keep the time of completion with the status.

        Who says only that it is done has done it now; who says only when, has done it then. The time is for work that
        is entered late, and for taking a reopening back.
        """
        said = validated_data.get("completed_at")
        status = validated_data.get("status") or (WorkOrder.Status.DONE if said else instance.status)
        done_at = (said or instance.completed_at or timezone.now()) if status == WorkOrder.Status.DONE else None
        return super().update(instance, {**validated_data, "status": status, "completed_at": done_at})
