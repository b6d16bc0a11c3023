"""The account tag: a short id of the signed-in account that does not reveal the account.

A page carries the tag of the account that it was rendered for, in its forms and for htmx. The sign-in watch compares
the tag with the one of `/sign-in-state`, and log lines carry it as `user`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from portal.config.current import portal_config
from portal.identity import get_user_from_token
from portal.telemetry.audit import tag_of

if TYPE_CHECKING:
    from portal.api import TokenStore
    from portal.edge import EdgeUser
    from portal.identity import DecodedUser
    from portal.web.request import PortalRequest

#: Where a request names the account of the page that sent it: a form's hidden field, and htmx's header.
PAGE_ACCOUNT_FIELD: Final = "madeFor"
PAGE_ACCOUNT_META: Final = "HTTP_X_MADE_FOR"


def account_tag_of(edge_user: EdgeUser | None) -> str | None:
    """A truncated SHA-256 of the signed-in user's subject; None where the subject is unknown (contract, section 6)."""
    return None if edge_user is None or not edge_user.signed_in else _tag_of(edge_user.user)


def account_tag_now(request: PortalRequest) -> str | None:
    """The tag of the account for which this request ends: that of a sign-in or a refresh within it, else as it began.

    None if nobody is signed in, or the subject is unknown.
    """
    tokens: TokenStore | None = getattr(request, "token_store", None)
    if tokens is not None and tokens.cleared:
        return None
    if tokens is not None and tokens.changed:
        # The backend has just sent it: no signature has to be checked.
        return _tag_of(get_user_from_token(tokens.current.access or "", backend=portal_config().backend))
    return account_tag_of(getattr(request, "edge_user", None))


def _tag_of(user: DecodedUser | None) -> str | None:
    if user is None or not user.subject:
        return None
    return tag_of(user.subject)


def is_from_another_account(request: PortalRequest) -> bool:
    """Whether the page that sent this request was rendered for another account than the one signed in now.

    Another tab can sign out and in again while a page stays open. False where one of the two accounts is unknown:
    the page sent no tag, or there is no access token.
    """
    field = request.POST.get(PAGE_ACCOUNT_FIELD) if request.method == "POST" else None
    page_account = field or request.META.get(PAGE_ACCOUNT_META)
    if not page_account:
        return False
    return account_tag_of(request.edge_user) not in {None, page_account}
