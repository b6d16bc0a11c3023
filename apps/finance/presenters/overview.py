"""The finance overview: stat tiles and charts, made from the backend's summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from apps.finance.presenters.invoices import DEFAULT_CURRENCY, STATUSES
from portal.web.present import (
    BarChart,
    Point,
    SplitBar,
    StatTile,
    bar_chart,
    compact_number_text,
    decimal_of,
    integer_of,
    money_text,
    month_text,
    number_text,
    objects_of,
    split_bar,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Status, label of its tile, icon.
_AMOUNTS: Final = (
    ("paid", _("Paid"), "check"),
    ("sent", _("Outstanding"), "clock"),
    ("overdue", _("Overdue"), "alert"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the page shows. A chart without data is None."""

    tiles: tuple[StatTile, ...]
    invoiced: BarChart | None
    paid: BarChart | None
    by_status: SplitBar | None


def present_overview(summary: Mapping[str, Any], *, total: int | None) -> Overview:
    """Present the response of `GET /finance/summary`.

    :param total: the total of the list, for a backend without a summary.
    """
    currency = text_of(summary, "currency") or DEFAULT_CURRENCY
    by_status = {text_of(entry, "status"): entry for entry in objects_of(summary, "byStatus")}
    known_total = integer_of(summary, "total")
    tiles = [
        StatTile(
            label=_("Invoices"),
            value=number_text(total if known_total is None else known_total),
            route="invoices",
            icon="invoices",
        )
    ]
    for status, label, icon in _AMOUNTS:
        if status in by_status:
            amount = money_text(decimal_of(by_status[status], "amount"), currency=currency, places=0)
            tiles.append(StatTile(label=label, value=amount, icon=icon))
    counts = {status: integer_of(entry, "count") or 0 for status, entry in by_status.items()}
    return Overview(
        tiles=tuple(tiles),
        invoiced=_by_month(summary, "invoiced", currency=currency),
        paid=_by_month(summary, "paid", currency=currency),
        by_status=split_bar(counts, badges=STATUSES),
    )


def _by_month(summary: Mapping[str, Any], name: str, *, currency: str) -> BarChart | None:
    points = []
    for month in objects_of(summary, "byMonth"):
        amount = decimal_of(month, name)
        label, text = month_text(text_of(month, "month")), money_text(amount, currency=currency, places=0)
        points.append(Point(label=label, value=float(amount or 0) / 1000, text=text))
    return bar_chart(points, axis_text=compact_number_text)
