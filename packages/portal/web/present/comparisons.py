"""A figure beside that of the period before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from django.utils.translation import gettext as _

from portal.web.present.formats import percent_text

if TYPE_CHECKING:
    from decimal import Decimal

#: From here on a share says less than a word.
TENFOLD: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """How a figure differs from the one before.

    :param text: says it in words, the direction too, so that neither arrow nor colour has to.
    :param direction: which arrow stands beside it; "none" if there is nothing to compare with.
    """

    text: str
    direction: Literal["up", "down", "same", "none"]


def comparison(value: float | Decimal | None, *, before: float | Decimal | None) -> Change:
    """How a figure differs from the one of the period before."""
    if value is None or not before or before < 0:
        return Change(text=_("no comparison"), direction="none")
    change = float(value) / float(before) - 1
    if change >= TENFOLD - 1:
        return Change(text=_("more than tenfold"), direction="up")
    share = percent_text(abs(change))
    if share == percent_text(0):
        return Change(text=_("unchanged"), direction="same")
    if change > 0:
        return Change(text=_("%(percent)s more") % {"percent": share}, direction="up")
    return Change(text=_("%(percent)s less") % {"percent": share}, direction="down")
