"""The form that deletes a row, and the one that takes it back."""

from dataclasses import dataclass
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from portal.errors import ApiForbiddenError, ApiNotFoundError, ApiPreconditionFailedError
from portal.query import MutationHook, RowParams
from portal.web.present import LazyText
from portal.web.request import PortalRequest
from portal.web.submissions import SUBMISSION_FIELD, new_submission_key, see_other, submission_key, undo_toast
from portal_pages.forms import (
    NO_DELETES,
    NO_RESTORES,
    NOT_ALLOWED,
    is_not_taken,
    is_not_taken_of_row,
    version_in,
)
from portal_pages.page_names import DeclaredPage, PageNames

#: The texts of a page that has none of its own.
DELETE: Final = _("Delete")
DELETED: Final = _("“%(name)s” was deleted.")
#: Field of the dialog's form with the row's name on its page.
NAME_FIELD: Final = "rowName"
_NAME_CHARS: Final = 200
CHANGED: Final = _("Somebody else has changed this meanwhile, so it was not deleted. You see it as it is now.")


@dataclass(frozen=True, kw_only=True, eq=False)
class DeleteView(DeclaredPage):
    """Deletes a row, and leads to the list: `DeleteView(mutation=ClientMutations.use_delete_client_mutation)`.

    The row's page (`portal/detail.html`) has the button, and a dialog before it. The dialog says that it can't be
    undone, unless it can.

    :param restore: takes the deletion back, for the button "Undo" of the message.
    :param text: what the dialog says of it.
    :param label: the dialog's button.
    :param message: what the list says then; `%(name)s` is the row.
    """

    methods = ("POST",)

    mutation: MutationHook[Any, None, RowParams]
    restore: MutationHook[Any, None, RowParams] | None = None
    text: LazyText = ""
    label: LazyText = DELETE
    message: LazyText = DELETED

    def __post_init__(self) -> None:
        """Refuse a mutation that does not delete."""
        self.check_mutation(has_params=True, form_row=None)
        if self.restore is not None:
            self.check_hook("restore", MutationHook)
        self.check_words(filled="message")

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Delete the row, unless somebody has changed it since the page was shown. A row that is gone is a 404 page.

        :raises portal.errors.ApiError: the backend did not delete it.
        """
        row_id: str = values["row_id"]
        delete, seen = self.mutation(request, idempotency_key=submission_key(request)), version_in(request.POST)
        result = delete.mutate(params=RowParams(id=row_id), if_match=seen)
        if isinstance(result.error, ApiPreconditionFailedError) and seen is not None and pages.detail:
            messages.error(request, str(CHANGED))
            return see_other(pages.detail, row_id)
        refused = is_not_taken_of_row(request, result.error, row_id, query=pages.row)
        if refused or (pages.row is not None and isinstance(result.error, ApiNotFoundError)):
            messages.error(request, NO_DELETES if refused or not result.error else result.error.detail or NO_DELETES)
            return see_other(pages.detail, row_id) if pages.detail else see_other(pages.list)
        result.unwrap()
        text = self.message % {"name": request.POST.get(NAME_FIELD, "")[:_NAME_CHARS] or row_id}
        if pages.offered(request).restore:
            fields = {SUBMISSION_FIELD: new_submission_key()}
            action = reverse(pages.restore, args=[row_id])
            undo_toast(request, text, action=action, fields=fields)
        else:
            messages.success(request, text)
        return see_other(pages.list)


@dataclass(frozen=True, kw_only=True, eq=False)
class RestorePage(DeclaredPage):
    """Takes the deletion of a row back, and leads to the row."""

    methods = ("POST",)

    mutation: MutationHook[Any, None, RowParams]

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Restore the row.

        :raises portal.errors.ApiError: the backend did not answer.
        """
        row_id: str = values["row_id"]
        restore = self.mutation(request, idempotency_key=submission_key(request))
        result = restore.mutate(params=RowParams(id=row_id))
        there = pages.row(request, id=row_id).refetch() if result.error and pages.row else result
        if isinstance(result.error, ApiForbiddenError):
            messages.error(request, NOT_ALLOWED)
        elif there.data is None and (isinstance(result.error, ApiNotFoundError) or is_not_taken(result.error)):
            messages.error(request, NO_RESTORES)
        else:
            messages.success(request, _("“%(name)s” is there again.") % {"name": str(there.unwrap()) or row_id})
            return see_other(pages.detail, row_id)
        return see_other(pages.list)
