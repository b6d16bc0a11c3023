"""The overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.finance.presenters.overview import present_overview
from portal.services.finance.invoices import InvoiceQueries
from portal.services.finance.summary import FinanceSummaryQueries
from portal.web.pages import summary_or_lists
from portal.web.present import oldest_as_of, record_if_exists

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Numbers and charts from the backend's summary; without a summary, the total of the list."""
    summary, lists = summary_or_lists(
        request,
        summary=FinanceSummaryQueries.use_get_summary_query.spec(),
        lists=[InvoiceQueries.use_get_invoices_query.spec()],
    )
    total = lists[0].unwrap().total if lists else None
    shown = present_overview(record_if_exists(summary) or {}, total=total)
    return render(request, "finance/overview.html", {"overview": shown, "as_of": oldest_as_of(summary, *lists)})
