"""The sign-out flow, the same in every application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.api.sign_in import sign_out as end_sign_in
from portal.config.current import portal_config
from portal.web.frame.shell import SIGNED_OUT_PATH, active_locale
from portal.web.oidc.provider_sign_out import provider_sign_out_url
from portal.web.pages import see_other

if TYPE_CHECKING:
    from django.http import HttpResponse

    from portal.web.request import PortalRequest


def sign_out(request: PortalRequest) -> HttpResponse:
    """End the sign-in at the backend (best effort) and here, drop its cached data, and go to the gateway's page.

    Where an OpenID provider signed the user in, by way of its own sign-out page.
    """
    at_provider = provider_sign_out_url(request)
    query_client = request.query_client
    # The tombstones first: no token of this sign-in proves itself anew after the purge.
    genuine = query_client.is_proven or _is_verified(request)
    ended = end_sign_in(request.token_store, genuine=genuine, request_id=request.request_id)
    query_client.purge(also=[pair.access for pair in ended])
    response = see_other(at_provider or f"{portal_config().gateway_url}/{active_locale()}{SIGNED_OUT_PATH}")
    response["Clear-Site-Data"] = '"cache"'
    return response


def _is_verified(request: PortalRequest) -> bool:
    """Whether the access token carries a signature that was checked."""
    return portal_config().verification.enabled and request.edge_user.user is not None
