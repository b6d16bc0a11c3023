"""Pages that are the same for all who ask for them while they are not signed in, such as an empty sign-in form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.shortcuts import render

from portal.web.csrf import CSRF_HOLE, with_csrf_input
from portal.web.frame import shell_for
from portal.web.submissions import ShownToasts
from portal.web.templating import kept_parts

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from portal.web.request import PortalRequest


def render_kept(request: PortalRequest, template: str, variables: Mapping[str, Hashable]) -> HttpResponse:
    """What Django's `render` gives, rendered once while this process keeps it. The CSRF token is this request's own.

    The page for a user, and one with a message, are rendered each time.

    :param variables: all that the template has beside `shell`, and no `request`.
    """
    shell = shell_for(request)
    if shell.signed_in or any(ShownToasts(request)):
        return render(request, template, dict(variables))
    given = {**variables, "shell": shell, "essentials": None, "messages": (), "csrf_input": CSRF_HOLE}
    key = (shell, *variables.items())
    [page] = kept_parts(template, lambda: [(template, given)], locale=shell.locale, key=key)
    return HttpResponse(with_csrf_input(page, request))
