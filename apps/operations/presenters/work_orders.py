"""A work order as the pages show it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.config.wire_names import CREATED_AT_FIELD, ID_FIELD
from portal.web.present import Badge, badge_for, datetime_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

DONE: Final = "done"
STATUSES: Final = {
    "open": Badge(label=_("Open"), tone="info"),
    "in_progress": Badge(label=_("In progress"), tone="warn"),
    DONE: Badge(label=_("Done"), tone="good"),
    "cancelled": Badge(label=_("Cancelled")),
}
PRIORITIES: Final = {
    "low": Badge(label=_("Low")),
    "normal": Badge(label=_("Normal"), tone="info"),
    "high": Badge(label=_("High"), tone="warn"),
    "urgent": Badge(label=_("Urgent"), tone="bad"),
}
_FINISHED: Final = frozenset({DONE, "cancelled"})


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkOrderView:
    """One work order. `assignee` and the station are empty if there is none."""

    id: str
    title: str
    station_id: str
    station_name: str
    assignee: str
    priority: Badge
    status: Badge
    can_complete: bool
    created_at: datetime | None
    completed_at: datetime | None


def present_work_order(record: Mapping[str, Any]) -> WorkOrderView:
    """Present a record of `/operations/work-orders`."""
    text = texts_of(record)
    status = text["status"]
    return WorkOrderView(
        id=text[ID_FIELD],
        title=text["title"] or text[ID_FIELD],
        station_id=text["stationId"],
        station_name=text["stationName"] or text["stationId"],
        assignee=text["assignee"],
        priority=badge_for(code=text["priority"], known=PRIORITIES),
        status=badge_for(code=status, known=STATUSES),
        can_complete=status not in _FINISHED,
        created_at=datetime_of(record, CREATED_AT_FIELD),
        completed_at=datetime_of(record, "completedAt"),
    )
