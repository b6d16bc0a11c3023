"""An invoice as a PDF."""

import re
from dataclasses import replace
from typing import Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from apps.finance.views.invoices import STATUSES
from portal.services.finance.invoices import InvoiceQueries
from portal.web import PortalRequest
from portal.web.errors import RETRY_AFTER_S, Failure, failure_response
from portal.web.present import badge_for
from portal_pages import platform_page

MAX_FILE_NAME_CHARS: Final = 80
_NOT_IN_FILE_NAMES: Final = re.compile(r"[^\w.-]+")
_BUSY: Final = Failure(
    status=503,
    title=_("Too many PDFs are being made just now"),
    text=_("Please try again in a moment, or print the invoice’s own page: it shows the same."),
    offers_retry=True,
    retry_after=RETRY_AFTER_S,
)


@require_safe
def invoice_as_pdf(request: PortalRequest, row_id: str) -> HttpResponse:
    """The PDF, which the browser shows under the invoice's number; a page where others are being made for long."""
    invoice = InvoiceQueries.use_get_invoice_query(request, id=row_id).unwrap()
    from apps.finance.invoice_pdf import (  # noqa: PLC0415  its library is large, and no other page needs it
        TooManyPdfsError,
        invoice_pdf,
    )

    status = str(badge_for(code=invoice.status, known=STATUSES).label)
    try:
        response = HttpResponse(invoice_pdf(invoice, status=status), content_type="application/pdf")
    except TooManyPdfsError:
        return failure_response(request, replace(_BUSY, list_url=reverse("invoices")))
    name = _NOT_IN_FILE_NAMES.sub("-", str(invoice)).strip("-.")[:MAX_FILE_NAME_CHARS]
    disposition = content_disposition_header(as_attachment=False, filename=f"{name or 'invoice'}.pdf")
    response["Content-Disposition"] = str(disposition)
    return response


invoice_pdf_page = platform_page(
    "finance/invoices/<row:row_id>/pdf", invoice_as_pdf, name="invoice-pdf", part_of="invoices"
)
