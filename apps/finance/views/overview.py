"""The overview: numbers and charts from the backend's summary; without a summary, the total of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.finance.views.invoices import STATUSES
from portal.services.finance.invoices import InvoiceQueries, InvoiceStatus
from portal.services.finance.summary import FinanceSummaryQueries
from portal.web.pages import Count, read_overview
from portal.web.present import (
    BarChart,
    Point,
    StatTile,
    bar_chart,
    compact_number_text,
    money_text,
    month_text,
    split_bar,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from django.http import HttpRequest, HttpResponse

    from portal.services.finance.summary import FinanceSummary

COUNTS: Final[Sequence[Count[FinanceSummary]]] = (
    Count(
        label=_("Invoices"),
        route="invoices",
        hook=InvoiceQueries.use_get_invoices_query,
        of=lambda summary: summary.total,
    ),
)
#: Status, label of its tile, icon.
_AMOUNTS: Final = (
    (InvoiceStatus.PAID, _("Paid"), "check"),
    (InvoiceStatus.SENT, _("Outstanding"), "clock"),
    (InvoiceStatus.OVERDUE, _("Overdue"), "alert"),
)
DEFAULT_CURRENCY: Final = "EUR"


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Numbers and charts."""
    read = read_overview(request, summary=FinanceSummaryQueries.use_get_summary_query, counts=COUNTS)
    summary = read.summary
    currency = summary.currency or DEFAULT_CURRENCY
    counts = {each.status or "": each.count for each in summary.by_status}
    context = {
        "tiles": (*read.tiles, *amount_tiles(summary, currency=currency)),
        "invoiced": amounts_chart(((each.month, each.invoiced) for each in summary.by_month), currency=currency),
        "paid": amounts_chart(((each.month, each.paid) for each in summary.by_month), currency=currency),
        "by_status": split_bar(counts, badges=STATUSES),
        "as_of": read.as_of,
    }
    return render(request, "finance/overview.html", context)


def amount_tiles(summary: FinanceSummary, *, currency: str) -> Iterator[StatTile]:
    """The amount of the invoices with each status."""
    amounts = {each.status: each.amount for each in summary.by_status}
    for status, label, icon in _AMOUNTS:
        if status in amounts:
            amount = money_text(amounts[status], currency=currency, places=0)
            yield StatTile(label=label, value=amount, icon=icon)


def amounts_chart(amounts: Iterable[tuple[str, Decimal | None]], *, currency: str) -> BarChart | None:
    """The amount of each month, in thousands."""
    points = []
    for month, amount in amounts:
        text = money_text(amount, currency=currency, places=0)
        points.append(Point(label=month_text(month), value=float(amount or 0) / 1000, text=text))
    return bar_chart(points, axis_text=compact_number_text)
