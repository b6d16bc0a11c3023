"""GET /sign-in-state: whether this browser is signed in, and as whom, for the watch in every tab."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import JsonResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from portal.api.session import api_session
from portal.api.tokens import SignInStatus
from portal.errors import ApiUnavailableError
from portal.web.frame.account_tag import account_mark
from portal.web.oidc.sign_ins import has_ended_at_provider
from portal.web.request import facts_of, tokens_of

if TYPE_CHECKING:
    from django.http import HttpRequest


@csrf_exempt
@require_safe
@cache_control(private=True, no_store=True)
def sign_in_state(request: HttpRequest) -> JsonResponse:
    """`{"signedIn", "account"}` from the cookies and the store: nothing is refreshed, the backend is not asked.

    Where the sign-in was signed out, or an OpenID provider has ended it, it is over here too, and its cookies go.
    """
    facts = facts_of(request)
    if facts.unverifiable:
        raise ApiUnavailableError("the keys of tokens are not at hand")
    if facts.signed_in and (_was_signed_out(request) or has_ended_at_provider(request)):
        tokens_of(request).clear()
        return JsonResponse({"signedIn": False, "account": None})
    return JsonResponse({"signedIn": facts.signed_in, "account": account_mark(facts)})


def _was_signed_out(request: HttpRequest) -> bool:
    status = api_session().refresher.sign_in_status(tokens_of(request).current)
    return status is SignInStatus.SIGNED_OUT
