"""Undoing a change of a row: its former values are sent back, unless somebody has changed the row since.

The former values and the row's new version travel with the message, signed. The backend writes them only over that
version (`If-Match`), so an undo never overwrites a later change.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, TypeVar

import msgspec
from django.contrib import messages
from django.core import signing
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.errors import ApiPreconditionFailedError, UsageError
from portal.query import MutationHook, Partial, QueryHook, Row, RowParams, to_json
from portal.web.frame import account_tag_of
from portal.web.request import PortalRequest
from portal.web.submissions import SUBMISSION_FIELD, new_submission_key, see_other, submission_key, undo_toast
from portal_pages.forms.form_fields import version_in
from portal_pages.forms.messages import refusal_of_row
from portal_pages.page_names import DeclaredPage, PageNames

TRow = TypeVar("TRow", bound=Row)

UNDO_FIELD: Final = "undo"
#: The button is there for ten seconds, but without scripts as long as its page.
UNDO_LASTS_S: Final = 3600
UNDONE_NO_MORE: Final = gettext_lazy("This can’t be undone any more.")
UNDONE: Final = gettext_lazy("Undone.")
#: Of a row: its id, its version since, and its former values as JSON.
Undoing: TypeAlias = tuple[str, int | str, dict[str, Any]]


def row_before(request: PortalRequest, pages: PageNames, *, query: QueryHook[TRow, ...], row_id: str) -> TRow | None:
    """The row as it is before a form changes it; mostly cached. None if nothing can be undone."""
    can_be_undone = pages.undo and version_in(request.POST) is not None
    return query(request, id=row_id).data if can_be_undone else None


def say_changed(
    request: PortalRequest, pages: PageNames, text: str, *, before: Row | None, after: Row | None, names: Iterable[str]
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
    offer_undo(request, pages, text, [undoing(before, after, names)], action=reverse(pages.undo, args=[after.id]))


def undoing(before: Any, after: Any, names: Iterable[str]) -> Undoing:
    """What undoes the change of a row. A name that stood without an id comes back as the name: Ada, not nobody."""
    values = {}
    for name in names:
        text = name.removesuffix("_id")
        brought = text if getattr(before, name) is None and getattr(before, text, None) else name
        values[brought] = to_json(getattr(before, brought))
    return after.id, after.version, values


def offer_undo(
    request: PortalRequest, pages: PageNames, text: str, rows: Sequence[Undoing], *, action: str, **fields: str
) -> None:
    """Say on the next page what was changed, with a button that undoes it.

    :param action: the path that takes the button's form. `fields`: what else that form has.
    """
    token = signing.dumps(rows, salt=_salt(request, pages), compress=True)
    fields |= {UNDO_FIELD: token, SUBMISSION_FIELD: new_submission_key()}
    undo_toast(request, text, action=action, fields=fields)


def undone_rows(
    request: PortalRequest, pages: PageNames, query: QueryHook[TRow, ...]
) -> list[tuple[str, int | str, Partial[TRow]]]:
    """Of each row its id, the version over which it is written, and its former values; none if nothing can be undone.

    Another release may have signed them, whose row has other fields.
    """
    try:
        signed = signing.loads(request.POST.get(UNDO_FIELD, ""), salt=_salt(request, pages), max_age=UNDO_LASTS_S)
        rows = msgspec.convert(signed, list[Undoing])
        return [(row_id, version, query.data.partial(**values)) for row_id, version, values in rows]
    except (signing.BadSignature, UsageError, ValueError):
        return []


def _salt(request: PortalRequest, pages: PageNames) -> str:
    """What one user has done, another can't undo."""
    return f"portal.undo.{pages.undo}.{account_tag_of(request.edge_user)}"


@dataclass(frozen=True, kw_only=True, eq=False)
class UndoPage(DeclaredPage):
    """Takes the form of the button, and leads to the row's page."""

    methods = ("POST",)

    query: QueryHook[Any, ...]
    mutation: MutationHook[Any, Any, RowParams]

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Send the former values back.

        :raises portal.errors.ApiError: the backend did not take them.
        """
        row_id: str = values["row_id"]
        rows = undone_rows(request, pages, self.query)
        if [each[0] for each in rows] != [row_id]:
            messages.error(request, UNDONE_NO_MORE)
            return see_other(pages.detail, row_id)
        [(_id, version, body)] = rows
        undo: Any = self.mutation(request, idempotency_key=submission_key(request))
        result = undo.mutate(body=body, params=RowParams(id=row_id), if_match=version)
        if refusal := refusal_of_row(request, result.error, row_id, page=self):
            messages.error(request, refusal)
        elif isinstance(result.error, ApiPreconditionFailedError):
            self.query(request, id=row_id).refetch()
            messages.error(request, _("Somebody has changed this since, so nothing was undone."))
        else:
            result.unwrap()
            messages.success(request, UNDONE)
        return see_other(pages.detail, row_id)
