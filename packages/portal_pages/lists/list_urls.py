"""The address of a list in one of its states, and the way back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.urls import reverse

from portal.web.present import with_params

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.web.present import ParamValue

#: A longer address than any that a list makes leads to the list alone.
_MAX_QUERY_CHARS: Final = 4000


def list_url(name: str, /, **filters: ParamValue) -> str:
    """The address of a list with filters: `list_url("invoices", status=["sent", "overdue"], dueAtTo=date.today())`.

    :param name: of the list's URL.
    :param filters: by their names on the wire; also `q`, `sort`, and the days of a range (`startedAtFrom`,
        `startedAtTo`, both inclusive). None leaves one out.
    """
    return with_params(reverse(name), filters)


def list_url_before(request: HttpRequest, name: str) -> str:
    """The address of a list as the user saw it, if this page was opened from there; else of the list alone.

    The path is always the list's own: of `Referer`, the parameters count, and only where it names that list.

    :param name: of the list's URL.
    """
    path = reverse(name)
    try:
        parts = urlsplit(request.META.get("HTTP_REFERER", ""))
        is_list = (parts.netloc, parts.path) == (request.get_host(), path)
        params = parse_qsl(parts.query) if is_list and len(parts.query) <= _MAX_QUERY_CHARS else []
    except ValueError:
        params = []
    return f"{path}?{urlencode(params)}" if params else path
