"""One try to sign in at the provider, kept in the browser: a short, signed cookie for each.

What comes back from the provider is believed only by the browser that set out, and only once: its `state` has to
have a cookie. Several tabs may try at the same time, so each attempt has a cookie of its own.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from django.core import signing

from portal.config.current import portal_config

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

#: Who has not come back from the provider by then starts again, seconds.
ATTEMPT_MAX_AGE_S: Final = 10 * 60
#: Attempts that a browser may have under way; the cookies of a request have to stay small.
MAX_ATTEMPTS: Final = 4
_SALT: Final = "portal.oidc.attempt"
_BYTES: Final = 32
_NAME_CHARS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one attempt must remember until the browser comes back.

    :param state: names it in the address of the callback.
    :param nonce: the ID token must repeat it.
    :param verifier: proves to the token endpoint that the code was asked for here (PKCE).
    :param wanted: the `next` with which the sign-in began, not judged yet.
    :param locale: the language of the page where it began.
    """

    state: str
    nonce: str
    verifier: str
    wanted: str
    locale: str


def new_attempt(*, wanted: str, locale: str) -> Attempt:
    """An attempt that nobody can guess."""
    return Attempt(
        state=secrets.token_urlsafe(_BYTES),
        nonce=secrets.token_urlsafe(_BYTES),
        verifier=secrets.token_urlsafe(_BYTES),
        wanted=wanted,
        locale=locale,
    )


def keep_attempt(response: HttpResponse, attempt: Attempt) -> None:
    """Set the attempt's cookie."""
    response.set_cookie(
        _cookie_name(attempt.state),
        signing.dumps(asdict(attempt), salt=_SALT),
        max_age=ATTEMPT_MAX_AGE_S,
        path="/",
        secure=portal_config().secure,
        httponly=True,
        # The provider sends the browser back with a top-level GET, which carries it.
        samesite="Lax",
    )


def find_attempt(request: HttpRequest, *, state: str) -> Attempt | None:
    """The attempt that this browser began under this state; None for a wrong, forged or late one."""
    attempt = _read(request.COOKIES.get(_cookie_name(state), ""))
    return attempt if attempt is not None and secrets.compare_digest(attempt.state, state) else None


def forget_attempt(response: HttpResponse, *, state: str) -> None:
    """Remove the cookie of an attempt that came to its end, good or bad."""
    _remove(response, _cookie_name(state))


def forget_stale_attempts(request: HttpRequest, response: HttpResponse, *, keep: int = MAX_ATTEMPTS) -> None:
    """Remove the cookies of attempts that can't come to anything any more, and all but the latest `keep`.

    For answers to a browser whose shared cookies are gone: what is left of its attempts is of no use there.
    """
    names = [name for name in request.COOKIES if name.startswith(_prefix())]
    alive = [name for name in names if _read(request.COOKIES[name]) is not None]
    # The signature begins where the time of signing ends, so a later cookie is a later attempt.
    alive.sort(key=lambda name: _signed_at(request.COOKIES[name]), reverse=True)
    for name in names:
        if name not in alive[:keep]:
            _remove(response, name)


def _read(cookie: str) -> Attempt | None:
    try:
        return Attempt(**signing.loads(cookie, salt=_SALT, max_age=ATTEMPT_MAX_AGE_S))
    except (signing.BadSignature, TypeError, ValueError):
        return None


def _signed_at(cookie: str) -> int:
    """When a cookie that :func:`_read` accepts was signed, in seconds."""
    return signing.b62_decode(cookie.split(":")[-2])


def _prefix() -> str:
    return f"{'__Host-' if portal_config().secure else ''}oidc_"


def _cookie_name(state: str) -> str:
    return _prefix() + sha256(state.encode("utf-8", "surrogatepass")).hexdigest()[:_NAME_CHARS]


def _remove(response: HttpResponse, name: str) -> None:
    response.delete_cookie(name, path="/", samesite="Lax")
    if portal_config().secure:
        response.cookies[name]["secure"] = True
