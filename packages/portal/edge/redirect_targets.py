"""Validation of redirect targets that come from outside: `next`, `Referer`, `HX-Current-URL` (contract, section 5)."""

import re
from collections.abc import Collection
from urllib.parse import quote, unquote_to_bytes, urlsplit

from portal.config.limits import NEXT_MAX_CHARS
from portal.edge.paths import (
    DEBUG_PATHS,
    NEUTRAL_PATHS,
    PUBLIC_PATHS,
    SAFE_IN_QUERY,
    UNGATED_PATHS,
    UNSAFE_CHARACTERS,
    encode_path,
    is_malformed,
    on_segments,
    split_locale,
)

_SLASHES = re.compile("//+")
_NOT_A_PAGE = on_segments((*UNGATED_PATHS, *DEBUG_PATHS))
_OPEN_PAGE = on_segments((*PUBLIC_PATHS, *NEUTRAL_PATHS))


def accept_target(
    raw: str | None, *, own_origin: str, origins: Collection[str], open_pages: bool = False
) -> str | None:
    """A redirect target from outside, rebuilt from its parsed parts; None if it must not be followed.

    Django's own check accepts targets that browsers read as another site. This one parses the target, rejects
    characters that no address contains, compares origins exactly, and returns an address that it built itself.

    :param raw: a path of this app, or an absolute address in one of `origins`.
    :param own_origin: this app's origin (`scheme://host[:port]`); a target there comes back as a path.
    :param origins: the registered apps' origins.
    :param open_pages: whether public and neutral pages are accepted too, as for the locale switch.
    """
    parts = _parsed(raw)
    if parts is None:
        return None
    origin, path, query = parts
    if origin not in {"", own_origin, *origins} or not path.startswith("/") or path.startswith("//"):
        return None
    if is_malformed(path):
        return None
    # The edge's first row would redirect to this form, so this is the path to check.
    path = _SLASHES.sub("/", path)
    if _NOT_A_PAGE.match(path) or (not open_pages and _OPEN_PAGE.match(split_locale(path)[1])):
        return None
    query = f"?{quote(query, safe=SAFE_IN_QUERY)}" if query else ""
    return ("" if origin == own_origin else origin) + encode_path(path) + query


def _parsed(raw: str | None) -> tuple[str, str, str] | None:
    """Origin (empty for a path), decoded path and raw query of an address; None if it is not an address.

    Two forms only, which every browser reads alike: `/path` and `scheme://host/path`.
    """
    if not raw or len(raw) > NEXT_MAX_CHARS or UNSAFE_CHARACTERS.search(raw) or raw != raw.strip():
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


def with_locale(target: str, *, locale: str) -> str:
    """A target that :func:`accept_target` gave, with its locale segment replaced, or put in."""
    path_at = target.index("/", target.index("//") + 2) if "://" in target.partition("?")[0] else 0
    path, mark, query = target[path_at:].partition("?")
    rest = split_locale(path)[1]
    return f"{target[:path_at]}/{locale}{'' if rest == '/' else rest}{mark}{query}"
