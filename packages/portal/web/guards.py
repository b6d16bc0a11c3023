"""Guards around views: the profile decides about the platform, no cache keeps a page, and a 405 has a page."""

from collections.abc import Callable
from contextlib import ExitStack
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse
from django.urls import URLPattern, path
from django.utils.cache import patch_cache_control

from portal.errors import ApiAbsentError, ApiForbiddenError, PortalError
from portal.query import Endpoint, offers
from portal.web.errors import another_account, method_refused, redirect_htmx, render_failure
from portal.web.frame import PERMISSION, is_from_another_account, page_is_denied, start_essentials
from portal.web.request import SAFE_METHODS, SHOWS, PortalRequest

#: A view: takes a request and the values of its URL, returns a response.
View = Callable[..., HttpResponse]


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
    :param shows: the call without which there is no such page: where it is not offered, nothing leads there.
    """

    @wraps(view)
    def guarded(request: PortalRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        runs_beside_profile = request.method in SAFE_METHODS and start_essentials(request)
        if not runs_beside_profile and page_is_denied(request, permission):
            return _denied(request)
        request.list_name = part_of
        try:
            if shows is not None and not offers(shows):
                raise ApiAbsentError
            response = view(request, *args, **kwargs)
        except PortalError:
            if runs_beside_profile and page_is_denied(request, permission):
                return _denied(request)
            raise
        with ExitStack() as unsent:
            # What the page holds open, such as the place of a file, ends with it.
            unsent.callback(response.close)
            if runs_beside_profile:
                if page_is_denied(request, permission):
                    return _denied(request)
                # The view may have read with a token that the profile's refresh has replaced by another user's.
                request.query_client.check_one_user()
            unsent.pop_all()
        return response

    if permission:
        setattr(guarded, PERMISSION, permission)
    if shows is not None:
        setattr(guarded, SHOWS, shows)
    return neutral_page(route, guarded, name=name)


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
