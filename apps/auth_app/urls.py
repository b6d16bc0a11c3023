"""The gateway's URLs."""

from __future__ import annotations

from portal_gateway.urls import gateway_patterns

handler400 = "portal.web.errors.failure_pages.bad_request"
handler403 = "portal.web.errors.failure_pages.permission_denied"
handler404 = "portal.web.errors.failure_pages.page_not_found"
handler500 = "portal.web.errors.failure_pages.server_error"

urlpatterns = gateway_patterns()
