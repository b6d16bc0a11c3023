"""A badge: the word and the tone in which a page shows a status."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from portal.web.present.formats import NO_VALUE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrPromise

#: A text of ours, or one that is translated when it is shown (`gettext_lazy`).
LazyText: TypeAlias = "str | _StrPromise"
#: The tones that the style sheet knows.
Tone = Literal["good", "warn", "bad", "calm", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A word with a tone."""

    label: LazyText
    tone: Tone = "calm"


@dataclass(frozen=True, slots=True, kw_only=True)
class BadgeLink(Badge):
    """A badge that leads to the rows that have it.

    :param is_stop: whether the Tab key stops at it. In the rows of a list it does not: it would be a stop more in each
        row, and the list's own filters, above, do the same.
    """

    href: str
    is_stop: bool = True


def badge_for(*, code: str | None, known: Mapping[Any, Badge]) -> Badge:
    """The badge of a status. A status that is not known shows its code, and none shows a dash, in a calm tone."""
    return known.get(code or "") or Badge(label=code or NO_VALUE)
