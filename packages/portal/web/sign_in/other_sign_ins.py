"""Ending another sign-in of the same user, so that it is out at its next request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from portal.errors import ApiAbsentError, ApiNotFoundError, ApiUnavailableError
from portal.services import RowParams
from portal.services.iam.sign_ins import SignInMutations
from portal.telemetry import audit
from portal.telemetry.audit import AuditEvent, AuditFields, Reason

if TYPE_CHECKING:
    from portal.errors import ApiError
    from portal.query import MutationResult
    from portal.web.request import PortalRequest

#: Characters of a sign-in's id that the audit log keeps: it comes from the address.
MAX_ID_CHARS: Final = 64


def end_sign_in(request: PortalRequest, sign_in_id: str) -> MutationResult[None]:
    """End one sign-in at the backend, and purge all that is cached for the user, in all processes.

    The purge also takes which tokens belong to the user. So every browser of the user has to prove its token with its
    next request, and the backend refuses that of the sign-in that has ended. The other browsers notice nothing.
    """
    result = SignInMutations.use_end_sign_in_mutation(request).mutate(params=RowParams(id=sign_in_id))
    # Also after a failure: the backend may have ended it.
    request.query_client.purge()
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
