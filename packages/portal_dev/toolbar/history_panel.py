"""The toolbar's history of requests, without what was sent: a sign-in form has a password.

With it the toolbar follows the requests of htmx: a form that was sent, a search, "load more".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from debug_toolbar.panels import history

if TYPE_CHECKING:
    from django.http import HttpRequest


class HistoryPanel(history.HistoryPanel):
    """The latest 25 requests of this process, to switch between. The toolbar finds it by this name."""

    def record_stats(self, stats: dict[str, Any]) -> None:
        """Keep a request's address and status, and nothing of its body."""
        super().record_stats({**stats, "data": {}})  # type: ignore[no-untyped-call]  # it has none


def is_from_htmx(request: HttpRequest) -> bool:
    """Whether the toolbar should show this request in place of the page's own."""
    return "HX-Request" in request.headers
