"""The overview."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.views.decorators.http import require_safe

from apps.finance.presenters.overview import present_overview
from portal.services.finance.invoices import InvoiceQueries
from portal.services.finance.summary import FinanceSummaryQueries
from portal.web.frame.shell import active_locale
from portal.web.pages.list_pages import total_of
from portal.web.pages.overviews import summary_or_lists
from portal.web.present.results import oldest, optional

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Figures and charts. A backend without a summary still has its list, which knows its total."""
    summary, lists = summary_or_lists(
        request,
        summary=FinanceSummaryQueries.use_get_summary_query.spec(),
        lists=[InvoiceQueries.use_get_invoices_query.spec()],
    )
    total = total_of(lists[0]) if lists else None
    shown = present_overview(optional(summary) or {}, total=total, locale=active_locale())
    return render(request, "finance/overview.html", {"overview": shown, "as_of": oldest(summary, *lists)})
