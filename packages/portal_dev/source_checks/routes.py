"""The URLs of an app: their names, for those who write them as constants, and what declared pages show."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from django.urls import URLPattern, get_resolver
from django.urls.resolvers import LocalePrefixPattern

from portal.config.locales import DEFAULT_LOCALE, LOCALES
from portal_dev.source_checks.faults import Finding, name_hint
from portal_pages import shown_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.urls import URLResolver

    from portal_dev.source_checks.markup import Markup
    from portal_pages import ShownRow

#: The attributes of HTML that have an address.
_ADDRESSES: Final = frozenset(
    {"action", "formaction", "href", "hx-delete", "hx-get", "hx-patch", "hx-post", "hx-put", "src"}
)
#: What stands for the locale in a route.
_LOCALE: Final = "<locale>/"
#: A value in a route: `<str:row_id>`.
_VALUE: Final = re.compile(r"<[^>]*>")


@dataclass(frozen=True, slots=True)
class Routes:
    """The names, each with the numbers of values that its URLs take.

    :ivar counts: more than one number where several URLs have one name.
    :ivar pages: the routes below the locale, `/finance/payments/<str:row_id>`, each with its name.
    :ivar others: the paths of the URLs that have no locale.
    """

    counts: dict[str, frozenset[int]]
    pages: dict[str, str] = field(default_factory=dict)
    others: frozenset[str] = frozenset({"/"})

    def fault(self, name: str, values: int | None) -> tuple[str, str] | None:
        """What is wrong with a use of a name, and a hint; None if nothing is.

        :param values: how many values are given; None if that is not known.
        """
        if name not in self.counts:
            return f"there is no URL with the name {name!r}", name_hint(name, self.counts)
        counts = self.counts[name]
        if values is None or values in counts:
            return None
        wanted = " or ".join(map(str, sorted(counts)))
        return f"the URL {name!r} needs {wanted} value(s), not {values}", "give one for each <…> of its route"

    def address_fault(self, address: str, *, write: str) -> tuple[str, str] | None:
        """What is wrong with an address of this app that is written out, and a hint; None for any other text.

        :param write: what names the page instead: `url(%s)`.
        """
        path = re.split(r"[?#]", address)[0]
        first = path.split("/")[1] if path.startswith("/") else ""
        rest = path.removeprefix(f"/{first}") if first in LOCALES else path
        if first in {"", "static"} or path in self.others or rest in {"", "/"}:
            return None
        route = next((each for each in self.pages if re.fullmatch(_pattern(each), rest)), None)
        if route is not None:
            lacks = f"its language is always {first}" if first in LOCALES else "it has no language"
            return f"the address of the page {self.pages[route]!r} is written out: {lacks}", self._named(route, write)
        filled = {_filled(each, rest): each for each in self.pages}
        near = difflib.get_close_matches(rest, filled, n=1)
        hint = f"did you mean {near[0]!r}? " if near else "if it is a page of this app, "
        return f"there is no page {path!r}", hint + self._named(filled[near[0]] if near else "", write)

    def _named(self, route: str, write: str) -> str:
        name, values = self.pages.get(route, "NAME"), _VALUE.findall(route)
        return "write " + write % ", ".join([repr(name), *["…" for _ in values]])


def _pattern(route: str) -> str:
    return _VALUE.sub(lambda value: ".+" if value[0].startswith("<path:") else "[^/]+", re.escape(route))


def _filled(route: str, path: str) -> str:
    """A route with the parts of a path in place of its values."""
    parts, given = route.split("/"), path.split("/")
    if len(parts) != len(given):
        return route
    return "/".join(own if _VALUE.search(part) else part for part, own in zip(parts, given, strict=True))


def template_addresses(markup: Markup, routes: Routes) -> Iterator[Finding]:
    """The addresses of the app that a template writes out, also behind `/{{ LOCALE }}`."""
    for attribute in markup.attributes:
        value = attribute.value
        for tag in markup.tags_in(value[1:2]):
            value = f"/{DEFAULT_LOCALE}{value[2:]}" if tag.source == "LOCALE" else value
        is_whole = attribute.name in _ADDRESSES and not markup.tags_in(value)
        fault = routes.address_fault(value, write="{{ url(%s) }}") if is_whole else None
        if fault is not None:
            yield Finding(attribute.line, "E018", *fault)


def routes_of(urlconf: str) -> Routes:
    """The names of the URLs of an app.

    :param urlconf: the module with the app's URLs.
    """
    found: dict[str, set[int]] = {}
    pages: dict[str, str] = {}
    others = {"/"}
    for pattern, values, route in _patterns(get_resolver(urlconf).url_patterns):
        if pattern.name:
            found.setdefault(pattern.name, set()).add(values)
            before, _, rest = route.partition(_LOCALE)
            pages |= {f"/{rest}": pattern.name} if rest else {}
            others |= set() if rest else {before}
    return Routes({name: frozenset(counts) for name, counts in found.items()}, pages=pages, others=frozenset(others))


def shown_rows(urlconf: str) -> list[ShownRow]:
    """What the declared pages of an app show."""
    found = (shown_row(pattern.callback) for pattern, *_ in _patterns(get_resolver(urlconf).url_patterns))
    return [shown for shown in found if shown is not None]


def _patterns(
    patterns: Iterable[URLPattern | URLResolver], *, values: int = 0, below: str = ""
) -> Iterator[tuple[URLPattern, int, str]]:
    """Each pattern with the number of its values, and its route; below the locale it begins with :data:`_LOCALE`.

    :param below: the route of what includes these.
    """
    for each in patterns:
        count = values + len(each.pattern.converters)
        own = _LOCALE if isinstance(each.pattern, LocalePrefixPattern) else str(each.pattern)
        route = f"{below or '/'}{own}"
        if isinstance(each, URLPattern):
            yield each, count, route
        else:
            yield from _patterns(each.url_patterns, values=count, below=route)
