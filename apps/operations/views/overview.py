"""The overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.operations.presenters.overview import present_overview
from apps.operations.presenters.work_orders import present_work_order
from portal.services.operations.summary import OperationsSummaryQueries
from portal.services.operations.work_orders import WorkOrderQueries
from portal.services.side_by_side import use_queries
from portal.web.frame.shell import active_locale
from portal.web.pages.list_pages import total_of
from portal.web.present.results import oldest, optional

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

LATEST_ROWS = 5


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Figures, charts and the latest work orders."""
    summary, latest = use_queries(
        request,
        OperationsSummaryQueries.use_get_summary_query.spec(),
        WorkOrderQueries.use_get_work_orders_query.spec(),
    )
    shown = present_overview(optional(summary) or {}, total=total_of(latest), locale=active_locale())
    rows = [present_work_order(row) for row in latest.unwrap().items[:LATEST_ROWS]]
    context = {"overview": shown, "rows": rows, "as_of": oldest(summary, latest)}
    return render(request, "operations/overview.html", context)
