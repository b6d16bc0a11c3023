"""Work orders: list, create, show, complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.operations.forms import WorkOrderForm
from apps.operations.presenters.work_orders import present_work_order
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING
from portal.services.operations.work_orders import WorkOrder, WorkOrderMutations, WorkOrderQueries, WorkOrderStatus
from portal.web.pages import AGE_SORTS, ListPageConfig, form_page, see_other, submission_key
from portal.web.present import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

WORK_ORDERS = ListPageConfig(
    title=gettext_lazy("Work orders"),
    search_hint=gettext_lazy("Title, person or station"),
    sorts=AGE_SORTS
    | {SORT_BY_NAME: gettext_lazy("Title, A to Z"), SORT_BY_NAME_DESCENDING: gettext_lazy("Title, Z to A")},
    present=present_work_order,
    template="operations/work_orders/list.html",
)


@require_safe
def work_order_list(request: HttpRequest) -> HttpResponse:
    """The list: the first page, or the page that the URL's cursor names."""
    return WORK_ORDERS.respond(request, WorkOrderQueries.use_get_work_orders_query)


@require_http_methods(["GET", "HEAD", "POST"])
def work_order_new(request: HttpRequest) -> HttpResponse:
    """An empty form; POST creates the work order, which then stands at the top of the list."""
    form = WorkOrderForm(request.POST or None)
    if form.is_valid():
        create = WorkOrderMutations.use_create_work_order_mutation(request, idempotency_key=submission_key(request))
        result = create.mutate(body=form.body())
        if result.is_success:
            messages.success(request, _("%(title)s was created.") % {"title": form.cleaned_data["title"]})
            return see_other("work-orders")
        form.show_backend_error(result)
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
    """Mark the work order as done."""
    complete = WorkOrderMutations.use_update_work_order_mutation(request)
    complete.mutate(body=WorkOrder.partial(status=WorkOrderStatus.DONE), params={"id": work_order_id}).unwrap()
    messages.success(request, _("The work order is done."))
    return see_other("work-order", work_order_id)
