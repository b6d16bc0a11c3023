"""What all pages have in common: the profile's last word on the platform, and that nobody keeps a copy."""

from __future__ import annotations

from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse

from portal.errors import ApiForbiddenError, PortalError
from portal.web.cookies.platforms_cookie import mirror_platforms
from portal.web.errors.failure_pages import another_account, method_refused, offer_list, render_failure
from portal.web.frame.account_tag import is_for_another_account
from portal.web.frame.essentials import platform_is_denied, start_essentials
from portal.web.navigation import lead_home
from portal.web.pages.privacy import keep_private

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse

    #: A view: a request and what its address names, to a response.
    View = Callable[..., HttpResponse]

_READING: Final = frozenset({"GET", "HEAD"})


def page(route: str, view: View, *, name: str, part_of: str = "") -> URLPattern:
    """A private page of a platform.

    :param part_of: name of the list that the page's record stands in: its 404 page leads there.

    `/me` is authoritative: if it denies the platform of the page, the page is a 403 in the shell, and nothing that the
    view has read is shown. It never redirects, so the edge and the backend may disagree without a loop (contract,
    section 5). Where it has to be asked and the view only reads, both ask at the same time; else the view does not run
    before `/me` has answered.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        is_asked_meanwhile = request.method in _READING and start_essentials(request)
        if not is_asked_meanwhile and platform_is_denied(request):
            return _denied(request)
        if part_of:
            offer_list(request, reverse(part_of))
        try:
            response = view(request, *args, **kwargs)
        except PortalError:
            if is_asked_meanwhile and platform_is_denied(request):
                return _denied(request)
            raise
        return _denied(request) if is_asked_meanwhile and platform_is_denied(request) else response

    return open_page(route, guarded, name=name)


def _denied(request: HttpRequest) -> HttpResponse:
    return lead_home(request, render_failure(request, ApiForbiddenError(status=403)))


def open_page(route: str, view: View, *, name: str) -> URLPattern:
    """A page that needs no platform: the gateway's, and the neutral ones.

    No view runs for what a page of another account sent.
    """
    answering = says_what_it_takes(view)

    @wraps(view)
    def kept_private(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if is_for_another_account(request):
            return another_account(request)
        response = answering(request, *args, **kwargs)
        mirror_platforms(request, response)
        return keep_private(response)

    return path(route, kept_private, name=name)


def says_what_it_takes(view: View) -> View:
    """The same view with a page of its own where Django's decorators leave a 405 without a word."""

    @wraps(view)
    def answering(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        return method_refused(request, allow=response["Allow"])

    return answering


def see_other(url: str, *args: object) -> HttpResponse:
    """303: after a form was sent, the browser gets a page with GET, and a reload sends nothing again."""
    response = redirect(url, *args)
    response.status_code = 303
    return response
