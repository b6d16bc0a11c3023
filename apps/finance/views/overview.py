"""The overview: what is overdue, and the figures of a period; without a summary, the total of the list."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Final

from django.shortcuts import render
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.finance.views.invoices import STATUSES
from portal.services.finance.invoices import InvoiceQueries, InvoiceStatus
from portal.services.finance.summary import FinanceSummaryQueries, InvoiceFigures
from portal.web.pages import Count, PeriodChoice, list_url, read_overview
from portal.web.present import (
    BarChart,
    Need,
    NeedLink,
    StatTile,
    bar_chart,
    compared_tile,
    money_text,
    month_points,
    needs_of,
    series_points,
    split_bar,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from django.http import HttpRequest, HttpResponse

    from portal.services.finance.summary import FinanceSummary, InvoiceMonth, InvoicePoint

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
DEFAULT_CURRENCY: Final = "EUR"


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """What is overdue, and figures and charts of a period."""
    period = PeriodChoice.of(request)
    read = read_overview(request, summary=FinanceSummaryQueries.use_get_summary_query, counts=COUNTS, period=period)
    summary = read.summary
    has_period = summary.period is not None
    context = {
        "period": period if has_period else None,
        "tiles": (*(period_tiles(summary, period) if has_period else ()), *amount_tiles(summary), *read.tiles),
        "needs": needs_of([overdue(summary)]),
        "invoiced": amounts_chart(summary, lambda each: each.invoiced),
        "paid": amounts_chart(summary, lambda each: each.paid),
        "by_status": split_bar(
            {each.status or "": each.count for each in summary.by_status},
            badges=STATUSES,
            href=lambda status: list_url("invoices", status=status),
        ),
        "as_of": read.as_of,
    }
    return render(request, "finance/overview.html", context)


def overdue(summary: FinanceSummary) -> Need:
    """Overdue invoices, by the time since they were due."""
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
                text=f"{age.count} · {_money(summary)(age.amount)}",
            )
            for label, age in zip(_AGES, summary.overdue_by_age, strict=False)
            if age.count
        ),
    )


def period_tiles(summary: FinanceSummary, period: PeriodChoice) -> Iterator[StatTile]:
    """The figures of the period, beside those of the one before."""
    current, before = summary.current or InvoiceFigures(), summary.before or InvoiceFigures()
    yield compared_tile(
        _("Invoiced"),
        current.invoiced,
        before=before.invoiced,
        text=_money(summary),
        href=list_url("invoices", **period.range_of("issuedAt")),
        icon="invoices",
    )
    yield compared_tile(_("Paid"), current.paid, before=before.paid, text=_money(summary), icon="check")


def amount_tiles(summary: FinanceSummary) -> Iterator[StatTile]:
    """What is not paid yet; what is overdue is part of it, which the tile says."""
    amounts = {each.status: each.amount for each in summary.by_status}
    if InvoiceStatus.PAID in amounts and summary.period is None:
        yield StatTile(label=_("Paid"), value=_money(summary)(amounts[InvoiceStatus.PAID]), icon="check")
    if any(status in amounts for status in _OUTSTANDING):
        sent, late = (amounts.get(status) or Decimal(0) for status in _OUTSTANDING)
        yield StatTile(
            label=_("Outstanding"),
            value=_money(summary)(sent + late),
            href=list_url("invoices", status=_OUTSTANDING),
            icon="clock",
            note=gettext("%(amount)s of it overdue") % {"amount": _money(summary)(late)},
        )
        yield StatTile(
            label=_("Overdue"),
            value=_money(summary)(late),
            href=list_url("invoices", status=InvoiceStatus.OVERDUE),
            icon="alert",
        )


def amounts_chart(
    summary: FinanceSummary, amount: Callable[[InvoiceMonth | InvoicePoint], Decimal | None]
) -> BarChart | None:
    """The amount of each day, week or month of the period; of twelve months, if the summary knows no period."""
    money = _money(summary)
    if summary.period is None:
        months = summary.by_month
        points = month_points((each.month, float(amount(each) or 0), money(amount(each))) for each in months)
    else:
        points = series_points(
            summary.series,
            step=summary.period.step,
            value=lambda each: float(amount(each) or 0),
            text=lambda each: money(amount(each)),
        )
    return bar_chart(points, axis_text=lambda value: money(Decimal(str(value))))


def _money(summary: FinanceSummary) -> Callable[[Decimal | None], str]:
    return lambda amount: money_text(amount, currency=summary.currency or DEFAULT_CURRENCY, places=0)
