"""A figure on an overview page: one number that leads to its list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure.

    :param value: written out in the page's language.
    :param route: name of the address that it leads to; empty for none.
    :param icon: the icon's template, such as `"energy/icons/meters.svg"`; empty for none.
    """

    label: str | _StrPromise
    value: str
    route: str = ""
    icon: str = ""
