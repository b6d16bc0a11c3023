"""Figures for the overview of the operations platform, counted by the database."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db.models import Count
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.response import Response

from sandbox_api.api_view import ApiView
from sandbox_api.auth.permissions import OPERATIONS_APP
from sandbox_api.months import by_month, months_until
from sandbox_api.operations.models import UNFINISHED, WorkOrder
from sandbox_api.periods import (
    PERIOD_PARAMETERS,
    AgeSpan,
    Period,
    SummaryPeriod,
    SummaryPoint,
    ages,
    by_point,
    in_days,
    read_period,
)

if TYPE_CHECKING:
    from rest_framework.request import Request

_AGES = (7, 30, 90)
_TIMES = ("created_at", "completed_at")


class WorkOrderFigures(serializers.Serializer[Any]):
    """How many work orders came and went in a period."""

    created = serializers.IntegerField()
    completed = serializers.IntegerField()


class WorkOrderMonth(WorkOrderFigures):
    """The same for a month."""

    month = serializers.CharField(help_text="Such as `2026-01`.")


class WorkOrderPoint(SummaryPoint, WorkOrderFigures):
    """The same for a point of the series."""


class OperationsSummary(serializers.Serializer[Any]):
    """The figures."""

    total = serializers.IntegerField()
    byStatus = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - the wire's name
    unfinishedByPriority = serializers.DictField(child=serializers.IntegerField())  # noqa: N815 - as above
    byMonth = WorkOrderMonth(many=True)  # noqa: N815 - the wire's name
    period = SummaryPeriod()
    current = WorkOrderFigures()
    before = WorkOrderFigures()
    series = WorkOrderPoint(many=True)
    seriesBefore = WorkOrderPoint(many=True)  # noqa: N815 - the wire's name
    late = AgeSpan()
    unfinishedByAge = AgeSpan(many=True)  # noqa: N815 - the wire's name


def summarise_operations(*, now: datetime, period: Period | None = None) -> dict[str, Any]:
    """Count everything; what there is none of is there too, with zero."""
    period = period or read_period(query={}, now=now)
    current, series = _came_and_went(period)
    before, series_before = _came_and_went(period.before)
    by_status = dict(WorkOrder.objects.values_list("status").annotate(Count("id")))
    unfinished = WorkOrder.objects.filter(status__in=UNFINISHED)
    months = months_until(now=now)
    created, completed = (
        by_month(WorkOrder.objects.all(), column, since=months[0], figure=Count("id")) for column in _TIMES
    )
    return {
        "total": sum(by_status.values()),
        "byStatus": dict.fromkeys(WorkOrder.Status.values, 0) | by_status,
        "unfinishedByPriority": dict.fromkeys(WorkOrder.Priority.values, 0)
        | dict(unfinished.values_list("priority").annotate(Count("id"))),
        "byMonth": [
            {"month": str(month), "created": created.get(month, 0), "completed": completed.get(month, 0)}
            for month in months
        ],
        "period": period.described(),
        "current": current,
        "before": before,
        "series": series,
        "seriesBefore": series_before,
        "late": _late(period),
        "unfinishedByAge": [
            {
                "fromDay": span[0],
                "toDay": span[1],
                "count": unfinished.filter(**in_days(period, "created_at", span)).count(),
            }
            for span in ages(period, _AGES)
        ],
    }


def _late(period: Period) -> dict[str, Any]:
    """Unfinished orders that were due before today: a due day is not missed before it is over."""
    yesterday = period.today - timedelta(days=1)
    rows = WorkOrder.objects.filter(status__in=UNFINISHED, **in_days(period, "due_at", (None, yesterday)))
    return {"fromDay": None, "toDay": yesterday, "count": rows.count()}


def _came_and_went(period: Period) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """The figures of a period, and its series."""
    created, completed = (
        by_point(WorkOrder.objects.all(), column, period=period, figure=Count("id"), zero=0) for column in _TIMES
    )
    series = [
        point | {"created": created[point["start"]], "completed": completed[point["start"]]}
        for point in period.points()
    ]
    return {"created": sum(created.values()), "completed": sum(completed.values())}, series


class OperationsSummaryView(ApiView):
    """Figures for the overview."""

    required_permission = OPERATIONS_APP

    @extend_schema(parameters=PERIOD_PARAMETERS, responses=OperationsSummary)
    def get(self, request: Request) -> Response:
        """Give the figures as of now, and those of a period."""
        now = timezone.now()
        return Response(summarise_operations(now=now, period=read_period(query=request.query_params.dict(), now=now)))
