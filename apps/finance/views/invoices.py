"""Invoices: list and detail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.finance.presenters.invoices import present_invoice
from portal.config.wire_names import SORT_BY_NAME, SORT_BY_NAME_DESCENDING
from portal.services.finance.invoices import HIGHEST_AMOUNT_FIRST, InvoiceQueries
from portal.web.pages import AGE_SORTS, ListPageConfig
from portal.web.present import record_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

INVOICES = ListPageConfig(
    title=_("Invoices"),
    search_hint=_("Number or client"),
    sorts=AGE_SORTS
    | {
        SORT_BY_NAME: _("Number, ascending"),
        SORT_BY_NAME_DESCENDING: _("Number, descending"),
        HIGHEST_AMOUNT_FIRST: _("Highest amount first"),
    },
    present=present_invoice,
    template="finance/invoices/list.html",
)


@require_safe
def invoice_list(request: HttpRequest) -> HttpResponse:
    """The list: the first page, or the page that the URL's cursor names."""
    return INVOICES.respond(request, InvoiceQueries.use_get_invoices_query)


@require_safe
def invoice_detail(request: HttpRequest, invoice_id: str) -> HttpResponse:
    """One invoice with its lines."""
    record = record_of(InvoiceQueries.use_get_invoice_query(request, {"id": invoice_id}))
    return render(request, "finance/invoices/detail.html", {"invoice": present_invoice(record)})
