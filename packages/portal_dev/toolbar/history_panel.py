"""The toolbar's history of requests, without what was sent: a sign-in form has a password.

With it the toolbar follows the requests of htmx: a form that was sent, a search, "load more".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from debug_toolbar.panels import history
from django.utils import timezone

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class HistoryPanel(history.HistoryPanel):
    """The latest 25 requests of this process, to switch between. The toolbar finds it by this name."""

    def generate_stats(self, request: HttpRequest, response: HttpResponse) -> None:
        """Keep a request's address and status, and nothing of its body."""
        self.record_stats(  # type: ignore[no-untyped-call]  # the toolbar's own has no types
            {
                "request_url": request.get_full_path(),
                "request_method": request.method,
                "status_code": response.status_code,
                "data": {},
                "time": timezone.now(),
            }
        )


def is_from_htmx(request: HttpRequest) -> bool:
    """Whether the toolbar should show this request in place of the page's own."""
    return "HX-Request" in request.headers
