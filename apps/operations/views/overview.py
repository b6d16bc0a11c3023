"""The overview: what needs somebody now, the figures of a period, and the latest work orders."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, time
from itertools import islice
from typing import Any, Final, cast

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.operations.views.work_order_forms import PRIORITIES
from apps.operations.views.work_orders import STATUSES, UNFINISHED, mine_by_id
from portal.services.operations.summary import AgeSpan, OperationsSummary, OperationsSummaryQueries
from portal.services.operations.work_orders import WorkOrder, WorkOrderQueries
from portal.web import PortalRequest
from portal.web.present import (
    Badge,
    Need,
    NeedLink,
    day_text,
    is_not_there,
    needs_of,
    number_text,
    oldest_as_of,
    part_if_answered,
)
from portal_pages import Figure, PeriodChoice, list_url, read_overview, rows_by, short_list
from portal_pages.figures import SplitBar, StatTile, split_bar

#: Work orders of each kind that the overview names.
NAMED: Final = 5
#: How old unfinished work orders are, the youngest first, as the summary has them.
AGES: Final = {
    "7": Badge(label=_("up to 7 days"), tone="good"),
    "30": Badge(label=_("8 to 30 days"), tone="info"),
    "90": Badge(label=_("31 to 90 days"), tone="warn"),
    "older": Badge(label=_("over 90 days"), tone="bad"),
}
CREATED: Final = Figure(
    label=_("Created"), name="created", counted=_("Work orders"), icon="plus", route="work-orders", days="createdAt"
)
FINISHED_ORDERS: Final = Figure(
    label=_("Finished"), name="completed", icon="check", route="work-orders", days="completedAt"
)


@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """What needs somebody now, the figures and the chart of a period, and the first rows of the list."""
    work_orders, own = WorkOrderQueries.use_get_work_orders_query, mine_by_id(cast("PortalRequest", request))
    read = read_overview(
        request,
        summary=OperationsSummaryQueries.use_get_summary_query,
        figures=(CREATED, FINISHED_ORDERS),
        period=PeriodChoice.of(request),
        beside=[work_orders.spec(each) for each in ({}, late_params(), own) if each is not None],
    )
    summary, (latest, late_orders, *own_orders) = read.summary, read.beside
    if summary == OperationsSummary() and not read.has_failed:
        latest.unwrap()
    return read.respond(
        request,
        "operations/overview.html",
        lambda: {
            "tiles": read.tiles or (_number(summary, part_if_answered(latest)),),
            "created": CREATED.chart(summary, period=read.period, months=summary.by_month),
            "by_status": rows_by("status", summary.by_status, badges=STATUSES, route="work-orders"),
            "by_priority": rows_by(
                "priority", summary.unfinished_by_priority, badges=PRIORITIES, route="work-orders", status=UNFINISHED
            ),
            "needs": needs_of(
                [*yours(own or {}, *map(part_if_answered, own_orders)), late(summary, part_if_answered(late_orders))],
                has_failed=read.has_failed,
            ),
            "by_age": age_bar(summary),
            "latest": None if is_not_there(latest) else short_list(request, "work-orders", latest, title=_("Latest")),
            "as_of": oldest_as_of(latest) if read.as_of is None else read.as_of,
        },
    )


def _number(summary: OperationsSummary, page: Any) -> StatTile:
    """How many work orders there are."""
    total = summary.total if page is None or summary.total is not None else page.total
    return StatTile(label=_("Work orders"), value=number_text(total), route="work-orders", icon="work-orders")


def age_bar(summary: OperationsSummary) -> SplitBar | None:
    """Unfinished work orders by the time since they were created."""
    ages = dict(zip(AGES, summary.unfinished_by_age, strict=False))

    def href(age: str) -> str:
        return list_url(
            "work-orders", status=UNFINISHED, createdAtFrom=ages[age].from_day, createdAtTo=ages[age].to_day
        )

    return split_bar({age: span.count for age, span in ages.items()}, badges=AGES, href=href)


def late_params() -> dict[str, object]:
    """The parameters of the list of late work orders, the one that is late for longest first."""
    today = timezone.localdate()
    midnight = datetime.combine(today, time(), tzinfo=timezone.get_current_timezone())
    return {"status": UNFINISHED, "dueAtTo": midnight.astimezone(UTC), "sort": "dueAt"}


def yours(params: Mapping[str, Any], *pages: Any) -> Iterator[Need]:
    """What the user has to do, and what of it is due first. Orders of others are nobody's own."""
    for page in pages:
        if page and not page.ignored and {each.assignee_id for each in page.items} <= {*params["assigneeId"]}:
            yield Need(
                label=ngettext("work order is yours", "work orders are yours", page.total or 0),
                count=page.total,
                href=list_url("work-orders", **params),
                tone="info",
                icon="work-orders",
                links=_named(page.items),
            )


def late(summary: OperationsSummary, page: Any) -> Need:
    """Unfinished work orders that were due before today, and the first of them.

    :param page: of a list that was not narrowed to them, the first rows are not those that are late for longest.
    """
    found = summary.late or AgeSpan()
    return Need(
        label=ngettext("late work order", "late work orders", found.count or 0),
        count=found.count,
        href=list_url("work-orders", status=UNFINISHED, dueAtTo=found.to_day, sort="dueAt"),
        links=_named(page.items) if page and not page.ignored else (),
    )


def _named(orders: Iterable[WorkOrder]) -> tuple[NeedLink, ...]:
    return tuple(
        NeedLink(
            label=str(order),
            route="work-order",
            row_id=order.id,
            text=gettext("due %(day)s") % {"day": day_text(order.due_at)} if order.due_at else "",
        )
        for order in islice(orders, NAMED)
    )
