"""How work orders stand on the wire."""

from __future__ import annotations

import re
from typing import Any

from django.utils import timezone
from rest_framework import serializers

from sandbox_api.camel_case import CamelCaseSerializer
from sandbox_api.energy.models import Station
from sandbox_api.ids import RowIdConverter
from sandbox_api.operations.models import WorkOrder
from sandbox_api.texts import LineField


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


class WorkOrderChangeRequest(CamelCaseSerializer[WorkOrder]):
    """`{"title"?, "stationId"?, "status"?, "assignee"?, "priority"?, "dueAt"?}`."""

    title = LineField(max_length=200, required=False)
    station_id = StationIdField(source="station", queryset=Station.objects.all(), required=False, allow_null=True)
    assignee = LineField(max_length=100, required=False, allow_null=True)

    class Meta:
        model = WorkOrder
        fields = ("title", "station_id", "status", "assignee", "priority", "due_at")

    def update(self, instance: WorkOrder, validated_data: dict[str, Any]) -> WorkOrder:
        """Change it, and keep the time of completion with the status."""
        was_done = instance.status == WorkOrder.Status.DONE
        is_done = validated_data.get("status", instance.status) == WorkOrder.Status.DONE
        if is_done and not was_done:
            instance.completed_at = timezone.now()
        elif not is_done:
            instance.completed_at = None
        return super().update(instance, validated_data)
