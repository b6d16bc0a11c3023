"""Undoing a change of a row: its former values are sent back, unless somebody has changed the row since.

The former values and the row's new version travel with the message, signed. The backend writes them only over that
version (`If-Match`), so an undo never overwrites a later change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from django.contrib import messages
from django.core import signing
from django.urls import reverse
from django.utils.translation import gettext as _

from portal.errors import ApiForbiddenError, ApiPreconditionFailedError, UsageError
from portal.query import QueryHook, Row, RowParams, to_json
from portal.web.submissions import SUBMISSION_FIELD, new_submission_key, see_other, submission_key, undo_toast
from portal_pages.forms.form_fields import version_in
from portal_pages.forms.messages import NO_CHANGES, NOT_ALLOWED, is_not_taken_of_row
from portal_pages.page_names import DeclaredPage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, HttpResponse

    from portal.query import MutationHook
    from portal.web.request import PortalRequest
    from portal_pages.page_names import PageNames

TRow = TypeVar("TRow", bound=Row)

UNDO_FIELD: Final = "undo"
#: The button is there for ten seconds, but without scripts as long as its page.
UNDO_LASTS_S: Final = 3600


def row_before(request: HttpRequest, pages: PageNames, *, query: QueryHook[TRow, ...], row_id: str) -> TRow | None:
    """The row as it is before a form changes it; mostly cached. None if nothing can be undone."""
    can_be_undone = pages.undo and version_in(request.POST) is not None
    return query(request, id=row_id).data if can_be_undone else None


def say_changed(
    request: HttpRequest, pages: PageNames, text: str, *, before: Row | None, after: Row | None, names: Iterable[str]
) -> None:
    """Say on the next page what was changed, with a button that undoes it, if that is possible.

    :param before: the row as it was; None if that is not known.
    :param after: the row as the backend returned it.
    :param names: attributes that were changed.
    """
    version = getattr(after, "version", None)
    # What is cached may be older than the page. A newer row has the same values, or there would be a conflict.
    shown, known = version_in(request.POST), getattr(before, "version", None)
    is_known = shown is not None and known is not None and known >= shown
    if not pages.undo or before is None or after is None or version is None or not is_known:
        messages.success(request, text)
        return
    values = {name: to_json(getattr(before, name)) for name in names}
    token = signing.dumps({"id": after.id, "version": version, "values": values}, salt=_salt(pages), compress=True)
    undo_toast(
        cast("PortalRequest", request),
        text,
        action=reverse(pages.undo, args=[after.id]),
        fields={UNDO_FIELD: token, SUBMISSION_FIELD: new_submission_key()},
    )


def _salt(pages: PageNames) -> str:
    return f"portal.undo.{pages.undo}"


@dataclass(frozen=True, kw_only=True, eq=False)
class UndoPage(DeclaredPage):
    """Takes the form of the button, and leads to the row's page."""

    methods = ("POST",)

    query: QueryHook[Any, ...]
    mutation: MutationHook[Any, Any, RowParams]

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Send the former values back.

        :raises portal.errors.ApiError: the backend did not take them.
        """
        row_id: str = values["row_id"]
        undone = self._undone(request, pages, row_id)
        if undone is None:
            messages.error(request, _("This can’t be undone any more."))
            return see_other(pages.detail, row_id)
        body, version = undone
        undo: Any = self.mutation(request, idempotency_key=submission_key(request))
        result = undo.mutate(body=body, params=RowParams(id=row_id), if_match=version)
        if is_not_taken_of_row(request, result.error, mutation=self.mutation, query=self.query, row_id=row_id):
            messages.error(request, NO_CHANGES)
        elif isinstance(result.error, ApiForbiddenError):
            messages.error(request, NOT_ALLOWED)
        elif isinstance(result.error, ApiPreconditionFailedError):
            self.query(request, id=row_id).refetch()
            messages.error(request, _("Somebody has changed this since, so nothing was undone."))
        else:
            result.unwrap()
            messages.success(request, _("Undone."))
        return see_other(pages.detail, row_id)

    def _undone(self, request: HttpRequest, pages: PageNames, row_id: str) -> tuple[Any, int | str] | None:
        """The former values as a body, and the version over which they are written; None if nothing can be undone.

        Another release may have signed them, whose row has other fields.
        """
        try:
            signed = signing.loads(request.POST.get(UNDO_FIELD, ""), salt=_salt(pages), max_age=UNDO_LASTS_S)
        except (signing.BadSignature, ValueError):
            return None
        match signed:
            case {"id": str() as signed_id, "version": int() | str() as version, "values": dict() as values}:
                try:
                    return (self.query.data.partial(**values), version) if signed_id == row_id else None
                except UsageError:
                    return None
            case _:
                return None
