"""`/login` on a platform app: users sign in at the gateway (contract, section 5, "Routes")."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from portal.config.current import portal_config
from portal.config.limits import NEXT_MAX_CHARS
from portal.edge import accept_target
from portal.web.frame import shell_for

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest


@require_safe
def login_redirect(request: PortalRequest) -> HttpResponse:
    """Redirect to the gateway's sign-in page, with `next` as an absolute URL if it is a page of ours."""
    config = portal_config()
    target = accept_target(request.GET.get("next"), own_origin=config.own_origin, origins=config.origins.values())
    if target is not None and target.startswith("/"):
        target = config.own_origin + target
    login_url = shell_for(request).login_url
    if target is None or len(target) > NEXT_MAX_CHARS:
        return redirect(login_url)
    return redirect(f"{login_url}?next={quote(target, safe='')}")
