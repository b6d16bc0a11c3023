"""How a page and the sign-in watch name an account: alike for the same one, and saying nothing about it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from portal.edge.facts import UserFacts

#: Characters of the account's digest: enough to tell two accounts apart, too few to look one up.
ACCOUNT_CHARS: Final = 16


def account_mark(facts: UserFacts) -> str | None:
    """A truncated SHA-256 of the signed-in user's subject; None when it is unknown (contract, section 6)."""
    subject = facts.user.subject if facts.signed_in and facts.user else None
    return sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()[:ACCOUNT_CHARS] if subject else None
