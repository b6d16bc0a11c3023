"""The gateway's URLs."""

from portal.web.urls import HANDLERS
from portal_gateway.urls import gateway_patterns

handler400, handler403, handler404, handler500 = HANDLERS
urlpatterns = gateway_patterns()
