"""GET /{locale}/essentials: the content of the placeholder, for a page that was served while `/me` failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from portal.errors import ApiUnavailableError
from portal.services.user import UserQueries
from portal.web.errors import problem, redirect_htmx_to_login, render_failure
from portal.web.frame import use_app_essentials
from portal.web.request import is_signed_in

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest


@require_safe
def essentials(request: PortalRequest) -> HttpResponse:
    """The user's part of the shell, as a fragment of a page.

    401 without a sign-in, or if the backend rejects it; 503 while the backend does not answer.
    """
    if request.edge_user.unverifiable:
        raise ApiUnavailableError("the keys of tokens are not at hand")
    if not is_signed_in(request):
        return redirect_htmx_to_login(request, problem(request, status=401, title=_("Please sign in again")))
    if use_app_essentials(request) is None:
        # The request has its own cache: this reads the error again without a second call.
        reason = UserQueries.use_get_me_query(request).error
        return render_failure(request, reason or ApiUnavailableError())
    return render(request, "portal/parts/essentials.html")
