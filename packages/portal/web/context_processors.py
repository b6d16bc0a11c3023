"""What every template can use: `shell` (the frame) and `essentials` (the user, or nothing: the placeholder)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from portal.web.frame.essentials import profile_denies, use_app_essentials
from portal.web.frame.shell import shell_for

if TYPE_CHECKING:
    from portal.web.request import PortalRequest


def essentials(request: PortalRequest) -> dict[str, Any]:
    """The result of `/me`, for all templates of the page (requirements, "Private application shell").

    Both are lazy: a fragment that shows neither asks for neither.
    """
    return {
        "shell": SimpleLazyObject(lambda: shell_for(request, profile_denies=profile_denies(request))),
        "essentials": SimpleLazyObject(lambda: use_app_essentials(request)),
    }
