"""Which part of a list htmx asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from django.http import HttpRequest

#: Ids of the elements that htmx fills; htmx names the element in the header `HX-Target`.
_TABLE_ID: Final = "list"
ROWS_ID: Final = "rows"


def is_load_more(request: HttpRequest) -> bool:
    """Whether htmx appends the rows of the response to a list."""
    return htmx_target(request) == ROWS_ID


def htmx_target(request: HttpRequest) -> str | None:
    """Id of the list's element that htmx fills; None for a whole page, also after a form that htmx sent."""
    # `request.headers` would first copy all headers of the request.
    if request.META.get("HTTP_HX_REQUEST") != "true":
        return None
    target = request.META.get("HTTP_HX_TARGET")
    return target if target in {_TABLE_ID, ROWS_ID} else None
