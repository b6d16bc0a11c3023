"""The entries of the sidebar, as the pages of the app declare them, and whether a page is offered to a user."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from django.urls import URLResolver, get_resolver

from portal.config.current import portal_config
from portal.web.frame.essentials import page_is_denied
from portal.web.present import LazyText
from portal.web.request import PortalRequest, view_is_absent

#: Attributes of views: the entry that leads to the page, and the permission that the page needs beside the platform.
NAVIGATION: Final = "_portal_navigation"
PERMISSION: Final = "_portal_permission"


@dataclass(frozen=True, slots=True, kw_only=True)
class NavigationEntry:
    """One entry of the sidebar.

    :param route: name of the page's URL.
    :param key: opens the page after `g`.
    :param create: name of the URL of the page that creates an entry; empty for none.
    :param create_label: what the palette calls that page.
    :param views: gives the views of a list, which the palette offers; those that are pinned have an entry.
    """

    route: str
    label: LazyText
    key: str = ""
    create: str = ""
    create_label: LazyText = ""
    views: Callable[[PortalRequest, str], Sequence[Any]] | None = None


def navigation_entries() -> tuple[NavigationEntry, ...]:
    """Those that the app's pages declare, in the order of its URLs. A request that the edge rejects has other URLs."""
    return _entries_of(get_resolver(f"apps.{portal_config().project.app}.urls"))


@lru_cache(maxsize=64)
def _entries_of(resolver: URLResolver) -> tuple[NavigationEntry, ...]:
    return tuple(_entries_in(resolver))


def _entries_in(resolver: URLResolver) -> Iterator[NavigationEntry]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from _entries_in(pattern)
        elif (entry := getattr(pattern.callback, NAVIGATION, None)) is not None:
            yield entry


def is_not_offered(view: Callable[..., Any], request: PortalRequest) -> bool:
    """Whether nothing may lead this user to the page of a view: it has nothing behind it, or is denied."""
    return view_is_absent(view) or is_denied(view, request)


def is_denied(view: Callable[..., Any], request: PortalRequest) -> bool:
    """Whether this user lacks the permission that the page of a view needs beside the platform."""
    permission: str = getattr(view, PERMISSION, "")
    return bool(permission) and page_is_denied(request, permission)
