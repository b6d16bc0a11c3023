"""A tile of an overview: one number with its label."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from portal.web.present.badges import LazyText


@dataclass(frozen=True, slots=True, kw_only=True)
class StatTile:
    """One number on an overview.

    :param value: the number as a text in the page's language.
    :param route: name of the URL that the tile links to; empty for no link.
    :param icon: the name of an icon, such as `meters`; empty for none.
    """

    label: LazyText
    value: str
    route: str = ""
    icon: str = ""
