"""The operations app's addresses (contract, section 6)."""

from __future__ import annotations

from apps.operations.views.overview import overview
from apps.operations.views.work_orders import (
    work_order_complete,
    work_order_detail,
    work_order_list,
    work_order_new,
)
from portal.web.pages import neutral_page, platform_page
from portal.web.urls import portal_patterns
from portal.web.views.login_redirect import login_redirect

handler400 = "portal.web.errors.failure_pages.bad_request"
handler403 = "portal.web.errors.failure_pages.permission_denied"
handler404 = "portal.web.errors.failure_pages.page_not_found"
handler500 = "portal.web.errors.failure_pages.server_error"

urlpatterns = portal_patterns(
    pages=[
        neutral_page("login", login_redirect, name="login"),
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
