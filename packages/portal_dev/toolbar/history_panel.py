"""The toolbar's history of requests, without what was sent: a sign-in form has a password.

With it the toolbar follows the requests of htmx: a form that was sent, a search, "load more".
"""

from debug_toolbar.panels import history
from django.http import HttpRequest, HttpResponse
from django.utils import timezone


class HistoryPanel(history.HistoryPanel):
    """The latest 25 requests of this process, to switch between. The toolbar finds it by this name."""

    def generate_stats(self, request: HttpRequest, response: HttpResponse) -> None:
        """Keep a request's address and status, and nothing of its body."""
        address, time = request.get_full_path(), timezone.now()
        stats = {"request_url": address, "request_method": request.method, "time": time}
        self.record_stats({**stats, "data": {}, "status_code": response.status_code})  # type: ignore[no-untyped-call]  # it has none


def is_from_htmx(request: HttpRequest) -> bool:
    """Whether the toolbar should show this request in place of the page's own."""
    return "HX-Request" in request.headers
