"""A fault in a source file, as the system checks report it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from django.core.checks import Error

from portal.config.places import place
from portal_operate.suggestions import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from django.core.checks import CheckMessage


#: The comments that allow what stands in their line, and say why: a text that is the same in every language, an address
#: that is the same everywhere, what all requests share.
UNTRANSLATED: Final = "untranslated:"
FIXED_ADDRESS: Final = "fixed address:"
ON_PURPOSE: Final = "shared on purpose:"
_ALLOWED_BY: Final = {"E005": UNTRANSLATED, "E007": FIXED_ADDRESS, "E015": ON_PURPOSE, "E018": FIXED_ADDRESS}


class Finding(NamedTuple):
    """What is wrong in one line of a file; its fields are those of the fault."""

    line: int
    id: str
    message: str
    hint: str


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


def faults_of(path: Path, findings: Iterable[Finding], comments: Mapping[int, str]) -> Iterator[SourceFault]:
    """The findings of a file that no comment allows.

    :param comments: by their lines; or lines with their comments.
    """
    for each in findings:
        if each.id not in _ALLOWED_BY or not is_allowed(comments.get(each.line, ""), _ALLOWED_BY[each.id]):
            yield SourceFault(path=path, **each._asdict())


def is_allowed(comment: str, word: str) -> bool:
    """Whether a comment, or a line with one, allows what its word names, and says why."""
    return bool(comment.partition(word)[2].strip(" #}"))


def name_hint(name: str, known: Iterable[str]) -> str:
    """A hint with the known name that is most like this one; else all of them."""
    names = sorted(known)
    return did_you_mean(name, names) or f"there are {', '.join(names) or 'none'}"
