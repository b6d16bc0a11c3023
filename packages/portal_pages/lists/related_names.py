"""What the related rows are called to which a list is narrowed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest

    from portal_pages.lists.controls import ListControls

_CAPITAL: Final = re.compile(r"(?=[A-Z])")
#: Related rows that are read for their names.
_MAX_READ: Final = 3


def names_of(request: HttpRequest, controls: ListControls, *, rows: Iterable[Any]) -> dict[tuple[str, str], str]:
    """The names by parameter and id: from the rows that are shown, or else from the related row itself."""
    names: dict[tuple[str, str], str] = {}
    rows = list(rows)
    for each, values in controls.values:
        if not each.is_related:
            continue
        attribute = _CAPITAL.sub("_", each.param).lower()
        for value in values:
            found = (getattr(row, each.named_by, "") for row in rows if getattr(row, attribute, None) == value)
            name = next(filter(None, found), "") if each.named_by else ""
            if not name and each.record is not None and len(names) < _MAX_READ:
                related = each.record(request, id=value).data
                name = str(related) if related is not None else ""
            names[each.param, value] = str(name)
    return names
