"""GET /{locale}/essentials: the content of the placeholder, for a page whose server could not reach `/me`."""

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
    """The user's part of the shell as a fragment; 401 when signed out, else the status of a `/me` that failed.

    So 401 where the backend rejects the sign-in, and 503 while it does not answer.
    """
    if request.edge_user.unverifiable:
        raise ApiUnavailableError("the keys of tokens are not at hand")
    if not is_signed_in(request):
        return redirect_htmx_to_login(request, problem(request, status=401, title=_("Please sign in again")))
    if use_app_essentials(request) is None:
        # The request has asked already, and remembers what came of it: nobody is asked again.
        reason = UserQueries.use_get_me_query(request).error
        return render_failure(request, reason or ApiUnavailableError())
    return render(request, "portal/parts/essentials.html")
