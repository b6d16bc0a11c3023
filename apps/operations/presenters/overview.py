"""The operations overview: stat tiles and charts, made from the backend's summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from apps.operations.presenters.work_orders import DONE, PRIORITIES, STATUSES
from portal.web.present import (
    BarChart,
    Point,
    SplitBar,
    StatTile,
    bar_chart,
    counts_of,
    integer_of,
    month_text,
    number_text,
    objects_of,
    split_bar,
    text_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

#: The icon of all work orders, and the icons of those with a status.
_ICON: Final = "work-orders"
_STATUS_ICONS: Final = {
    "open": "circle",
    "in_progress": "clock",
    DONE: "check",
    "cancelled": "close",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the page shows. A chart without data is None."""

    tiles: tuple[StatTile, ...]
    created: BarChart | None
    by_status: SplitBar | None
    by_priority: SplitBar | None


def present_overview(summary: Mapping[str, Any], *, total: int | None) -> Overview:
    """Present the response of `GET /operations/summary`.

    :param total: the total of the list, for a backend without a summary.
    """
    known_total = integer_of(summary, "total")
    total_text = number_text(total if known_total is None else known_total)
    counts = counts_of(summary, "byStatus")
    return Overview(
        tiles=(
            StatTile(label=_("Work orders"), value=total_text, route="work-orders", icon=_ICON),
            *(
                StatTile(
                    label=badge.label, value=number_text(counts[status] or 0), icon=_STATUS_ICONS.get(status, _ICON)
                )
                for status, badge in STATUSES.items()
                if status in counts
            ),
        ),
        created=_created_by_month(summary),
        by_status=split_bar(counts, badges=STATUSES),
        by_priority=split_bar(counts_of(summary, "unfinishedByPriority"), badges=PRIORITIES),
    )


def _created_by_month(summary: Mapping[str, Any]) -> BarChart | None:
    points = []
    for month in objects_of(summary, "byMonth"):
        count = integer_of(month, "created") or 0
        points.append(Point(label=month_text(text_of(month, "month")), value=count, text=number_text(count)))
    return bar_chart(points)
