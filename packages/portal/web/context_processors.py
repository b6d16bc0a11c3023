"""The variables of every template, and pages that are rendered once for all requests that show the same.

==================  ===================================================================================================
`shell`             the frame
`essentials`        the user, or None for the placeholder
`sidebar`           the app's entries, and the user
`messages`          what the last form led to; a page that goes through them has shown them
`csrf_input`        the hidden input of a form; the same in all forms of a page
`submission_input`  that of a form that is done once, however often it arrives; each form has another
==================  ===================================================================================================
"""

import re
import secrets
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import Any, Final

from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.shortcuts import render
from django.template.backends.utils import csrf_input
from django.utils.functional import SimpleLazyObject, cached_property
from markupsafe import Markup

from portal.web.frame import Shell, is_not_offered, known_essentials, navigation_entries, shell_for, use_app_essentials
from portal.web.request import PortalRequest
from portal.web.submissions import SUBMISSION_HOLE, ShownToasts, SubmissionInput
from portal.web.templating import own_or_default, part_cache, render_part

#: Stands for the hidden input in a page that is kept. Nobody else can write it.
CSRF_HOLE: Final = Markup("<!--%s-->") % secrets.token_hex(16)
_SUBMISSION_HOLE: Final = SUBMISSION_HOLE.encode()
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
        "csrf_input": SimpleLazyObject(partial(csrf_input, request)),
        "submission_input": SubmissionInput(),
    }


class Sidebar:
    """The parts of the sidebar that are the same on most pages of a user, kept for the next page."""

    def __init__(self, request: PortalRequest, shell: Shell) -> None:
        self._request = request
        self._shell = shell

    @property
    def navigation(self) -> Markup:
        """The app's entries: as its `navigation.html` has them, else as its pages declare them."""
        return self._parts[0]

    @property
    def account(self) -> Markup:
        """The user, and the platforms that the user may open; or a placeholder, which the browser fills."""
        return self._parts[1]

    @cached_property  # without a lock: it may wait for the backend
    def _parts(self) -> tuple[Markup, ...]:
        request, user = self._request, use_app_essentials(self._request)
        # The placeholder names the whole address of the page.
        shell = self._shell if user is None else self._shell.part()

        has_navigation = self._shell.has_navigation

        def make() -> tuple[Markup, ...]:
            given: dict[str, Any] = {"shell": shell, "essentials": user}
            given["is_absent"] = lambda view: is_not_offered(view, request)
            template = own_or_default(f"{self._shell.app}/navigation.html", "portal/parts/navigation.html")
            given["entries"] = entries = navigation_entries()
            given["views"] = {each.route: each.views(request, each.route) for each in entries if each.views}
            navigation = render_part(template, given) if has_navigation else Markup()
            return navigation, render_part(_ACCOUNT, given)

        depends = (self._shell.time_zone, self._shell.saved_views)
        key = None if user is None else ("sidebar", shell, has_navigation, user, *depends)
        return part_cache.kept(make, key=key)


def render_kept(
    request: PortalRequest,
    template: str,
    variables: Callable[[], Mapping[str, Any]],
    *,
    key: tuple[Hashable, ...] | None,
    is_fragment: bool = False,
) -> HttpResponse:
    """What Django's `render` gives, rendered once while this process keeps it. The tokens of forms are new.

    A page with a message is rendered by itself.

    :param variables: makes all that the template has beside `shell`, `essentials` and `sidebar`, if need be. It has no
        `request`.
    :param key: as of :meth:`~portal.web.templating.kept_parts.PartCache.kept`; the address, the user and what else
        the frame shows are a part of it.
    :param is_fragment: it shows no messages, so it must not take them either.
    """
    if key is None or (not is_fragment and any(get_messages(request))):
        return render(request, template, dict(variables()))
    shell, user = shell_for(request), use_app_essentials(request)

    def make() -> tuple[bytes, ...]:
        frame = {"shell": shell, "essentials": user, "sidebar": Sidebar(request, shell)}
        holes = {"csrf_input": CSRF_HOLE, "submission_input": SUBMISSION_HOLE}
        page = render_part(template, {**variables(), **frame, "messages": (), **holes})
        return tuple(part.encode() for part in str.split(page, CSRF_HOLE))

    parts = part_cache.kept(make, key=(template, shell, user, *key))
    page = parts[0] if len(parts) == 1 else csrf_input(request).encode().join(parts)
    if _SUBMISSION_HOLE in page:
        page = re.sub(_SUBMISSION_HOLE, lambda _: SubmissionInput().__html__().encode(), page)
    return HttpResponse(page)
