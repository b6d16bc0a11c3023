"""Figures for the overview of the operations platform, counted by the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Count
from django.db.models.functions import TruncMonth
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.auth.permissions import OPERATIONS_APP
from sandbox_api.months import Month, month_of, months_until
from sandbox_api.operations.models import WorkOrder

if TYPE_CHECKING:
    from datetime import datetime

    from rest_framework.request import Request

_UNFINISHED = (WorkOrder.Status.OPEN, WorkOrder.Status.IN_PROGRESS)


class WorkOrderMonth(serializers.Serializer[Any]):
    """How many work orders came and went in a month."""

    month = serializers.CharField(help_text="Such as `2026-01`.")
    created = serializers.IntegerField()
    completed = serializers.IntegerField()


class OperationsSummary(serializers.Serializer[Any]):
    """The figures."""

    total = serializers.IntegerField()
    byStatus = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - the wire's name
    unfinishedByPriority = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - as above
    byMonth = WorkOrderMonth(many=True)  # noqa: N815 - the wire's name


def summarise_operations(*, now: datetime) -> dict[str, Any]:
    """Count everything; what there is none of is there too, with zero."""
    by_status = dict(WorkOrder.objects.values_list("status").annotate(Count("id")))
    unfinished = WorkOrder.objects.filter(status__in=_UNFINISHED)
    months = months_until(now=now)
    created = _by_month("created_at", months[0])
    completed = _by_month("completed_at", months[0])
    return {
        "total": sum(by_status.values()),
        "byStatus": dict.fromkeys(WorkOrder.Status.values, 0) | by_status,
        "unfinishedByPriority": dict.fromkeys(WorkOrder.Priority.values, 0)
        | dict(unfinished.values_list("priority").annotate(Count("id"))),
        "byMonth": [
            {"month": str(month), "created": created.get(month, 0), "completed": completed.get(month, 0)}
            for month in months
        ],
    }


def _by_month(column: str, first: Month) -> dict[Month, int]:
    rows = (
        WorkOrder.objects.filter(**{f"{column}__gte": first.start})
        .values_list(TruncMonth(column))
        .annotate(Count("id"))
    )
    return {month_of(start): count for start, count in rows}


class OperationsSummaryView(ApiView):
    """Figures for the overview."""

    required_permission = OPERATIONS_APP

    @extend_schema(responses=OperationsSummary)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - the framework's signature
        """Give the figures as of now."""
        return Response(summarise_operations(now=timezone.now()))
