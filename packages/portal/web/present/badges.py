"""A status as the pages show it: a word and a tone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.functional import _StrPromise

#: The tones that the style sheet knows.
Tone = Literal["good", "warn", "bad", "calm", "info"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """A word with a tone.

    :param label: translated when it is shown.
    """

    label: str | _StrPromise
    tone: Tone = "calm"


def badge_for(*, code: str, known: Mapping[str, Badge]) -> Badge:
    """The badge of a status; one that nobody told us about shows its own word, calmly."""
    return known.get(code) or Badge(label=code or "–")
