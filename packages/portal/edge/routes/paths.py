"""Paths as the portal names them, and the one validator of redirect targets that come from outside.

Source: contract, section 5. A path here is decoded, as the URL resolver sees it, unless a name says otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote_to_bytes, urlsplit

from portal.config.limits import NEXT_MAX_CHARS
from portal.config.locales import LOCALES
from portal.config.platforms import PLATFORM_BY_NAME

if TYPE_CHECKING:
    from collections.abc import Collection

    from portal.config.platforms import TPlatform

LOGIN_PATH: Final = "/login"
PROFILE_PATH: Final = "/profile"

#: Below a locale. Open to those who are signed out; a signed-in user is sent home.
PUBLIC_PATHS: Final = (LOGIN_PATH,)
#: Below a locale. Open to all.
NEUTRAL_PATHS: Final = ("/logout", "/signed-out", "/essentials")
#: Without a locale, each with all that lies below it. Not gated.
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
#: Ungated too where the project runs in `DEBUG`.
DEBUG_PATHS: Final = ("/__debug__",)

#: What RFC 3986 lets stand in a path and in a query.
_SAFE_IN_PATH = "/:@!$&'()*+,;=-._~"
_SAFE_IN_QUERY = _SAFE_IN_PATH + "?%[]"
#: Most paths need no encoding, and seeing so is cheaper than encoding them.
_PLAIN = re.compile(r"[A-Za-z0-9/._~-]*")
#: Controls, backslashes and lone surrogates have no place in any address; browsers drop or turn some of them.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\\\\\ud800-\udfff]")
_SLASHES = re.compile("//+")
_DOT_SEGMENT = re.compile(r"(?:\A|/)\.\.?(?:/|\Z)")


def home_path(platform: TPlatform | None) -> str:
    """The path, without locale, of a platform's home; of the shared profile page without a platform."""
    known = PLATFORM_BY_NAME.get(platform) if platform else None
    return known.prefix if known else PROFILE_PATH


def is_malformed(path: str) -> bool:
    """Whether a path is refused outright: backslash, control character, `.` or `..` segment."""
    if path.isprintable() and "\\" not in path and "." not in path:
        return False
    return bool(_UNSAFE.search(path) or _DOT_SEGMENT.search(path))


def split_locale(path: str) -> tuple[str | None, str]:
    """A path's locale, and the rest: `/DE/energy` gives `("de", "/energy")`, `/en-US/x` has no locale.

    Slashes before the first segment are passed over.

    :returns: the locale in lower case, or None; the rest begins with a slash, or is empty.
    """
    first, slash, rest = path.lstrip("/").partition("/")
    if first in LOCALES:
        return first, slash + rest
    locale = first.lower()
    # A letter outside ASCII may be lower-cased into one inside it (the Kelvin sign is a k).
    return (locale, slash + rest) if locale in LOCALES and first.isascii() else (None, path)


def with_locale(target: str, *, locale: str) -> str:
    """A target that :func:`accept_target` gave, with its locale segment replaced, or put in."""
    path_at = target.index("/", target.index("//") + 2) if "://" in target.partition("?")[0] else 0
    path, mark, query = target[path_at:].partition("?")
    rest = split_locale(path)[1]
    return f"{target[:path_at]}/{locale}{'' if rest == '/' else rest}{mark}{query}"


def encode_path(path: str) -> str:
    """A decoded path as it stands in an address."""
    return path if _PLAIN.fullmatch(path) else quote(path, safe=_SAFE_IN_PATH, errors="replace")


def encode_query(query: str) -> str:
    """A raw query string as it stands in an address: kept, but for what no address may contain.

    :param query: as WSGI gives it, one character for each byte.
    """
    try:
        octets = query.encode("latin-1")
    except UnicodeEncodeError:
        octets = query.encode("utf-8", "replace")
    return quote(octets, safe=_SAFE_IN_QUERY)


def on_segments(names: Collection[str]) -> re.Pattern[str]:
    """A pattern whose `match` says whether a path is one of `names` or lies below it, on whole segments."""
    return re.compile(rf"(?:{'|'.join(map(re.escape, names))})(?:/|\Z)") if names else re.compile(r"(?!)")


_NOT_A_PAGE = on_segments((*UNGATED_PATHS, *DEBUG_PATHS))
_OPEN_PAGE = on_segments((*PUBLIC_PATHS, *NEUTRAL_PATHS))


def accept_target(
    raw: str | None, *, own_origin: str, origins: Collection[str], open_pages: bool = False
) -> str | None:
    """A redirect target from outside, rebuilt; None where it may not be followed.

    Django's own check says yes to targets that browsers take as another site. So this one parses, refuses what
    has no place in an address, compares origins exactly, and gives an address that it put together itself.

    :param raw: a path of this app, or an absolute address in one of `origins`.
    :param own_origin: this app's origin (`scheme://host[:port]`); a target there comes back as a path.
    :param origins: the registered apps' origins.
    :param open_pages: whether public and neutral pages are taken too, as the locale switch does.
    """
    parts = _parsed(raw)
    if parts is None:
        return None
    origin, path, query = parts
    if origin not in {"", own_origin, *origins} or not path.startswith("/") or path.startswith("//"):
        return None
    if is_malformed(path):
        return None
    # The page that the edge makes of it (its first row): what is asked below is asked of that one.
    path = _SLASHES.sub("/", path)
    if _NOT_A_PAGE.match(path) or (not open_pages and _OPEN_PAGE.match(split_locale(path)[1])):
        return None
    query = f"?{quote(query, safe=_SAFE_IN_QUERY)}" if query else ""
    return ("" if origin == own_origin else origin) + encode_path(path) + query


def _parsed(raw: str | None) -> tuple[str, str, str] | None:
    """Origin (empty for a path), decoded path and raw query of an address; None where it is none.

    Only the two forms that name the same place for everybody: `/path`, and `scheme://host/path`.
    """
    if not raw or len(raw) > NEXT_MAX_CHARS or _UNSAFE.search(raw) or raw != raw.strip():
        return None
    try:
        parts = urlsplit(raw)
        path = unquote_to_bytes(parts.path).decode()
    except ValueError:
        return None
    if raw.startswith("/"):
        return None if raw.startswith("//") else ("", path, parts.query)
    if not raw[len(parts.scheme) :].startswith("://"):
        return None
    return f"{parts.scheme}://{parts.netloc.lower()}", path or "/", parts.query
