"""Pages that are rendered once for all requests that show the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.shortcuts import render

from portal.web.context_processors import Sidebar
from portal.web.csrf import CSRF_HOLE, CsrfInput
from portal.web.frame import shell_for, use_app_essentials
from portal.web.submissions import ShownToasts
from portal.web.templating import part_cache, render_part

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from portal.web.request import PortalRequest


def render_kept(
    request: PortalRequest,
    template: str,
    variables: Callable[[], Mapping[str, Any]],
    *,
    key: tuple[Hashable, ...] | None,
    is_fragment: bool = False,
) -> HttpResponse:
    """What Django's `render` gives, rendered once while this process keeps it. The CSRF token is this request's own.

    A page with a message is rendered by itself.

    :param variables: makes all that the template has beside `shell`, `essentials` and `sidebar`, if need be. It has no
        `request`.
    :param key: as of :meth:`~portal.web.templating.kept_parts.PartCache.kept`; the address, the user and what else
        the frame shows are a part of it.
    :param is_fragment: it shows no messages, so it must not take them either.
    """
    if key is None or (not is_fragment and any(ShownToasts(request))):
        return render(request, template, dict(variables()))
    shell, user = shell_for(request), use_app_essentials(request)

    def make() -> tuple[bytes, ...]:
        frame = {"shell": shell, "essentials": user, "sidebar": Sidebar(request, shell)}
        page = render_part(template, {**variables(), **frame, "messages": (), "csrf_input": CSRF_HOLE})
        return tuple(part.encode() for part in str.split(page, CSRF_HOLE))

    parts = part_cache.kept(make, key=(template, shell, user, *key))
    return HttpResponse(parts[0] if len(parts) == 1 else str(CsrfInput(request).__html__()).encode().join(parts))
