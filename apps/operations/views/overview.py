"""The overview: numbers, charts and the latest work orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.operations.views.work_orders import PRIORITIES, STATUSES
from portal.services import use_queries
from portal.services.operations.summary import OperationsSummary, OperationsSummaryQueries
from portal.services.operations.work_orders import WorkOrderQueries, WorkOrderStatus
from portal.web.present import (
    BarChart,
    Point,
    StatTile,
    bar_chart,
    month_text,
    number_text,
    oldest_as_of,
    record_if_exists,
    rows_if_any,
    split_bar,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.http import HttpRequest, HttpResponse

    from portal.services.operations.summary import WorkOrderMonth

LATEST_ROWS: Final = 5
#: The icon of all work orders, and the icons of those with a status.
_ICON: Final = "work-orders"
_STATUS_ICONS: Final = {
    WorkOrderStatus.OPEN: "circle",
    WorkOrderStatus.IN_PROGRESS: "clock",
    WorkOrderStatus.DONE: "check",
    WorkOrderStatus.CANCELLED: "close",
}


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Numbers and charts from the backend's summary, and the first rows of the list."""
    found, latest = use_queries(
        request,
        OperationsSummaryQueries.use_get_summary_query.spec(),
        WorkOrderQueries.use_get_work_orders_query.spec(),
    )
    summary = record_if_exists(found) or OperationsSummary()
    page = latest.unwrap() if summary == OperationsSummary() else rows_if_any(latest)
    context = {
        "tiles": tuple(tiles(summary, total=None if page is None else page.total)),
        "created": created_chart(summary.by_month),
        "by_status": split_bar(summary.by_status, badges=STATUSES),
        "by_priority": split_bar(summary.unfinished_by_priority, badges=PRIORITIES),
        "rows": page.items[:LATEST_ROWS] if page else (),
        "statuses": STATUSES,
        "as_of": oldest_as_of(found, latest),
    }
    return render(request, "operations/overview.html", context)


def tiles(summary: OperationsSummary, *, total: int | None) -> Iterator[StatTile]:
    """The number of all work orders, and of those with each status.

    :param total: of the list, for a backend without a summary.
    """
    all_of_them = number_text(total if summary.total is None else summary.total)
    yield StatTile(label=_("Work orders"), value=all_of_them, route="work-orders", icon=_ICON)
    for status, badge in STATUSES.items():
        if status in summary.by_status:
            count = number_text(summary.by_status[status] or 0)
            yield StatTile(label=badge.label, value=count, icon=_STATUS_ICONS.get(status, _ICON))


def created_chart(months: Iterable[WorkOrderMonth]) -> BarChart | None:
    """How many work orders came in each month."""
    points = []
    for each in months:
        count = each.created or 0
        points.append(Point(label=month_text(each.month), value=count, text=number_text(count)))
    return bar_chart(points)
