"""The gateway's URLs."""

from __future__ import annotations

from portal.web.urls import handler400, handler403, handler404, handler500  # noqa: F401  Django asks for them
from portal_gateway.urls import gateway_patterns

urlpatterns = gateway_patterns()
