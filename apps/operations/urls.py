"""The operations app's URLs (contract, section 6)."""

from __future__ import annotations

from apps.operations.views.overview import overview
from apps.operations.views.work_orders import (
    work_order_complete,
    work_order_detail,
    work_order_list,
    work_order_new,
)
from portal.web.pages import platform_page
from portal.web.urls import platform_patterns

handler400 = "portal.web.errors.failure_pages.bad_request"
handler403 = "portal.web.errors.failure_pages.permission_denied"
handler404 = "portal.web.errors.failure_pages.page_not_found"
handler500 = "portal.web.errors.failure_pages.server_error"

urlpatterns = platform_patterns(
    pages=[
        platform_page("operations", overview, name="home"),
        platform_page("operations/work-orders", work_order_list, name="work-orders"),
        platform_page("operations/work-orders/new", work_order_new, name="work-order-new"),
        platform_page(
            "operations/work-orders/<str:work_order_id>", work_order_detail, name="work-order", part_of="work-orders"
        ),
        platform_page(
            "operations/work-orders/<str:work_order_id>/complete",
            work_order_complete,
            name="work-order-complete",
            part_of="work-orders",
        ),
    ]
)
