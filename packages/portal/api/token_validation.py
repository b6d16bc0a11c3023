"""Whether issued tokens fit into cookies, whose size browsers limit, and into headers. Pure.

Checked wherever tokens come in, so that no later step can fail because of their characters or size.
"""

import re
from enum import Enum
from http.cookies import SimpleCookie
from typing import Final

from portal.api.tokens import TokenPair
from portal.config.cookies import MAX_COOKIE_BYTES, VAR_ACCESS_TOKEN, VAR_REFRESH_TOKEN
from portal.errors import ApiMalformedError

#: What a cookie's value may hold (RFC 6265, section 4.1.1): visible ASCII without quotes, comma, semicolon and
#: backslash. A header carries all of it, and every bearer token is made of it (`b64token`, RFC 6750, section 2.1).
_SENDABLE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")


class TokenProblem(Enum):
    """What is wrong with a token."""

    UNSENDABLE = "no cookie and no header carries it"
    TOO_LARGE = "browsers would drop its cookie without a word"


class UnusableTokenError(ApiMalformedError):
    """A sign-in or a refresh brought a token that can't be kept; holds nothing of the token.

    :param says: for the operator; names the cookie that the token would have become.
    """

    def __init__(self, problem: TokenProblem, says: str) -> None:
        super().__init__(f"Signing in is not possible: {says}.")
        self.problem = problem
        self.says = says


def validate_issued_tokens(pair: TokenPair) -> UnusableTokenError | None:
    """Why the first token of the pair that can't be kept is none; None where both can be kept, or are missing."""
    for name, token in ((VAR_ACCESS_TOKEN, pair.access), (VAR_REFRESH_TOKEN, pair.refresh)):
        if token is None:
            continue
        if _SENDABLE.fullmatch(token) is None:
            says = f"the token for {name} has characters that no cookie and no header can carry"
            return UnusableTokenError(TokenProblem.UNSENDABLE, says)
        if (size := cookie_bytes(name, token)) > MAX_COOKIE_BYTES:
            says = f"the {name} cookie would take {size} bytes, and browsers keep {MAX_COOKIE_BYTES} at most"
            return UnusableTokenError(TokenProblem.TOO_LARGE, says)
    return None


def cookie_bytes(name: str, value: str) -> int:
    """Size of a cookie with its name, as it is sent."""
    _, coded = SimpleCookie().value_encode(value)
    return len(name.encode()) + len(coded.encode())
