"""How a page, its forms and the sign-in watch name an account: alike for the same one, and saying nothing about it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from portal.web.request import facts_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.edge import EdgeUser

#: The hidden field of forms, and the header of what htmx asks for: the mark of the account that the page was made for.
MADE_FOR_FIELD: Final = "madeFor"
MADE_FOR_META: Final = "HTTP_X_MADE_FOR"
#: Characters of the account's digest: enough to tell two accounts apart, too few to look one up.
ACCOUNT_CHARS: Final = 16


def account_mark(facts: EdgeUser) -> str | None:
    """A truncated SHA-256 of the signed-in user's subject; None when it is unknown (contract, section 6)."""
    subject = facts.user.subject if facts.signed_in and facts.user else None
    return sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()[:ACCOUNT_CHARS] if subject else None


def is_for_another_account(request: HttpRequest) -> bool:
    """Whether this comes from a page that was made for somebody else than who is signed in now.

    Another tab can sign out and in again while a page stays open. Where one of the two is unknown (no mark was
    sent, or the sign-in is a refresh token alone), nothing speaks against it.
    """
    made_for = request.POST.get(MADE_FOR_FIELD) or request.META.get(MADE_FOR_META)
    current = account_mark(facts_of(request))
    return bool(made_for) and current is not None and made_for != current
