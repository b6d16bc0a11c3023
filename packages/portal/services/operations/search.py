"""What the search over everything looks through."""

from typing import Final

from django.utils.translation import gettext_lazy as _

from portal.services.operations.work_orders import WorkOrderQueries
from portal.services.searched_lists import SearchedList

SEARCHED: Final = (
    SearchedList(
        hook=WorkOrderQueries.use_get_work_orders_query,
        path="work-orders",
        title=_("Work orders"),
        detail=lambda row: (row.station_name, row.assignee),
    ),
)
