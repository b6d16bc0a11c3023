"""The operations app's URLs (contract, section 6)."""

from apps.operations.views.overview import overview
from apps.operations.views.work_orders import work_order_pages
from portal.web.urls import HANDLERS
from portal_pages import platform_page
from portal_pages.urls import platform_patterns

handler400, handler403, handler404, handler500 = HANDLERS
urlpatterns = platform_patterns(
    pages=[
        platform_page("operations", overview, name="home"),
        *work_order_pages,
    ]
)
