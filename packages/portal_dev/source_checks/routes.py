"""The URLs of an app: their names, for those who write them as constants, and what declared pages show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import URLPattern, get_resolver

from portal_dev.source_checks.faults import name_hint
from portal_pages import shown_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from django.urls import URLResolver

    from portal_pages import ShownRow


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
            return f"there is no URL with the name {name!r}", name_hint(name, self.counts)
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
    for pattern, values in _patterns(get_resolver(urlconf).url_patterns, values=0):
        if pattern.name:
            found.setdefault(pattern.name, set()).add(values)
    return Routes({name: frozenset(counts) for name, counts in found.items()})


def shown_rows(urlconf: str) -> list[ShownRow]:
    """What the declared pages of an app show."""
    found = (shown_row(pattern.callback) for pattern, _ in _patterns(get_resolver(urlconf).url_patterns, values=0))
    return [shown for shown in found if shown is not None]


def _patterns(patterns: Iterable[URLPattern | URLResolver], *, values: int) -> Iterator[tuple[URLPattern, int]]:
    """Each pattern with the number of its values."""
    for each in patterns:
        count = values + len(each.pattern.converters)
        if isinstance(each, URLPattern):
            yield each, count
        else:
            yield from _patterns(each.url_patterns, values=count)
