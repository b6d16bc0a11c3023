"""The web layer as a Django app: Django finds its templates, static files, tags and translations by their folder."""

from __future__ import annotations

from django.apps import AppConfig
from django.core.signals import request_finished

from portal.audit import audited_request
from portal.config.log_lines import log_context


class PortalWebConfig(AppConfig):
    """Lets go of a request at its end."""

    name = "portal.web"
    label = "portal_web"

    def ready(self) -> None:
        """See :func:`forget_request`."""
        request_finished.connect(forget_request)


def forget_request(**_: object) -> None:
    """Lines that this thread writes from now on belong to no request.

    Otherwise an idle thread keeps its last request: cookies, tokens, the rows of its page.
    """
    log_context.set(None)
    audited_request.set(None)
