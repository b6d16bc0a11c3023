"""The operations overview: figures and charts, from the backend's summary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from apps.operations.presenters.work_orders import DONE, PRIORITIES, STATUSES
from portal.web.present.badges import badge_for
from portal.web.present.charts import BarChart, Point, Split, bar_chart, split
from portal.web.present.formats import month_text, number_text
from portal.web.present.records import integer, records, text
from portal.web.present.stat_tiles import Figure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from portal.web.present.badges import Badge


#: The icon of all work orders, and those of a status.
_ICON: Final = "operations/icons/work-orders.svg"
_STATUS_ICONS: Final = {
    "open": "portal/icons/circle.svg",
    "in_progress": "portal/icons/clock.svg",
    DONE: "portal/icons/check.svg",
    "cancelled": "portal/icons/close.svg",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the page shows. A chart without data is None."""

    figures: tuple[Figure, ...]
    created: BarChart | None
    by_status: Split | None
    by_priority: Split | None


def present_overview(summary: Mapping[str, Any], *, total: int | None, locale: str) -> Overview:
    """The figures of `GET /operations/summary`.

    :param total: the list's own total, for a backend without a summary.
    """
    known_total = integer(summary, "total")
    counts = _counts(summary, "byStatus")
    figures = [
        Figure(
            label=_("Work orders"),
            value=number_text(total if known_total is None else known_total, locale=locale),
            route="work-orders",
            icon=_ICON,
        ),
        *(
            Figure(
                label=badge.label,
                value=number_text(counts[code], locale=locale),
                icon=_STATUS_ICONS.get(code, _ICON),
            )
            for code, badge in STATUSES.items()
            if code in counts
        ),
    ]
    return Overview(
        figures=tuple(figures),
        created=_created_by_month(summary, locale=locale),
        by_status=_split(counts, known=STATUSES, locale=locale),
        by_priority=_split(_counts(summary, "unfinishedByPriority"), known=PRIORITIES, locale=locale),
    )


def _counts(summary: Mapping[str, Any], name: str) -> dict[str, int]:
    counts = summary.get(name)
    return {code: integer(counts, code) or 0 for code in counts} if isinstance(counts, dict) else {}


def _split(counts: Mapping[str, int], *, known: Mapping[str, Badge], locale: str) -> Split | None:
    if not counts:
        return None
    badges = {code: badge_for(code=code, known=known) for code in {**known, **counts} if code in counts}
    parts = [(badge.label, badge.tone, counts[code]) for code, badge in badges.items()]
    return split(parts, count_text=lambda value: number_text(value, locale=locale))


def _created_by_month(summary: Mapping[str, Any], *, locale: str) -> BarChart | None:
    points = [
        Point(
            label=month_text(text(month, "month")),
            value=integer(month, "created") or 0,
            text=number_text(integer(month, "created") or 0, locale=locale),
        )
        for month in records(summary, "byMonth")
    ]
    return bar_chart(points, axis_text=lambda value: number_text(value, locale=locale)) if points else None
