"""The portal's paths: their names, their locale, their encoding (contract, section 5).

A path here is decoded, as for the URL resolver, unless its name says otherwise.
"""

import re
from collections.abc import Collection
from typing import Final
from urllib.parse import quote

from portal.config.locales import LOCALES
from portal.config.platforms import PLATFORM_BY_NAME, TPlatform

LOGIN_PATH: Final = "/login"
PROFILE_PATH: Final = "/profile"

#: Below a locale. For signed-out visitors; a signed-in user is redirected home.
PUBLIC_PATHS: Final = (LOGIN_PATH,)
#: Below a locale. Open to all.
NEUTRAL_PATHS: Final = ("/logout", "/signed-out", "/essentials")
#: Without a locale, each with all paths below it. Not gated.
UNGATED_PATHS: Final = (
    "/static",
    "/healthz",
    "/readyz",
    "/metrics",
    "/favicon.ico",
    "/robots.txt",
    "/.well-known",
    "/sign-in-state",
    "/locale",
    "/login/oidc/callback",
    "/oidc/backchannel-logout",
)
#: Ungated too in `DEBUG`.
DEBUG_PATHS: Final = ("/__debug__",)

#: The characters that RFC 3986 allows unencoded in a path and in a query.
_SAFE_IN_PATH = "/:@!$&'()*+,;=-._~"
SAFE_IN_QUERY = _SAFE_IN_PATH + "?%[]"
#: Most paths need no encoding, and this check costs less than encoding them.
_PLAIN = re.compile(r"[A-Za-z0-9/._~-]*")
#: Control characters, backslashes and lone surrogates: no address contains them, and browsers drop or change some.
UNSAFE_CHARACTERS = re.compile("[\x00-\x1f\x7f-\x9f\\\\\ud800-\udfff]")
#: Ids that no address can name: empty, `.`, `..`, and those with a control character or a lone surrogate.
NO_SEGMENT = re.compile("\\.{0,2}\\Z|.*[\x00-\x1f\x7f-\x9f\ud800-\udfff]", re.DOTALL)
_DOT_SEGMENT = re.compile(r"(?:\A|/)\.\.?(?:/|\Z)")


def home_path(platform: TPlatform | None) -> str:
    """The path, without locale, of a platform's home page; the profile page for None."""
    known = PLATFORM_BY_NAME.get(platform) if platform else None
    return known.prefix if known else PROFILE_PATH


def is_malformed(path: str) -> bool:
    """Whether a path has a backslash, a control character, or a segment `.` or `..`."""
    if path.isprintable() and "\\" not in path and "." not in path:
        return False
    return bool(UNSAFE_CHARACTERS.search(path) or _DOT_SEGMENT.search(path))


def split_locale(path: str) -> tuple[str | None, str]:
    """A path's locale, and the rest: `/DE/energy` gives `("de", "/energy")`, `/en-US/x` has no locale.

    Slashes before the first segment are skipped.

    :returns: the locale in lower case, or None; the rest begins with a slash, or is empty.
    """
    first, slash, rest = path.lstrip("/").partition("/")
    if first in LOCALES:
        return first, slash + rest
    locale = first.lower()
    # Lower-casing can turn a letter outside ASCII into one inside it (the Kelvin sign becomes k).
    return (locale, slash + rest) if locale in LOCALES and first.isascii() else (None, path)


def encode_path(path: str) -> str:
    """Percent-encode a decoded path for an address."""
    return path if _PLAIN.fullmatch(path) else quote(path, safe=_SAFE_IN_PATH, errors="replace")


def encode_query(query: str) -> str:
    """Percent-encode the characters of a raw query string that no address contains; keep the others.

    :param query: as WSGI gives it, one character for each byte.
    """
    try:
        octets = query.encode("latin-1")
    except UnicodeEncodeError:
        octets = query.encode("utf-8", "replace")
    return quote(octets, safe=SAFE_IN_QUERY)


def on_segments(names: Collection[str]) -> re.Pattern[str]:
    """A pattern that matches each of `names` and all paths below it, on whole segments."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, names))})(?:/|\Z)") if names else re.compile(r"(?!)")
