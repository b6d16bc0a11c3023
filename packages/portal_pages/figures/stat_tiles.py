"""A tile of an overview: one number with its label."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal, TypeVar

from django.utils.translation import gettext as _

from portal.web.present import LazyText, percent_text

TNumber = TypeVar("TNumber", int, float, "Decimal")
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


def comparison(value: TNumber | None, *, before: TNumber | None, text: Callable[[TNumber | None], str]) -> Change:
    """How a figure differs from the one of the period before, which `text` writes."""
    if value is None or not before or before < 0:
        return Change(text=_("no comparison"), direction="none")
    change = float(value) / float(before) - 1
    share = percent_text(abs(change))
    words = {"percent": share, "before": text(before)}
    if change >= TENFOLD - 1:
        return Change(text=_("at least ten times %(before)s") % words, direction="up")
    if share == percent_text(0):
        return Change(text=_("about the same as %(before)s") % words, direction="same")
    if change > 0:
        return Change(text=_("%(percent)s more than %(before)s") % words, direction="up")
    return Change(text=_("%(percent)s less than %(before)s") % words, direction="down")


@dataclass(frozen=True, slots=True, kw_only=True)
class StatTile:
    """One number on an overview.

    :param value: the number as a text in the page's language.
    :param route: name of the URL that the tile links to; empty for no link.
    :param href: an address that it links to, such as that of a filtered list, in place of a route.
    :param icon: the name of an icon, such as `meters`; empty for none.
    :param note: what the label does not say.
    :param comparison: with the period before.
    """

    label: LazyText
    value: str
    route: str = ""
    href: str = ""
    icon: str = ""
    note: LazyText = ""
    comparison: Change | None = None


def compared_tile(
    label: LazyText,
    value: TNumber | None,
    *,
    before: TNumber | None,
    text: Callable[[TNumber | None], str],
    href: str = "",
    icon: str = "",
) -> StatTile:
    """A figure of a period, compared with the one before.

    :param text: writes the figure.
    """
    change = comparison(value, before=before, text=text)
    return StatTile(label=label, value=text(value), href=href, icon=icon, comparison=change)
