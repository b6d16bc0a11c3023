"""Login attempts, each kept in the browser as a short, signed cookie of its own.

A callback is accepted only from the browser that started the attempt, and only once: its `state` must have a cookie.
Several tabs may sign in at the same time.
"""

import secrets
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import Final

from django.core import signing
from django.http import HttpRequest, HttpResponse

from portal.config.current import portal_config
from portal.web.preferences import set_cookie

#: An attempt ends after this time, seconds.
ATTEMPT_MAX_AGE_S: Final = 10 * 60
#: Attempts that one browser may have at a time. Their cookies must fit into a request.
MAX_ATTEMPTS: Final = 4
_SALT: Final = "portal_oidc.attempt"
_BYTES: Final = 32
_NAME_CHARS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginAttempt:
    """The values that an attempt needs when the browser comes back.

    :param state: the attempt's name in the address of the callback.
    :param nonce: the ID token must repeat it.
    :param verifier: proves to the token endpoint that this portal asked for the code (PKCE).
    :param wanted: the `next` of the sign-in page, unchecked.
    :param locale: the language of that page.
    """

    state: str
    nonce: str
    verifier: str
    wanted: str
    locale: str


_NAMES: Final = tuple(one.name for one in fields(LoginAttempt))


def new_login_attempt(*, wanted: str, locale: str) -> LoginAttempt:
    """An attempt with random values."""
    return LoginAttempt(
        state=secrets.token_urlsafe(_BYTES),
        nonce=secrets.token_urlsafe(_BYTES),
        verifier=secrets.token_urlsafe(_BYTES),
        wanted=wanted,
        locale=locale,
    )


def set_attempt_cookie(response: HttpResponse, attempt: LoginAttempt) -> None:
    """Store the attempt in the browser."""
    name, value = _cookie_name(attempt.state), signing.dumps(asdict(attempt), salt=_SALT)
    # The provider sends the browser back with a top-level GET, which carries a Lax cookie.
    set_cookie(response, name, value, max_age=ATTEMPT_MAX_AGE_S, is_own=True)


def find_login_attempt(request: HttpRequest) -> LoginAttempt | None:
    """The attempt that the callback's `state` names; None if this browser has none, or a forged or an old one."""
    state = request.GET.get("state", "")
    attempt = _read(request.COOKIES.get(_cookie_name(state), ""))
    # As bytes: `state` is what somebody wrote into an address, and may have any characters.
    is_ours = attempt is not None and secrets.compare_digest(attempt.state.encode(), _encoded(state))
    return attempt if is_ours else None


def delete_attempt_cookie(response: HttpResponse, attempt: LoginAttempt) -> None:
    """Delete the cookie of an attempt that has ended, with a sign-in or without."""
    response.delete_cookie(_cookie_name(attempt.state), samesite="Lax")


def delete_stale_attempts(request: HttpRequest, response: HttpResponse, *, keep: int = MAX_ATTEMPTS) -> None:
    """Delete the cookies of attempts that are too old, and of all others but the newest `keep`."""
    names = [name for name in request.COOKIES if name.startswith(_prefix())]
    valid = [name for name in names if _read(request.COOKIES[name]) is not None]
    # By the time when each was signed.
    valid.sort(key=lambda name: signing.b62_decode(request.COOKIES[name].split(":")[-2]), reverse=True)
    for name in names:
        if name not in valid[:keep]:
            response.delete_cookie(name, samesite="Lax")


def _read(cookie: str) -> LoginAttempt | None:
    try:
        stored = signing.loads(cookie, salt=_SALT, max_age=ATTEMPT_MAX_AGE_S)
    except (signing.BadSignature, ValueError):
        return None
    # Another release may have signed it: what that one knows beside these values is ignored.
    values = {name: stored.get(name) for name in _NAMES} if isinstance(stored, dict) else {}
    known = {name: value for name, value in values.items() if isinstance(value, str)}
    return LoginAttempt(**known) if len(known) == len(_NAMES) else None


def _prefix() -> str:
    return f"{'__Host-' if portal_config().secure else ''}oidc_"


def _cookie_name(state: str) -> str:
    return _prefix() + sha256(_encoded(state)).hexdigest()[:_NAME_CHARS]


def _encoded(state: str) -> bytes:
    return state.encode("utf-8", "surrogatepass")
