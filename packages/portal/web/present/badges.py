"""A badge: the word and the tone in which a page shows a status; and what needs somebody now, each a way to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from portal.web.present.formats import NO_VALUE, number_text

if TYPE_CHECKING:
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


def badge_for(*, code: str | None, known: Mapping[Any, Badge]) -> Badge:
    """The badge of a status. A status that is not known shows its code, and none shows a dash, in a calm tone."""
    return known.get(code or "") or Badge(label=code or NO_VALUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedLink:
    """A part of it, or one of its rows.

    :param href: where it leads.
    :param route: name of the URL of a row, in place of an address.
    :param row_id: of that row.
    :param text: what stands beside the label.
    """

    label: LazyText
    href: str = ""
    route: str = ""
    row_id: str = ""
    text: LazyText = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Rows that need somebody.

    :param count: how many; 0 needs nobody, and None is not known.
    :param href: the list of them; empty for no link.
    :param links: parts of them, or the first ones.
    """

    label: LazyText
    count: int | None
    href: str
    tone: Tone = "bad"
    icon: str = "alert"
    links: tuple[NeedLink, ...] = ()

    @property
    def value(self) -> str:
        """The count as a text."""
        return number_text(self.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What needs somebody now; nothing if all is well.

    :param has_failed: whether that could not be loaded.
    """

    needs: tuple[Need, ...]
    has_failed: bool = False


def needs_of(needs: Iterable[Need], *, has_failed: bool = False) -> Needs | None:
    """Those of which there are any; None if nothing is known of any, and nothing has failed.

    :param has_failed: whether what they are counted by could not be loaded.
    """
    needs = list(needs)
    known = [need for need in needs if need.count is not None]
    has_failed = has_failed and len(known) < len(needs)
    if not known and not has_failed:
        return None
    return Needs(needs=tuple(need for need in known if need.count), has_failed=has_failed)
