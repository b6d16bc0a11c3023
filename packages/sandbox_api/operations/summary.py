"""Figures for the overview of the operations platform, counted by the database."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
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
from sandbox_api.periods import (
    PERIOD_PARAMETERS,
    AgeSpan,
    Period,
    SummaryPeriod,
    ages,
    by_day,
    in_days,
    read_period,
)

if TYPE_CHECKING:
    from datetime import date, datetime

    from rest_framework.request import Request

_UNFINISHED = (WorkOrder.Status.OPEN, WorkOrder.Status.IN_PROGRESS)
_AGES = (7, 30, 90)


class WorkOrderMonth(serializers.Serializer[Any]):
    """How many work orders came and went in a month."""

    month = serializers.CharField(help_text="Such as `2026-01`.")
    created = serializers.IntegerField()
    completed = serializers.IntegerField()


class WorkOrderFigures(serializers.Serializer[Any]):
    """How many work orders came and went in a period."""

    created = serializers.IntegerField()
    completed = serializers.IntegerField()


class WorkOrderPoint(WorkOrderFigures):
    """The same for a day, a week or a month, which begins at `start`; it may go on, or be cut by the period."""

    start = serializers.DateField()
    isUnderWay = serializers.BooleanField()  # noqa: N815 - the wire's name
    isCut = serializers.BooleanField()  # noqa: N815 - the wire's name


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
    late = AgeSpan()
    unfinishedByAge = AgeSpan(many=True)  # noqa: N815 - the wire's name


def summarise_operations(*, now: datetime, period: Period | None = None) -> dict[str, Any]:
    """Count everything; what there is none of is there too, with zero."""
    period = period or read_period(query={}, now=now)
    current, series = _came_and_went(period)
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
        "period": period.described(),
        "current": current,
        "before": _came_and_went(period.before)[0],
        "series": series,
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
    rows = WorkOrder.objects.filter(status__in=_UNFINISHED, **in_days(period, "due_at", (None, yesterday)))
    return {"fromDay": None, "toDay": yesterday, "count": rows.count()}


def _came_and_went(period: Period) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """The figures of a period, and its series."""
    created, completed = (_by_point(period, column) for column in ("created_at", "completed_at"))
    series = [
        point | {"created": created[point["start"]], "completed": completed[point["start"]]}
        for point in period.points()
    ]
    return {"created": created.total(), "completed": completed.total()}, series


def _by_point(period: Period, column: str) -> Counter[date]:
    found: Counter[date] = Counter()
    days = by_day(WorkOrder.objects.all(), column, period=period, count=Count("id"))
    for day, count in days:
        found[period.point_of(day)] += count
    return found


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

    @extend_schema(parameters=PERIOD_PARAMETERS, responses=OperationsSummary)
    def get(self, request: Request) -> Response:
        """Give the figures as of now, and those of a period."""
        now = timezone.now()
        return Response(summarise_operations(now=now, period=read_period(query=request.query_params.dict(), now=now)))
