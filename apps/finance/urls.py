"""The finance app's URLs (contract, section 6)."""

from apps.finance.views.invoice_pdf import invoice_pdf_page
from apps.finance.views.invoices import invoice_pages
from apps.finance.views.overview import overview
from portal.web.urls import HANDLERS
from portal_pages import platform_page
from portal_pages.urls import platform_patterns

handler400, handler403, handler404, handler500 = HANDLERS
urlpatterns = platform_patterns(
    pages=[
        platform_page("finance", overview, name="home"),
        *invoice_pages,
        invoice_pdf_page,
    ]
)
