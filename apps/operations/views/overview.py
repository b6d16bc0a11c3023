"""The overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.operations.presenters.overview import present_overview
from apps.operations.presenters.work_orders import present_work_order
from portal.services import use_queries
from portal.services.operations.summary import OperationsSummaryQueries
from portal.services.operations.work_orders import WorkOrderQueries
from portal.web.present import as_mapping, oldest_as_of, record_if_exists

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

LATEST_ROWS = 5


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Numbers, charts and the latest work orders."""
    summary, latest = use_queries(
        request,
        OperationsSummaryQueries.use_get_summary_query.spec(),
        WorkOrderQueries.use_get_work_orders_query.spec(),
    )
    shown = present_overview(record_if_exists(summary) or {}, total=latest.unwrap().total)
    rows = [present_work_order(as_mapping(row)) for row in latest.unwrap().items[:LATEST_ROWS]]
    context = {"overview": shown, "rows": rows, "as_of": oldest_as_of(summary, latest)}
    return render(request, "operations/overview.html", context)
