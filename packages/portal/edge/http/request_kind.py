"""Whether a request is a page navigation, which may be answered with a redirect (contract, section 5). Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import Protocol

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
#: A longer header is read anew each time, so that what is kept stays small.
_KEPT_CHARS = 256


class NavigationFacts(Protocol):
    """The headers that tell; None where the request has none. `RequestContext` has them."""

    @property
    def accept(self) -> str | None:
        """`Accept`"""

    @property
    def fetch_mode(self) -> str | None:
        """`Sec-Fetch-Mode`"""

    @property
    def requested_with(self) -> str | None:
        """`X-Requested-With`"""

    @property
    def htmx(self) -> str | None:
        """`HX-Request`"""


def is_htmx(facts: NavigationFacts) -> bool:
    """Whether htmx asks; its own header says "true" and nothing else."""
    return facts.htmx == "true"


def is_navigation(facts: NavigationFacts) -> bool:
    """Whether a person's browser shows the answer as a page.

    Not so with a `Sec-Fetch-Mode` other than `navigate`, with `X-Requested-With`, from htmx, or where `Accept`
    names no page type and is not exactly `*/*`. No `Accept` at all is a navigation.
    """
    if facts.fetch_mode is not None and facts.fetch_mode != "navigate":
        return False
    if facts.requested_with is not None or is_htmx(facts):
        return False
    if not facts.accept:
        return True
    return _known_accept(facts.accept) if len(facts.accept) <= _KEPT_CHARS else _names_a_page(facts.accept)


def _names_a_page(accept: str) -> bool:
    accept = accept.strip()
    if accept in {"", "*/*"}:
        return True
    return any(member.partition(";")[0].strip().lower() in _PAGES for member in accept.split(","))


# Browsers send few different headers, each again and again.
_known_accept = lru_cache(maxsize=256)(_names_a_page)
