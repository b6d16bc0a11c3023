"""The sign-out flow, the same in every application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.api.sign_in import sign_out as end_sign_in
from portal.config.current import portal_config
from portal.web.frame.shell import SIGNED_OUT_PATH, active_locale
from portal.web.oidc.provider_sign_out import provider_sign_out_url
from portal.web.pages import see_other
from portal.web.request import facts_of, query_client_of, request_id_of, tokens_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


def sign_out(request: HttpRequest) -> HttpResponse:
    """End the sign-in at the backend (best effort) and here, drop its cached data, and go to the gateway's page.

    Where an OpenID provider signed the user in, by way of its own sign-out page.
    """
    at_provider = provider_sign_out_url(request)
    query_client = query_client_of(request)
    # The tombstones first: no token of this sign-in proves itself anew after the purge.
    genuine = query_client.is_proven or _is_verified(request)
    ended = end_sign_in(tokens_of(request), genuine=genuine, request_id=request_id_of(request))
    query_client.purge(also=[pair.access for pair in ended])
    response = see_other(at_provider or f"{portal_config().gateway_url}/{active_locale()}{SIGNED_OUT_PATH}")
    response["Clear-Site-Data"] = '"cache"'
    return response


def _is_verified(request: HttpRequest) -> bool:
    """Whether the access token carries a signature that was checked."""
    return portal_config().verification.enabled and facts_of(request).user is not None
