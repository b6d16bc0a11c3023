"""The gateway's addresses."""

from __future__ import annotations

from django.urls import path

from apps.auth_app.views.login import login
from apps.auth_app.views.oidc import backchannel_logout, from_provider, to_provider
from apps.auth_app.views.profile import profile, revoke, revoke_all
from apps.auth_app.views.signed_out import signed_out
from portal.web.pages.guards import open_page, says_what_it_takes
from portal.web.urls import portal_patterns

handler400 = "portal.web.errors.failure_pages.bad_request"
handler403 = "portal.web.errors.failure_pages.permission_denied"
handler404 = "portal.web.errors.failure_pages.page_not_found"
handler500 = "portal.web.errors.failure_pages.server_error"

urlpatterns = [
    path("login/oidc/callback", from_provider, name="oidc-callback"),
    path("oidc/backchannel-logout", says_what_it_takes(backchannel_logout), name="oidc-backchannel-logout"),
    *portal_patterns(
        pages=[
            open_page("login", login, name="login"),
            open_page("login/oidc", to_provider, name="oidc"),
            open_page("signed-out", signed_out, name="signed-out"),
            open_page("profile", profile, name="profile"),
            open_page("profile/sign-ins/revoke", revoke_all, name="revoke-all"),
            open_page("profile/sign-ins/<str:sign_in_id>/revoke", revoke, name="revoke"),
        ]
    ),
]
