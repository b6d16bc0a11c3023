"""The forms that create and edit a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from django.contrib import messages
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from portal.query import Partial, QueryHook, Row, RowParams
from portal.web.pages.form_pages import form_page, see_other, submission_key
from portal.web.pages.forms import BackendForm
from portal.web.pages.page_names import DeclaredPage
from portal.web.present import record_if_answered

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from portal.query import MutationHook
    from portal.web.pages.page_names import PageNames
    from portal.web.present import LazyText

TRow = TypeVar("TRow", bound=Row)


#: The texts of a form that has none of its own.
NEW: Final = _("New entry")
CREATE: Final = _("Create")
CREATED: Final = _("%(name)s was created.")
EDIT: Final = _("Edit %(name)s")
SAVE: Final = _("Save changes")
SAVED: Final = _("Your changes were saved.")


def _row_of(page: DeclaredPage, form: object) -> type[Row]:
    """The row of a page's form."""
    if not (isinstance(form, type) and issubclass(form, BackendForm) and hasattr(form, "row_class")):
        page.refuse(f"form should be a BackendForm of the row, not {form!r}")
    return form.row_class


@dataclass(frozen=True, kw_only=True, eq=False)
class CreateView(DeclaredPage, Generic[TRow]):
    """A form that creates a row: `CreateView(mutation=…, form=ClientForm, title=_("New client"))`.

    A form that arrives twice creates one row (contract, section 8).

    :param title: the form's heading, and the text of the list's button.
    :param submit_label: the form's button.
    :param message: what the list says then; `%(name)s` is the new row.
    """

    methods = ("GET", "HEAD", "POST")

    mutation: MutationHook[TRow, Partial[TRow], None]
    form: type[BackendForm[TRow]]
    title: LazyText = NEW
    submit_label: LazyText = CREATE
    message: LazyText = CREATED

    def __post_init__(self) -> None:
        """Refuse a mutation that is not sent a form of this row."""
        self.check_mutation(has_params=False, form_row=_row_of(self, self.form))
        self.check_words(filled="message")

    @property
    def call(self) -> str:
        """The key of the mutation."""
        return self.mutation.key

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """An empty form; POST creates the row, which then stands at the top of the list.

        :raises portal.errors.ApiError: the backend refused it, and no other input can help.
        """
        del values
        form = self.form(request.POST or None)
        if form.is_valid():
            create, body = self.mutation(request, idempotency_key=submission_key(request)), form.body()
            result = create.mutate(body=body)
            if result.is_success:
                name = _name_of(result.data, typed=body.record(**body.fields))
                messages.success(request, self.message % {"name": name})
                return see_other(pages.list)
            form.show_backend_error(result)
        return form_page(
            request,
            form,
            title=str(self.title),
            submit_label=str(self.submit_label),
            back_url=reverse(pages.list),
            back_label=str(pages.title),
        )


def _name_of(created: Row | None, *, typed: Row) -> str:
    """What people call the new row: as the backend returned it, or as it was typed, if the response has no name."""
    returned = "" if created is None else str(created)
    return returned if created is not None and returned != created.id else str(typed) or returned


@dataclass(frozen=True, kw_only=True, eq=False)
class EditView(DeclaredPage, Generic[TRow]):
    """A form that changes a row: `EditView(query=…, mutation=…, form=ClientForm)`.

    :param title: the form's heading; `%(name)s` is the row.
    :param submit_label: the form's button.
    :param message: what the row's page says then.
    """

    methods = ("GET", "HEAD", "POST")

    query: QueryHook[TRow, ...]
    mutation: MutationHook[Any, Partial[TRow], RowParams]
    form: type[BackendForm[TRow]]
    title: LazyText = EDIT
    submit_label: LazyText = SAVE
    message: LazyText = SAVED

    def __post_init__(self) -> None:
        """Refuse a query that is not of this row, and a mutation that is not sent a form of it."""
        self.check_hook("query", QueryHook)
        row = _row_of(self, self.form)
        if not issubclass(self.query.data, row):
            self.refuse(f"the form is one of {row.__name__}, which {self.query.hook_name} does not return")
        self.check_mutation(has_params=True, form_row=row)
        self.check_words(filled="title")

    @property
    def call(self) -> str:
        """The key of the mutation."""
        return self.mutation.key

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """A form with the row's fields; POST changes them.

        :raises portal.errors.ApiError: there is no such row; or the backend refused the change, and no other input can
            help.
        """
        row_id: str = values["row_id"]
        if request.method != "POST":
            found = self.query(request, id=row_id)
            if found.is_placeholder and found.error is not None:
                # A list's row may lack what the detail has, and a form would send that as empty.
                raise found.error
            row = found.unwrap()
            return self._page(request, pages, self.form(row=row), row=row, row_id=row_id)
        form, known = self.form(request.POST), None
        is_at_once_valid = form.is_valid()
        if not is_at_once_valid:
            # A value that is no choice of ours may be the row's own.
            known = record_if_answered(self.query(request, id=row_id))
            form = self.form(request.POST, row=known)
        if form.is_valid():
            body = form.body() if self.mutation.method == "PUT" else form.changes()
            if not body.fields:
                return see_other(pages.detail, row_id)
            result = self.mutation(request).mutate(body=body, params=RowParams(id=row_id))
            if result.is_success:
                messages.success(request, str(self.message))
                return see_other(pages.detail, row_id)
            form.show_backend_error(result)
        if is_at_once_valid:
            known = record_if_answered(self.query(request, id=row_id))
        return self._page(request, pages, form, row=known, row_id=row_id)

    def _page(
        self, request: HttpRequest, pages: PageNames, form: BackendForm[TRow], *, row: TRow | None, row_id: str
    ) -> HttpResponse:
        name = (str(row) if row else "") or row_id
        return form_page(
            request,
            form,
            title=self.title % {"name": name},
            submit_label=str(self.submit_label),
            back_url=reverse(pages.detail, args=[row_id]),
            back_label=name,
        )
