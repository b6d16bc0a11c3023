"""The variables of every template.

=============  =======================================================================================================
`shell`        the frame
`essentials`   the user, or None for the placeholder
`messages`     what the last form led to; a page that goes through them has shown them
`csrf_input`   the hidden input of a form; the same in all forms of a page
=============  =======================================================================================================
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from portal.web.csrf import CsrfInput
from portal.web.frame import known_essentials, shell_for, use_app_essentials
from portal.web.submissions import ShownToasts

if TYPE_CHECKING:
    from portal.web.request import PortalRequest


def essentials(request: PortalRequest) -> dict[str, Any]:
    """The `EssentialsProvider` of the requirements, and what forms need.

    A template that does not use `essentials` reads no profile; one that does not use `csrf_input` sets no cookie.
    """
    return {
        "shell": shell_for(request),
        # Most pages have read the profile already. Each look at an attribute of a lazy object takes five times as long.
        "essentials": known_essentials(request) or SimpleLazyObject(partial(use_app_essentials, request)),
        "messages": ShownToasts(request),
        "csrf_input": CsrfInput(request),
    }
