"""The overview: what needs somebody now, the figures of a period, and the latest work orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from apps.operations.views.work_orders import FINISHED, PRIORITIES, STATUSES
from portal.services.operations.summary import AgeSpan, OperationsSummary, OperationsSummaryQueries, WorkOrderFigures
from portal.services.operations.work_orders import WorkOrderQueries, WorkOrderStatus
from portal.web.pages import PeriodChoice, list_url, read_overview
from portal.web.present import (
    Badge,
    BarChart,
    Need,
    SplitBar,
    StatTile,
    bar_chart,
    compared_tile,
    month_points,
    needs_of,
    number_text,
    oldest_as_of,
    part_if_answered,
    series_points,
    split_bar,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest, HttpResponse

LATEST_ROWS: Final = 5
#: The icon of all work orders, and the icons of those with a status.
_ICON: Final = "work-orders"
_STATUS_ICONS: Final = {
    WorkOrderStatus.OPEN: "circle",
    WorkOrderStatus.IN_PROGRESS: "clock",
    WorkOrderStatus.DONE: "check",
    WorkOrderStatus.CANCELLED: "close",
}
#: How old unfinished work orders are, the youngest first, as the summary has them.
AGES: Final = {
    "7": Badge(label=_("up to 7 days"), tone="good"),
    "30": Badge(label=_("8 to 30 days"), tone="info"),
    "90": Badge(label=_("31 to 90 days"), tone="warn"),
    "older": Badge(label=_("over 90 days"), tone="bad"),
}
_UNFINISHED: Final = [status for status in STATUSES if status not in FINISHED]


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """What needs somebody now, the figures and the chart of a period, and the first rows of the list."""
    period = PeriodChoice.of(request)
    read = read_overview(
        request,
        summary=OperationsSummaryQueries.use_get_summary_query,
        period=period,
        beside=[WorkOrderQueries.use_get_work_orders_query.spec()],
    )
    summary, (latest,) = read.summary, read.beside
    page = latest.unwrap() if summary == OperationsSummary() else part_if_answered(latest)
    has_period = summary.period is not None
    context = {
        "period": period if has_period else None,
        "tiles": tuple(
            period_tiles(summary, period) if has_period else tiles(summary, total=None if page is None else page.total)
        ),
        "created": created_chart(summary),
        "by_status": split_bar(
            summary.by_status, badges=STATUSES, href=lambda status: list_url("work-orders", status=status)
        ),
        "by_priority": split_bar(
            summary.unfinished_by_priority,
            badges=PRIORITIES,
            href=lambda priority: list_url("work-orders", status=_UNFINISHED, priority=priority),
        ),
        "needs": needs_of([late(summary)]),
        "by_age": age_bar(summary),
        "rows": page.items[:LATEST_ROWS] if page else (),
        "statuses": STATUSES,
        "as_of": oldest_as_of(latest) if read.as_of is None else read.as_of,
    }
    return render(request, "operations/overview.html", context)


def age_bar(summary: OperationsSummary) -> SplitBar | None:
    """Unfinished work orders by the time since they were created."""
    ages = dict(zip(AGES, summary.unfinished_by_age, strict=False))

    def href(age: str) -> str:
        return list_url(
            "work-orders", status=_UNFINISHED, createdAtFrom=ages[age].from_day, createdAtTo=ages[age].to_day
        )

    return split_bar({age: span.count for age, span in ages.items()}, badges=AGES, href=href)


def late(summary: OperationsSummary) -> Need:
    """Unfinished work orders that were due before today."""
    found = summary.late or AgeSpan()
    return Need(
        label=ngettext("late work order", "late work orders", found.count or 0),
        count=found.count,
        href=list_url("work-orders", status=_UNFINISHED, dueAtTo=found.to_day),
    )


def period_tiles(summary: OperationsSummary, period: PeriodChoice) -> Iterator[StatTile]:
    """The figures of the period, beside those of the one before."""
    current, before = summary.current or WorkOrderFigures(), summary.before or WorkOrderFigures()
    yield compared_tile(
        _("Created"),
        current.created,
        before=before.created,
        text=number_text,
        href=list_url("work-orders", **period.range_of("createdAt")),
        icon="plus",
    )
    yield compared_tile(_("Finished"), current.completed, before=before.completed, text=number_text, icon="check")
    yield from (status_tile(summary, status) for status in _UNFINISHED)


def tiles(summary: OperationsSummary, *, total: int | None) -> Iterator[StatTile]:
    """The number of all work orders, and of those with each status.

    :param total: of the list, for a backend without a summary.
    """
    all_of_them = number_text(total if summary.total is None else summary.total)
    yield StatTile(label=_("Work orders"), value=all_of_them, route="work-orders", icon=_ICON)
    for status in STATUSES:
        if status in summary.by_status:
            yield status_tile(summary, status)


def status_tile(summary: OperationsSummary, status: WorkOrderStatus) -> StatTile:
    """The number of work orders with a status."""
    return StatTile(
        label=STATUSES[status].label,
        value=number_text(summary.by_status.get(status) or 0),
        href=list_url("work-orders", status=status),
        icon=_STATUS_ICONS.get(status, _ICON),
    )


def created_chart(summary: OperationsSummary) -> BarChart | None:
    """How many work orders came: each day, week or month of the period, or each of the last twelve months."""
    unit = _("Work orders")
    if summary.period is None:
        months = ((each.month, each.created or 0, number_text(each.created or 0)) for each in summary.by_month)
        return bar_chart(month_points(months), unit=unit)
    points = series_points(
        summary.series,
        step=summary.period.step,
        value=lambda each: each.created or 0,
        text=lambda each: number_text(each.created or 0),
    )
    return bar_chart(points, unit=unit)
