"""The finance overview: figures and charts, from the backend's summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from apps.finance.presenters.invoices import DEFAULT_CURRENCY, STATUSES
from portal.web.present.badges import badge_for
from portal.web.present.charts import BarChart, Point, Split, bar_chart, split
from portal.web.present.formats import money_text, month_text, number_text
from portal.web.present.records import decimal, integer, records, text
from portal.web.present.stat_tiles import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

#: Status, what its figure is called, and its icon.
_AMOUNTS: Final = (
    ("paid", _("Paid"), "portal/icons/check.svg"),
    ("sent", _("Outstanding"), "portal/icons/clock.svg"),
    ("overdue", _("Overdue"), "portal/icons/alert.svg"),
)
_THOUSAND: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the page shows. A chart without data is None."""

    figures: tuple[Figure, ...]
    invoiced: BarChart | None
    paid: BarChart | None
    by_status: Split | None


def present_overview(summary: Mapping[str, Any], *, total: int | None, locale: str) -> Overview:
    """The figures of `GET /finance/summary`.

    :param total: the list's own total, for a backend without a summary.
    """
    currency = text(summary, "currency") or DEFAULT_CURRENCY
    by_status = {text(entry, "status"): entry for entry in records(summary, "byStatus")}
    known_total = integer(summary, "total")
    figures = [
        Figure(
            label=_("Invoices"),
            value=number_text(total if known_total is None else known_total, locale=locale),
            route="invoices",
            icon="finance/icons/invoices.svg",
        ),
        *(
            Figure(label=label, value=_whole_money(decimal(by_status[status], "amount"), currency, locale), icon=icon)
            for status, label, icon in _AMOUNTS
            if status in by_status
        ),
    ]
    return Overview(
        figures=tuple(figures),
        invoiced=_by_month(summary, "invoiced", currency=currency, locale=locale),
        paid=_by_month(summary, "paid", currency=currency, locale=locale),
        by_status=_by_status(by_status, locale=locale),
    )


def _by_month(summary: Mapping[str, Any], name: str, *, currency: str, locale: str) -> BarChart | None:
    points = [
        Point(
            label=month_text(text(month, "month")),
            value=float(decimal(month, name) or 0) / _THOUSAND,
            text=_whole_money(decimal(month, name), currency, locale),
        )
        for month in records(summary, "byMonth")
    ]
    return bar_chart(points, axis_text=lambda value: _axis(value, locale)) if points else None


def _by_status(entries: Mapping[str, Mapping[str, Any]], *, locale: str) -> Split | None:
    if not entries:
        return None
    badges = {code: badge_for(code=code, known=STATUSES) for code in {**STATUSES, **entries} if code in entries}
    parts = [(badge.label, badge.tone, integer(entries[code], "count") or 0) for code, badge in badges.items()]
    return split(parts, count_text=lambda value: number_text(value, locale=locale))


def _whole_money(value: Decimal | None, currency: str, locale: str) -> str:
    return money_text(value, currency=currency, locale=locale, places=0)


def _axis(value: float, locale: str) -> str:
    return number_text(value, locale=locale, places=0 if value == int(value) else 1)
