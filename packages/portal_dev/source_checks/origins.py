"""Origins that are written into code: an address of a server belongs to the environment (contract, section 3)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from portal_dev.source_checks.faults import FIXED_ADDRESS, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from portal_dev.source_checks.markup import Markup

#: What an address begins with; in lower case.
SCHEMES: Final = ("http://", "https://", "ws://", "wss://")
#: Also `https://%s/`, and `https://{}/`.
_ORIGIN: Final = re.compile(r"\b(?:http|ws)s?://[\w\[%{][^\s\"'<>\\]*", re.IGNORECASE)
#: Names of XML's languages, which nobody asks for.
_NAMESPACES: Final = ("http://www.w3.org/", "https://www.w3.org/")


def origins_in(text: str) -> list[str]:
    """The addresses of servers in a text."""
    return [found for found in _ORIGIN.findall(text) if not found.startswith(_NAMESPACES)]


def origin_finding(line: int, origin: str) -> Finding:
    """The finding of one address."""
    return Finding(
        line,
        "E007",
        f"the address {origin} is written into the source: it is another one on other machines",
        "use url() or reverse() for a page, a path for a call to the backend, and the settings for another app; an"
        f" address that is the same everywhere needs a comment in its line, `{FIXED_ADDRESS} why`",
    )


def template_origins(markup: Markup) -> Iterator[Finding]:
    """The addresses in a template, but for those in comments."""
    found = [(line, origin) for line, text in enumerate(markup.code, start=1) for origin in origins_in(text)]
    # https://{{ host }}/: a mark stands for the host.
    for scheme in re.finditer("|".join(SCHEMES), markup.html, re.IGNORECASE):
        hosts = markup.tags_in(markup.html[scheme.end() : scheme.end() + 1])
        found += [(tag.line, f"{scheme[0]}{{{{ {tag.source} }}}}") for tag in hosts]
    yield from (origin_finding(line, origin) for line, origin in found)
