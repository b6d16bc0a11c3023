"""Work orders: list, create, show, complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.operations.forms import WorkOrderForm
from apps.operations.presenters.work_orders import DONE, present_work_order
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.services.operations.work_orders import (
    WorkOrderCreateReq,
    WorkOrderMutations,
    WorkOrderQueries,
    WorkOrdersListParams,
)
from portal.web.pages.form_pages import form_page, refused, submission_key
from portal.web.pages.guards import see_other
from portal.web.pages.list_pages import ListView
from portal.web.present.results import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

WORK_ORDERS = ListView(
    title=gettext_lazy("Work orders"),
    search_hint=gettext_lazy("Title, person or station"),
    template="operations/work_orders/list.html",
    table_template="operations/work_orders/table.html",
    sorts={
        SORT_NEWEST_FIRST: gettext_lazy("Newest first"),
        SORT_OLDEST_FIRST: gettext_lazy("Oldest first"),
        SORT_BY_NAME: gettext_lazy("Title, A to Z"),
        SORT_BY_NAME_DESCENDING: gettext_lazy("Title, Z to A"),
    },
    present=present_work_order,
)


@require_safe
def work_order_list(request: HttpRequest) -> HttpResponse:
    """The list, or with a cursor one further page of it."""
    controls = WORK_ORDERS.controls(request)
    params = WorkOrdersListParams(q=controls.q or None, sort=controls.sort or None)
    result = WorkOrderQueries.use_get_work_orders_query(request, params, cursor=controls.cursor or None)
    return WORK_ORDERS.render(request, controls=controls, result=result)


@require_http_methods(["GET", "HEAD", "POST"])
def work_order_new(request: HttpRequest) -> HttpResponse:
    """An empty form; POST creates the work order, which then stands at the top of the list."""
    form = WorkOrderForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        body = cast("WorkOrderCreateReq", form.body())
        key = submission_key(request)
        result = WorkOrderMutations.use_create_work_order_mutation(request, idempotency_key=key).mutate(body=body)
        if result.is_success:
            messages.success(request, _("%(title)s was created.") % {"title": body["title"]})
            return see_other("work-orders")
        refused(form, result)
    return form_page(
        request,
        form,
        title=_("New work order"),
        submit_label=_("Create work order"),
        back_url=reverse("work-orders"),
        back_label=_("Work orders"),
    )


@require_safe
def work_order_detail(request: HttpRequest, work_order_id: str) -> HttpResponse:
    """One work order."""
    record = record_of(WorkOrderQueries.use_get_work_order_query(request, {"id": work_order_id}))
    return render(request, "operations/work_orders/detail.html", {"work_order": present_work_order(record)})


@require_POST
def work_order_complete(request: HttpRequest, work_order_id: str) -> HttpResponse:
    """Mark it as done."""
    WorkOrderMutations.use_update_work_order_mutation(request).mutate(
        body={"status": DONE}, params={"id": work_order_id}
    ).unwrap()
    messages.success(request, _("The work order is done."))
    return see_other("work-order", work_order_id)
