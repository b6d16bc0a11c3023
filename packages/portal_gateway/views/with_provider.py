"""Views that exist only if an OpenID provider is configured, and views that exist only without one."""

from collections.abc import Callable
from functools import update_wrapper, wraps

from django.http import HttpResponse

from portal.config.current import portal_config
from portal.web import PortalRequest
from portal.web.errors import page_not_found

View = Callable[[PortalRequest], HttpResponse]


def with_provider(name: str, *, otherwise: View = page_not_found) -> View:
    """The view `name` of `views.oidc` if there is a provider, else `otherwise`, and `views.oidc` is never imported."""

    def view(request: PortalRequest) -> HttpResponse:
        if not portal_config().oidc.enabled:
            return otherwise(request)
        from portal_gateway.views import oidc  # noqa: PLC0415  nothing of OpenID is loaded without a provider

        chosen: View = getattr(oidc, name)
        return chosen(request)

    # `explain_route` prints the name of the view.
    if otherwise is not page_not_found:
        return update_wrapper(view, otherwise)
    view.__module__, view.__qualname__ = "portal_gateway.views.oidc", name
    return view


def only_where(is_offered: Callable[[], bool]) -> Callable[[View], View]:
    """Makes a view no page (404) where it is not offered."""

    def guard(view: View) -> View:
        @wraps(view)
        def offered(request: PortalRequest) -> HttpResponse:
            return view(request) if is_offered() else page_not_found(request)

        return offered

    return guard
