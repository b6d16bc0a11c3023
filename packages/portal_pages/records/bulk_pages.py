"""Several rows of a list at once: `<list>/bulk` names those that were selected, and does one thing to all of them.

Each row is a write of its own over the version that the page showed (`If-Match`), so nobody's change is overwritten.
What was done is undone by one button.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.errors import ApiError, ApiPreconditionFailedError, ApiUnavailableError
from portal.query import MutationHook, MutationResult, Partial, QueryHook, RowParams
from portal.web.present import list_text, with_params
from portal.web.request import PortalRequest
from portal.web.submissions import see_other, submission_key
from portal_pages.forms import (
    UNDO_FIELD,
    UNDONE,
    UNDONE_NO_MORE,
    BackendForm,
    matches_response,
    offer_undo,
    refusal_of,
    undoing,
    undone_rows,
    usable_form,
    with_rows_chosen,
)
from portal_pages.lists import LIST, ROW, ListView, selected_rows
from portal_pages.page_names import DeclaredPage, PageNames
from portal_pages.records.row_actions import RowAction, shown_action

#: The form that undoes as many has room in the cookie of messages.
MOST_ROWS: Final = 40
_ACTION: Final = "action"
#: A row, and what became of it.
_Written: TypeAlias = tuple[Any, MutationResult[Any]]


@dataclass(frozen=True, kw_only=True, eq=False)
class BulkPage(DeclaredPage):
    """The page of the selected rows. `resource_pages` gives one to a list whose rows have actions with `bulk`.

    The address has the ids (`row`), and the parameters of the list in which they were selected (`list`): their rows are
    cached by it.
    """

    methods = ("GET", "HEAD", "POST")

    list_view: ListView[Any]
    query: QueryHook[Any, ...]
    mutation: MutationHook[Any, Any, RowParams]
    actions: Sequence[RowAction[Any]]

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Name the rows and offer the actions; POST does one of them, or undoes it.

        :raises portal.errors.ApiError: no row can be read.
        """
        del values
        actions = [each for each in self.actions if each.is_open_to(request)]
        for each in actions:
            found = matches_response(request, each.form) if each.form else None
            if found is not None and found.content:
                return found
        if UNDO_FIELD in request.POST:
            return self._undo(request, pages)
        sent = request.POST or request.GET
        shown = dict(_shown(request))
        rows = selected_rows(self.list_view, request, self.query, list(shown)[:MOST_ROWS], listed=sent.get(LIST, ""))
        if not rows:
            messages.error(request, _("Select rows first."))
            return see_other(self._list_url(pages, sent))
        action = next((each for each in actions if each.name == request.POST.get(_ACTION)), None)
        form, body = _sent(request, action) if action is not None else (None, None)
        if action is not None and body is not None:
            return self._told(request, pages, action, body, list(self._written(request, action, body, rows, shown)))
        if action is not None and form is None:
            messages.error(request, _("Your profile could not be loaded."))
        offered = [
            shown_action(request, each, url=request.path, form=form if each is action else None)
            for each in actions
            if any(map(each.fits, rows))
        ]
        variables = {
            "rows": rows,
            "chosen": len(shown),
            "actions": offered,
            "pages": pages.offered(request),
            "listed": sent.get(LIST, ""),
            "back_url": self._list_url(pages, sent),
            "export_params": {LIST: sent.get(LIST, ""), ROW: [row.id for row in rows]},
        }
        return render(request, "portal/bulk.html", variables)

    def _written(
        self, request: PortalRequest, action: RowAction[Any], body: Partial[Any], rows: Any, shown: Any
    ) -> Iterator[_Written]:
        """Write each row. Where the backend does not answer, the rest stays as it is.

        :param shown: the versions that the page showed, by the ids of the rows.
        """
        key, outage = submission_key(request), None
        for number, row in enumerate(rows):
            version = getattr(row, "version", None)
            if shown[row.id] not in {"", str(version)}:
                yield row, MutationResult(data=None, error=ApiPreconditionFailedError())
            elif not action.needs(row, body):
                continue
            elif outage is not None:
                yield row, outage
            else:
                write = self.mutation(request, idempotency_key=f"{key}-{number}")
                result = write.mutate(body=body, params=RowParams(id=row.id), if_match=version)
                outage = result if isinstance(result.error, ApiUnavailableError) else None
                yield row, result

    def _told(
        self, request: PortalRequest, pages: PageNames, action: RowAction[Any], body: Partial[Any], rows: list[_Written]
    ) -> HttpResponse:
        """Say what was done, and lead to the list; where something is left, to the page of the rest."""
        done = [(row, result.data) for row, result in rows if result.is_success]
        left = [(row, result.error) for row, result in rows if result.error is not None]
        changed = [row for row, error in left if isinstance(error, ApiPreconditionFailedError)]
        failed = [(row, error) for row, error in left if not isinstance(error, ApiPreconditionFailedError)]
        if not rows:
            messages.success(request, _("Nothing had to be changed."))
        elif done:
            count = ngettext("%(number)s entry was changed.", "%(number)s entries were changed.", len(done))
            text = f"{action.label}: {count % {'number': len(done)}}"
            if all(getattr(after, "version", None) is not None for _before, after in done):
                undone = [undoing(before, after, body.fields) for before, after in done]
                offer_undo(request, pages, text, undone, action=request.path, list=request.POST.get(LIST, ""))
            else:
                messages.success(request, text)
        if changed:
            names = list_text(map(str, changed))
            messages.error(
                request, _("Changed by somebody else meanwhile, and left as it is: %(names)s.") % {"names": names}
            )
        if failed:
            messages.error(request, f"{_why(failed[-1][1])} {list_text(str(row) for row, _error in failed)}")
        if not left:
            return see_other(self._list_url(pages, request.POST))
        ids = [row.id for row in (*changed, *(row for row, _error in failed))]
        return see_other(with_params(request.path, {LIST: request.POST.get(LIST, ""), ROW: ids}))

    def _undo(self, request: PortalRequest, pages: PageNames) -> HttpResponse:
        """Write the former values back, over the versions that the change has made."""
        url = self._list_url(pages, request.POST)
        rows = undone_rows(request, pages, self.query)
        if not rows:
            messages.error(request, UNDONE_NO_MORE)
            return see_other(url)
        key, failed = submission_key(request), 0
        for number, (row_id, version, body) in enumerate(rows):
            write = self.mutation(request, idempotency_key=f"{key}-{number}")
            failed += not write.mutate(body=body, params=RowParams(id=row_id), if_match=version).is_success
        if failed:
            text = ngettext(
                "%(number)s entry could not be changed back.", "%(number)s entries could not be changed back.", failed
            )
            messages.error(request, text % {"number": failed})
        if failed < len(rows):
            messages.success(request, UNDONE)
        return see_other(url)

    def _list_url(self, pages: PageNames, sent: QueryDict) -> str:
        """The list as it was when the rows were selected. Only what the list knows is taken."""
        controls = self.list_view.controls(QueryDict(sent.get(LIST, "")))
        return controls.url(reverse(pages.list), pages=controls.pages)


def _shown(request: PortalRequest) -> Iterator[tuple[str, str]]:
    """Id and version of each row: of a form `3:wor_1`, or `:wor_1` without a version; of an address the id alone."""
    for value in (request.POST or request.GET).getlist(ROW):
        version, mark, row_id = value.partition(":") if request.POST else ("", "", value)
        yield (row_id, version) if mark else (value, "")


def _sent(request: PortalRequest, action: RowAction[Any]) -> tuple[BackendForm[Any] | None, Partial[Any] | None]:
    """The form of an action as it was sent, if it has one, and what it changes; nothing where that is not known."""
    if action.form is None:
        return None, action.body(request)
    usable = usable_form(request, action.form)
    form: BackendForm[Any] = usable(with_rows_chosen(request, usable, request.POST), auto_id=f"{action.name}-%s")
    if form.is_valid() and not any(form.cleaned_data.values()):
        form.add_error(next(iter(form.fields)), _("Choose something first."))
    return form, form.body(nulls=True) if form.is_valid() else None


def _why(error: ApiError) -> str:
    if isinstance(error, ApiUnavailableError):
        return _("The service did not answer. These may not be done yet:")
    return refusal_of(error) or _("The service did not take these:")
