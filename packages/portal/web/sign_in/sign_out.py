"""The sign-out flow, the same in every application."""

from typing import Final

from django.http import HttpResponse

from portal.api import NO_TOKENS, identity_provider, sign_out
from portal.config.current import portal_config
from portal.errors import ApiAbsentError, ApiError, ApiNotFoundError, ApiUnauthorizedError, ApiUnavailableError
from portal.query import MutationResult
from portal.services import RowParams
from portal.services.iam.sign_ins import SignInMutations
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, AuditFields, Reason
from portal.web.cookies import end_drafts
from portal.web.frame import SIGNED_OUT_PATH
from portal.web.request import PortalRequest, active_locale
from portal.web.submissions import see_other

#: Characters of a sign-in's id that the audit log keeps: it comes from the address.
MAX_ID_CHARS: Final = 64


def end_sign_in(request: PortalRequest, sign_in_id: str) -> MutationResult[None]:
    """End one sign-in at the backend, and purge all that is cached for the user, in all processes.

    So the next request of each of the user's browsers asks the backend, which refuses the sign-in that has ended. The
    other browsers notice nothing.
    """
    result = SignInMutations.use_end_sign_in_mutation(request).mutate(params=RowParams(id=sign_in_id))
    if not isinstance(result.error, ApiUnauthorizedError):
        # Also after another failure: the backend may have ended it.
        request.query_client.purge_user()
    fields: AuditFields = {"other_sign_in": sign_in_id[:MAX_ID_CHARS]}
    if result.is_success:
        # The backend took the access token.
        fields["user_verified"] = True
    audit.write(AuditEvent.SIGN_OUT_OTHER, _reason_of(result.error), **fields)
    return result


def _reason_of(error: ApiError | None) -> Reason | None:
    match error:
        case None:
            return None
        case ApiNotFoundError() if not isinstance(error, ApiAbsentError):
            return Reason.ALREADY_ENDED
        case ApiUnavailableError():
            return Reason.BACKEND_UNAVAILABLE
        case _:
            return Reason.UNEXPECTED_ANSWER


def sign_out_response(request: PortalRequest, *, everywhere: bool = False) -> HttpResponse:
    """End the sign-in at the backend (best effort) and here, purge its cached data, and go to the signed-out page.

    If an OpenID provider signed the user in, the provider's sign-out page comes between. Its way back is the signed-out
    page without a locale, so one address is registered at the provider.

    :param everywhere: the user's other sign-ins have ended too, and the page says so.
    """
    gateway, provider = portal_config().gateway_url, identity_provider()
    # Before the tokens are cleared.
    tokens, back = request.token_store.current, gateway + SIGNED_OUT_PATH
    at_provider = provider.sign_out_url(tokens, return_to=back) if provider else None
    query_client = request.query_client
    # The tombstones first: after the purge no token of this sign-in opens a cache.
    verified = query_client.is_accepted() or _is_verified(request)
    ended = sign_out(request.token_store, verified=verified, request_id=request.request_id)
    query_client.purge(also=[pair.access for pair in ended.pairs])
    if tokens != NO_TOKENS:
        event = AuditEvent.SIGN_OUT_EVERYWHERE if everywhere else AuditEvent.SIGN_OUT
        reason = None if ended.is_marked else Reason.STORE_UNAVAILABLE
        audit.write(event, reason, user_verified=verified, sign_in=ended.sign_in)
    response = see_other(
        at_provider or f"{gateway}/{active_locale()}{SIGNED_OUT_PATH}{'?everywhere' if everywhere else ''}"
    )
    end_drafts(response)
    response["Clear-Site-Data"] = '"cache"'
    return response


def _is_verified(request: PortalRequest) -> bool:
    """Whether the access token carries a signature that was checked."""
    return portal_config().verification.enabled and request.edge_user.user is not None
