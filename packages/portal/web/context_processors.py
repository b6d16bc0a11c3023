"""The variables of every template: `shell`, the frame; `essentials`, the user, or None for the placeholder."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from portal.web.frame import shell_for, use_app_essentials

if TYPE_CHECKING:
    from portal.web.request import PortalRequest


def essentials(request: PortalRequest) -> dict[str, Any]:
    """The `EssentialsProvider` of the requirements. A template that uses neither variable makes neither."""
    return {
        "shell": SimpleLazyObject(partial(shell_for, request)),
        "essentials": SimpleLazyObject(partial(use_app_essentials, request)),
    }
