"""What the search over everything looks through."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.finance.invoices import InvoiceQueries
from portal.services.searched_lists import SearchedList

SEARCHED: Final = (
    SearchedList(
        hook=InvoiceQueries.use_get_invoices_query,
        path="invoices",
        title=_("Invoices"),
        detail=lambda row: (row.client_name,),
    ),
)
