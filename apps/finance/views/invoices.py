"""Invoices: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.finance.presenters.invoices import present_invoice
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING, SORT_NEWEST_FIRST, SORT_OLDEST_FIRST
from portal.services.finance.invoices import HIGHEST_AMOUNT_FIRST, InvoiceQueries, InvoicesListParams
from portal.web.pages.list_pages import ListView
from portal.web.present.results import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

INVOICES = ListView(
    title=_("Invoices"),
    search_hint=_("Number or client"),
    template="finance/invoices/list.html",
    table_template="finance/invoices/table.html",
    sorts={
        SORT_NEWEST_FIRST: _("Newest first"),
        SORT_OLDEST_FIRST: _("Oldest first"),
        SORT_BY_NAME: _("Number, ascending"),
        SORT_BY_NAME_DESCENDING: _("Number, descending"),
        HIGHEST_AMOUNT_FIRST: _("Highest amount first"),
    },
    present=present_invoice,
)


@require_safe
def invoice_list(request: HttpRequest) -> HttpResponse:
    """The list, or with a cursor one further page of it."""
    controls = INVOICES.controls(request)
    params = InvoicesListParams(q=controls.q or None, sort=controls.sort or None)
    result = InvoiceQueries.use_get_invoices_query(request, params, cursor=controls.cursor or None)
    return INVOICES.render(request, controls=controls, result=result)


@require_safe
def invoice_detail(request: HttpRequest, invoice_id: str) -> HttpResponse:
    """One invoice with its lines."""
    record = record_of(InvoiceQueries.use_get_invoice_query(request, {"id": invoice_id}))
    return render(request, "finance/invoices/detail.html", {"invoice": present_invoice(record)})
