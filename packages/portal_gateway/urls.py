"""The gateway's URLs."""

from collections.abc import Sequence

from django.urls import URLPattern, URLResolver, path
from django.views.decorators.csrf import csrf_exempt

from portal.web.guards import neutral_page, with_405_page
from portal_gateway.views.accounts import account_pages
from portal_gateway.views.forgotten_password import forgot, reset
from portal_gateway.views.login import login
from portal_gateway.views.preferences import save_preferences
from portal_gateway.views.profile import profile, rename
from portal_gateway.views.sign_ins import revoke, revoke_all, revoke_others
from portal_gateway.views.signed_out import signed_out
from portal_gateway.views.with_provider import with_provider
from portal_pages.urls import portal_patterns


def gateway_patterns(*, pages: Sequence[URLPattern] = ()) -> list[URLPattern | URLResolver]:
    """All URLs of the gateway.

    :param pages: pages of the product's own; their URLs begin with the locale.
    :raises portal.errors.UsageError: two pages have one route, or one name and as many values.
    """
    return [
        path("login/oidc/callback", with_provider("callback"), name="oidc-callback"),
        path(
            "oidc/backchannel-logout",
            # The provider calls, not a browser. The token that it sends is signed.
            csrf_exempt(with_405_page(with_provider("backchannel_logout"))),
            name="oidc-backchannel-logout",
        ),
        *portal_patterns(
            pages=[
                neutral_page("login", with_provider("login", otherwise=login), name="login"),
                neutral_page("login/forgot", forgot, name="forgot-password"),
                neutral_page("login/reset", reset, name="reset-password"),
                neutral_page("login/oidc", with_provider("start"), name="oidc"),
                neutral_page("signed-out", with_provider("signed_out", otherwise=signed_out), name="signed-out"),
                neutral_page("profile", profile, name="profile"),
                neutral_page("profile/name", rename, name="rename"),
                neutral_page("profile/preferences", save_preferences, name="preferences"),
                neutral_page("profile/sign-ins/revoke", revoke_all, name="revoke-all"),
                neutral_page("profile/sign-ins/revoke-others", revoke_others, name="revoke-others"),
                neutral_page("profile/sign-ins/<str:sign_in_id>/revoke", revoke, name="revoke"),
                *account_pages,
                *pages,
            ]
        ),
    ]
