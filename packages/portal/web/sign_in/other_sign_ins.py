"""Ending another sign-in of the same user, so that it is out at its next request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from portal.services import RowParams
from portal.services.iam.sign_ins import SignInMutations

if TYPE_CHECKING:
    from portal.query import MutationResult
    from portal.web.request import PortalRequest


def end_sign_in(request: PortalRequest, sign_in_id: str) -> MutationResult[None]:
    """End one sign-in at the backend, and purge all that is cached for the user, in all processes.

    The purge also takes which tokens belong to the user. So every browser of the user has to prove its token with its
    next request, and the backend refuses that of the sign-in that has ended. The other browsers notice nothing.
    """
    result = SignInMutations.use_end_sign_in_mutation(request).mutate(params=RowParams(id=sign_in_id))
    # Also after a failure: the backend may have ended it.
    request.query_client.purge()
    return result
