"""The CSRF token of a page's forms, which Django's `CsrfViewMiddleware` checks.

It is Django's own token, made of random bytes in bulk. Django draws a token's characters one by one and then searches
each in the alphabet: 30 µs for each form of a page, and 25 µs more for a browser without the cookie.
"""

from __future__ import annotations

import os
import secrets
from functools import cached_property
from operator import add
from typing import TYPE_CHECKING, Final

from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH
from markupsafe import Markup

if TYPE_CHECKING:
    from django.http import HttpRequest

CSRF_FIELD: Final = "csrfmiddlewaretoken"
_ALPHABET: Final = CSRF_ALLOWED_CHARS.encode()
#: Gives each byte a character; all characters stand in it equally often, but for the bytes of `_UNEVEN`.
_CHARACTERS: Final = bytes(_ALPHABET[byte % len(_ALPHABET)] for byte in range(256))
_UNEVEN: Final = bytes(range(256 - 256 % len(_ALPHABET), 256))
_PLACES: Final = bytes.maketrans(_ALPHABET, bytes(range(len(_ALPHABET))))
#: Random bytes for one text: one in 32 is left out, and some are to spare.
_DRAWN: Final = CSRF_SECRET_LENGTH + 8


class CsrfInput:
    """The hidden input of all forms of a page: `{{ csrf_input }}`. It is made when the first form shows it."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    def __html__(self) -> str:
        """The HTML, as a template that escapes all else writes it."""
        return self._html

    @cached_property
    def _html(self) -> str:
        return f'<input type="hidden" name="{CSRF_FIELD}" value="{csrf_token(self._request)}">'


#: Stands for the hidden input in a page that is kept. Nobody else can write it.
CSRF_HOLE: Final = Markup("<!--%s-->") % secrets.token_hex(16)


def csrf_token(request: HttpRequest) -> str:
    """What `django.middleware.csrf.get_token` gives: the secret of the browser's cookie, masked anew each time.

    The response sets the cookie, so that its lifetime begins again. The mask keeps the secret from who can read the
    length of compressed pages (BREACH).
    """
    # The two names are those by which Django's `get_token` and its middleware know each other.
    secret = request.META.get("CSRF_COOKIE")
    if secret is None:
        secret = request.META["CSRF_COOKIE"] = random_text().decode()
    request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
    mask = random_text()
    shifted = bytes(map(add, secret.encode().translate(_PLACES), mask.translate(_PLACES)))
    return (mask + shifted.translate(_CHARACTERS)).decode()


def random_text() -> bytes:
    """A mask or a secret: characters of Django's alphabet, each as likely as any other."""
    text = b""
    while len(text) < CSRF_SECRET_LENGTH:
        text += characters_of(os.urandom(_DRAWN))
    return text[:CSRF_SECRET_LENGTH]


def characters_of(drawn: bytes) -> bytes:
    """A character for each byte, without the bytes that would make some characters likelier than others."""
    return drawn.translate(_CHARACTERS, _UNEVEN)
