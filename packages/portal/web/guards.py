"""Guards around views: the profile decides about the platform, no cache keeps a page, and a 405 has a page."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial, wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.shortcuts import redirect
from django.urls import URLPattern, path
from django.utils.cache import patch_cache_control

from portal.config.current import portal_config
from portal.edge import home_path
from portal.errors import ApiAbsentError, ApiForbiddenError, PortalError
from portal.query import is_absent, is_refused_now
from portal.web.errors import another_account, method_refused, offer_list, redirect_htmx, render_failure
from portal.web.frame import (
    PERMISSION,
    absent_platforms,
    ask_for_the_rest,
    is_from_another_account,
    open_platforms,
    page_is_denied,
    shell_for,
    start_essentials,
)
from portal.web.present import with_params
from portal.web.request import IS_ABSENT, active_locale

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    from portal.query import Endpoint
    from portal.web.request import PortalRequest

    #: A view: takes a request and the values of its URL, returns a response.
    View = Callable[..., HttpResponse]

#: Name of the URL of each platform's overview.
HOME: Final = "home"
#: Parameter of a home to which another platform's home has led: that platform's folder.
INSTEAD: Final = "instead"
_READING: Final = frozenset({"GET", "HEAD"})


def platform_page(
    route: str,
    view: View,
    *,
    name: str,
    part_of: str = "",
    permission: str = "",
    shows: Endpoint[Any] | None = None,
) -> URLPattern:
    """A page that only users of the platform may open, as `GET /me` says (contract, section 5).

    If `/me` denies the platform, the response is a 403 page, never a redirect: the edge, which reads the token, may
    disagree with `/me`, and a redirect could loop. A view that only reads runs while `/me` is being read; any other
    view runs after it.

    :param part_of: name of the list's URL, to which the failure page of the list or of a record links.
    :param permission: one that the page needs beside the platform, or in its place on the gateway, which has none.
    :param shows: the call without which there is no such page: where the backend lacks it, nothing leads there.
    """

    @wraps(view)
    def guarded(request: PortalRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        runs_beside_profile = request.method in _READING and start_essentials(request)
        if not runs_beside_profile and page_is_denied(request, permission):
            return _denied(request)
        if part_of:
            offer_list(request, part_of)
        try:
            response = view(request, *args, **kwargs)
        except PortalError as error:
            if runs_beside_profile and page_is_denied(request, permission):
                return _denied(request)
            if name == HOME and isinstance(error, ApiAbsentError):
                return redirect(_home_instead(request))
            raise
        with ExitStack() as unsent:
            # What the page holds open, such as the place of a file, ends with it.
            unsent.callback(response.close)
            if runs_beside_profile and page_is_denied(request, permission):
                return _denied(request)
            unsent.pop_all()
        return response

    if permission:
        setattr(guarded, PERMISSION, permission)
    if shows is not None:
        setattr(guarded, IS_ABSENT, partial(_has_nothing_of, shows))
    return neutral_page(route, guarded, name=name)


def _has_nothing_of(query: Endpoint[Any], request: HttpRequest | None) -> bool:
    """Whether the backend is known to lack the call, for all or for this user, whichever process has met that."""
    return is_absent(query, request) or (request is not None and is_refused_now(query, request))


def _home_instead(request: PortalRequest) -> str:
    """Where to go from the home of a platform that the backend has nothing of: the user's next home, else the profile.

    Who was sent here by another home goes to the profile, which never redirects: so nothing loops, whatever each app
    knows.
    """
    own = portal_config().project.platform
    if own is None:
        return shell_for(request).profile_url
    ask_for_the_rest(request, own)
    gone = absent_platforms() | {own.name}
    home = next((home_path(each) for each in open_platforms(request) if each not in gone), None)
    if home is None or INSTEAD in request.GET:
        return shell_for(request).profile_url
    return with_params(f"{portal_config().gateway_url}/{active_locale()}{home}", {INSTEAD: own.app})


def _denied(request: PortalRequest) -> HttpResponse:
    response = render_failure(request, ApiForbiddenError(status=403))
    return redirect_htmx(request, response, url=request.edge_user.home_url)


def neutral_page(route: str, view: View, *, name: str) -> URLPattern:
    """A page that needs no platform: a page of the gateway, or one that every app has.

    No cache keeps the response. A form of a page that was made for another account does not reach the view.
    """
    answering = with_405_page(view)

    @wraps(view)
    def private(request: PortalRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_from_another_account(request):
            return another_account(request)
        response = answering(request, *args, **kwargs)
        patch_cache_control(response, private=True, no_store=True)
        return response

    return path(route, private, name=name)


def with_405_page(view: View) -> View:
    """The view, with a page for the empty 405 of Django's decorators such as `require_safe`."""

    @wraps(view)
    def answering(request: PortalRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        response.close()
        return method_refused(request, allow=response["Allow"])

    return answering
