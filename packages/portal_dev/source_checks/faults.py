"""A fault in a source file, as the system checks report it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.checks import Error

from portal.config.places import place
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from django.core.checks import CheckMessage


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class SourceFault:
    """What is wrong in one line.

    :param hint: what to write instead.
    :param id: as the settings' `SILENCED_SYSTEM_CHECKS` names it.
    """

    path: Path
    line: int
    message: str
    hint: str
    id: str

    def as_message(self) -> CheckMessage:
        """The fault as Django prints it: `apps/energy/views/clients.py:12: (portal.source.E008) …`."""
        where = place(self.path, self.line)
        return Error(self.message, hint=self.hint or None, obj=where, id=f"portal.source.{self.id}")


def is_allowed(comment: str, word: str) -> bool:
    """Whether a comment, or a line with one, allows what its word names, and says why."""
    return bool(comment.partition(word)[2].strip(" #}"))


def name_hint(name: str, known: Iterable[str]) -> str:
    """A hint with the known name that is most like this one; else all of them."""
    names = sorted(known)
    return did_you_mean(name, names) or f"there are {', '.join(names) or 'none'}"
