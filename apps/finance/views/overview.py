"""The overview: what is overdue, and the figures of a period; without a summary, the total of the list."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.finance.views.invoices import STATUSES
from portal.services.finance.invoices import InvoiceQueries, InvoiceStatus
from portal.services.finance.summary import FinanceSummary, FinanceSummaryQueries
from portal.web.present import Need, NeedLink, needs_of
from portal_pages import Count, Figure, PeriodChoice, list_url, money_of, read_overview, rows_by
from portal_pages.figures import StatTile

COUNTS: Final[Sequence[Count[FinanceSummary]]] = (
    Count(
        label=_("Invoices"),
        route="invoices",
        hook=InvoiceQueries.use_get_invoices_query,
        of=lambda summary: summary.total,
    ),
)
#: What is not paid yet, what is overdue included.
_OUTSTANDING: Final = [InvoiceStatus.SENT, InvoiceStatus.OVERDUE]
#: Of what is overdue by so many days; the oldest has no end.
_AGES: Final = (_("up to 30 days"), _("31 to 60 days"), _("61 to 90 days"), _("over 90 days"))
INVOICED: Final = Figure(
    label=_("Invoiced"),
    name="invoiced",
    is_money=True,
    icon="invoices",
    route="invoices",
    days="issuedAt",
    filters={"status": [InvoiceStatus.SENT, InvoiceStatus.PAID, InvoiceStatus.OVERDUE]},
)
PAID: Final = replace(
    INVOICED, label=_("Paid"), name="paid", icon="check", days="paidAt", filters={"status": InvoiceStatus.PAID}
)


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """What is overdue, and figures and charts of a period."""
    read = read_overview(
        request,
        summary=FinanceSummaryQueries.use_get_summary_query,
        counts=COUNTS,
        figures=(INVOICED, PAID),
        period=PeriodChoice.of(request, calendar=True),
    )
    summary = read.summary
    return read.respond(
        request,
        "finance/overview.html",
        lambda: {
            "tiles": (*read.tiles, *amount_tiles(summary), *read.counts),
            "counts": (),
            "needs": needs_of([overdue(summary)]),
            "invoiced": INVOICED.chart(summary, period=read.period, months=summary.by_month),
            "paid": PAID.chart(summary, period=read.period, months=summary.by_month),
            "by_status": rows_by(
                "status",
                {each.status or "": each.count for each in summary.by_status},
                badges=STATUSES,
                route="invoices",
            ),
        },
    )


def overdue(summary: FinanceSummary) -> Need:
    """Overdue invoices, by the time since they were due."""
    money = money_of(summary)
    counts = {each.status: each.count for each in summary.by_status}
    count = counts.get(InvoiceStatus.OVERDUE)
    return Need(
        label=ngettext("overdue invoice", "overdue invoices", count or 0),
        count=count,
        href=list_url("invoices", status=InvoiceStatus.OVERDUE),
        links=tuple(
            NeedLink(
                label=label,
                href=list_url("invoices", status=InvoiceStatus.OVERDUE, dueAtFrom=age.from_day, dueAtTo=age.to_day),
                text=f"{age.count} · {money(age.amount)}",
            )
            for label, age in zip(_AGES, summary.overdue_by_age, strict=False)
            if age.count
        ),
    )


def amount_tiles(summary: FinanceSummary) -> Iterator[StatTile]:
    """What is not paid yet; what is overdue is part of it, which the tile says."""
    money = money_of(summary)
    amounts = {each.status: each.amount for each in summary.by_status}
    if InvoiceStatus.PAID in amounts and summary.period is None:
        yield StatTile(
            label=_("Paid"),
            value=money(amounts[InvoiceStatus.PAID]),
            href=list_url("invoices", status=InvoiceStatus.PAID),
            icon="check",
        )
    if any(status in amounts for status in _OUTSTANDING):
        sent, late = (amounts.get(status) or Decimal(0) for status in _OUTSTANDING)
        yield StatTile(
            label=_("Outstanding"),
            value=money(sent + late),
            href=list_url("invoices", status=_OUTSTANDING),
            icon="clock",
            note=gettext("%(amount)s of it overdue") % {"amount": money(late)},
        )
