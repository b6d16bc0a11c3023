"""The variables of every template.

=============  =======================================================================================================
`shell`        the frame
`essentials`   the user, or None for the placeholder
`sidebar`      the app's entries, and the user
`messages`     what the last form led to; a page that goes through them has shown them
`csrf_input`   the hidden input of a form; the same in all forms of a page
=============  =======================================================================================================
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from django.utils.functional import SimpleLazyObject
from markupsafe import Markup

from portal.query import gaps_mark
from portal.web.csrf import CsrfInput
from portal.web.frame import known_essentials, shell_for, use_app_essentials
from portal.web.request import view_is_absent
from portal.web.submissions import ShownToasts
from portal.web.templating import part_cache, render_part

if TYPE_CHECKING:
    from portal.web.frame import Shell
    from portal.web.request import PortalRequest

_ACCOUNT: Final = "portal/parts/essentials.html"


def essentials(request: PortalRequest) -> dict[str, Any]:
    """The `EssentialsProvider` of the requirements, and what forms need.

    A template that does not use `essentials` reads no profile; one that does not use `csrf_input` sets no cookie.
    """
    shell = shell_for(request)
    return {
        "shell": shell,
        # Most pages have read the profile already. Each look at an attribute of a lazy object takes five times as long.
        "essentials": known_essentials(request)
        or (SimpleLazyObject(partial(use_app_essentials, request)) if shell.signed_in else None),
        "sidebar": Sidebar(request, shell),
        "messages": ShownToasts(request),
        "csrf_input": CsrfInput(request),
    }


class Sidebar:
    """The parts of the sidebar that are the same on most pages of a user, kept for the next page."""

    def __init__(self, request: PortalRequest, shell: Shell) -> None:
        self._request = request
        self._shell = shell

    @property
    def navigation(self) -> Markup:
        """The app's entries, as its `navigation.html` has them."""
        return self._parts[0]

    @property
    def account(self) -> Markup:
        """The user, and the platforms that the user may open; or a placeholder, which the browser fills."""
        return self._parts[1]

    @cached_property
    def _parts(self) -> tuple[Markup, ...]:
        request, user = self._request, use_app_essentials(self._request)
        # The placeholder names the whole address of the page.
        shell = self._shell if user is None else self._shell.part()

        has_navigation = self._shell.has_navigation

        def make() -> tuple[Markup, ...]:
            given = {"shell": shell, "essentials": user, "is_absent": lambda view: view_is_absent(view, request)}
            navigation = render_part(f"{self._shell.app}/navigation.html", given) if has_navigation else Markup()
            return navigation, render_part(_ACCOUNT, given)

        key = None if user is None else ("sidebar", shell, has_navigation, user, gaps_mark(request))
        return part_cache.kept(make, key=key)
