"""The names of an app's URLs, for those who write them as constants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import URLPattern, get_resolver

from portal.source_checks.faults import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.urls import URLResolver


@dataclass(frozen=True, slots=True)
class Routes:
    """The names, each with the numbers of values that its URLs take.

    :ivar counts: more than one number where several URLs have one name.
    """

    counts: dict[str, frozenset[int]]

    def fault(self, name: str, values: int | None) -> tuple[str, str] | None:
        """What is wrong with a use of a name, and a hint; None if nothing is.

        :param values: how many values are given; None if that is not known.
        """
        if name not in self.counts:
            return f"there is no URL with the name {name!r}", did_you_mean(name, self.counts)
        counts = self.counts[name]
        if values is None or values in counts:
            return None
        wanted = " or ".join(map(str, sorted(counts)))
        return f"the URL {name!r} needs {wanted} value(s), not {values}", "give one for each <…> of its route"


def routes_of(urlconf: str) -> Routes:
    """The names of the URLs of an app.

    :param urlconf: the module with the app's URLs.
    """
    found: dict[str, set[int]] = {}
    for name, values in _names(get_resolver(urlconf).url_patterns, values=0):
        found.setdefault(name, set()).add(values)
    return Routes({name: frozenset(counts) for name, counts in found.items()})


def _names(patterns: Iterable[URLPattern | URLResolver], *, values: int) -> Iterator[tuple[str, int]]:
    for each in patterns:
        count = values + len(each.pattern.converters)
        if not isinstance(each, URLPattern):
            yield from _names(each.url_patterns, values=count)
        elif each.name:
            yield each.name, count
