"""GET /sign-in-state: whether this browser is signed in, and the account tag, for the sign-in watch in every tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.api import SignInStatus, api_session, identity_provider
from portal.errors import ApiUnavailableError
from portal.web.frame import account_tag_of

if TYPE_CHECKING:
    from portal.web.request import PortalRequest


@csrf_exempt
@require_safe
@cache_control(private=True, no_store=True)
def sign_in_state(request: PortalRequest) -> JsonResponse:
    """`{"signedIn", "account"}` from the cookies and the store. Nothing is refreshed, and the backend is not called.

    If the sign-in was signed out, or an OpenID provider has ended it, the cookies are removed.
    """
    user = request.edge_user
    if user.unverifiable:
        raise ApiUnavailableError("the keys of tokens are not at hand")
    if user.signed_in and _has_ended(request):
        request.token_store.clear()
        return JsonResponse({"signedIn": False, "account": None})
    return JsonResponse({"signedIn": user.signed_in, "account": account_tag_of(user)})


def _has_ended(request: PortalRequest) -> bool:
    pair, provider = request.token_store.current, identity_provider()
    if api_session().refresher.sign_in_status(pair) is SignInStatus.SIGNED_OUT:
        return True
    return provider is not None and provider.has_ended(pair)
