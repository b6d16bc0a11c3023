"""A write that the backend does not take at all: which answers say so, and what the user is told.

405 and 501 are said of the call. A 404 may be said of the row alone, so the row is read: that a row was deleted is said
only after a GET of it has answered 404 or 410 (contract, section 7). Where the row is there, the 404 counts for this
user alone.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext_lazy as _

from portal.errors import ApiAbsentError, ApiNotFoundError
from portal.query import client_of, note_absent

if TYPE_CHECKING:
    from django.http import HttpRequest

    from portal.errors import ApiError
    from portal.query import MutationHook, QueryHook

NO_CREATES: Final = _("Nothing can be added here: the service does not offer it.")
NO_CHANGES: Final = _("This can’t be changed: the service does not offer it.")
NO_DELETES: Final = _("This can’t be deleted: the service does not offer it.")
NOT_ALLOWED: Final = _("Your account lacks the permission for this. Ask your administrator if you need it.")
_NOT_TAKEN: Final = frozenset({HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})


def is_not_taken(error: ApiError | None) -> bool:
    """Whether a write failed because the backend does not have the call, as far as its answer alone tells."""
    return isinstance(error, ApiAbsentError) or (error is not None and error.status in _NOT_TAKEN)


def is_not_taken_of_row(
    request: HttpRequest,
    error: ApiError | None,
    *,
    mutation: MutationHook[Any, Any, Any],
    query: QueryHook[Any, ...],
    row_id: str,
) -> bool:
    """Whether the write of a row failed because the backend does not have the call. After a 404 the row is read.

    :raises portal.errors.ApiNotFoundError: the row is not there: a GET has said so.
    :raises portal.errors.ApiError: whether the row is there is not known.
    """
    if is_not_taken(error):
        return True
    if not isinstance(error, ApiNotFoundError):
        return False
    # Past the cache, which may hold a row that is gone.
    found = client_of(request).query(query.spec(id=row_id).query, force=True)
    if found.error is not None:
        raise found.error
    note_absent(mutation, request, status=error.status)
    return True
