"""The visitor's language, if the path names none (contract, section 5, row 1). Pure."""

import re
from functools import lru_cache

from portal.config.locales import DEFAULT_LOCALE, LOCALES

#: RFC 9110, section 12.4.2, "weight"; more digits than it allows are read, too.
_WEIGHT = re.compile(r"(?:0(?:\.\d*)?|1(?:\.0*)?|\.\d+)", re.ASCII)
#: A browser names a dozen languages at most; the rest of a header longer than this is not read.
_MAX_CHARS = 1024


def negotiate_locale(*, cookie: str | None, accept_language: str | None) -> str:
    """The locale: the cookie's, else the best one of `Accept-Language`, else the default."""
    if cookie in LOCALES:
        return cookie
    return locale_from_header(accept_language) or DEFAULT_LOCALE


def locale_from_header(accept_language: str | None) -> str | None:
    """The locale with the highest weight; None if the header names none of ours.

    A region falls back to its language. Weight 0 excludes. Malformed members are skipped. Of equal weights the
    first counts.
    """
    return _best_locale(accept_language[:_MAX_CHARS]) if accept_language else None


# Browsers send few different headers.
@lru_cache(maxsize=512)
def _best_locale(accept_language: str) -> str | None:
    wanted: list[tuple[float, str]] = []
    excluded: set[str] = set()
    for member in accept_language.lower().split(","):
        language, weight = _member(member)
        if weight == 0:
            excluded.add(language)
        elif weight is not None:
            wanted.append((-weight, language))
    for _, language in sorted(wanted, key=lambda pair: pair[0]):
        for locale in LOCALES if language == "*" else (language.partition("-")[0],):
            if locale in LOCALES and not excluded & {locale, language}:
                return locale
    return None


def _member(member: str) -> tuple[str, float | None]:
    """A language range and its weight; None if the weight is malformed."""
    language, *parameters = (part.strip() for part in member.split(";"))
    weight = "1"
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            weight = value.strip()
    return language, float(weight) if _WEIGHT.fullmatch(weight) else None
