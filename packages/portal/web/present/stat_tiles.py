"""A tile of an overview: one number with its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from portal.web.present.comparisons import comparison

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    from portal.web.present.badges import LazyText
    from portal.web.present.comparisons import Change

TNumber = TypeVar("TNumber", int, float, "Decimal")


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
    return StatTile(label=label, value=text(value), href=href, icon=icon, comparison=comparison(value, before=before))
