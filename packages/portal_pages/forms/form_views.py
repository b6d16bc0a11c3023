"""The forms that create and edit a row."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, TypeVar

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.errors import ApiNotFoundError, ApiUnavailableError
from portal.query import MutationHook, MutationResult, PaginatedQueryHook, Partial, QueryHook, Row, RowParams
from portal.web.present import LazyText, list_text, record_if_answered
from portal.web.request import PortalRequest
from portal.web.submissions import UNKNOWN_FIELD, created_toast, see_other, submission_key
from portal_pages.forms.conflicts import in_conflict, labels, merged_form, settle_conflicts, show_conflicts
from portal_pages.forms.form_pages import deleted_page, form_page, page_of_new_row, refused_page
from portal_pages.forms.forms import BackendForm
from portal_pages.forms.messages import (
    NO_CHANGES,
    NO_CREATES,
    ask_about_doubles,
    is_not_taken,
    is_not_taken_of_row,
)
from portal_pages.forms.row_changes import change_row, not_written
from portal_pages.forms.row_choice import (
    given_in_address,
    matches_response,
    name_chosen_rows,
    usable_form,
    with_rows_chosen,
)
from portal_pages.forms.undo import row_before, say_changed
from portal_pages.lists import list_url_before
from portal_pages.page_names import DeclaredPage, PageNames

TRow = TypeVar("TRow", bound=Row)
TParams = TypeVar("TParams")


#: The texts of a form that has none of its own.
NEW: Final = gettext_lazy("New entry")
CREATE: Final = gettext_lazy("Create")
CREATED: Final = gettext_lazy("%(name)s was created.")
EDIT: Final = gettext_lazy("Edit %(name)s")
SAVE: Final = gettext_lazy("Save changes")
SAVED: Final = gettext_lazy("Your changes were saved.")
#: Of what the row does not offer any more.
CHANGED_MEANWHILE: Final = gettext_lazy("Somebody else has changed this meanwhile. Nothing was written.")


def _row_of(page: DeclaredPage, form: object) -> type[Row]:
    """The row of a page's form."""
    if not (isinstance(form, type) and issubclass(form, BackendForm) and hasattr(form, "row_class")):
        page.refuse(f"form should be a BackendForm of the row, not {form!r}")
    return form.row_class


@dataclass(frozen=True, kw_only=True, eq=False)
class _NewRowView(DeclaredPage, Generic[TRow, TParams]):
    """A form that creates a row, once (contract, section 8). Its address may give values: `…/new?title=Fault`."""

    methods = ("GET", "HEAD", "POST")
    of_a_row: ClassVar = False
    #: Of the row's page, to which it leads; and what is said where the backend takes nothing.
    section: ClassVar = ""
    refusal: ClassVar[LazyText] = NO_CREATES

    mutation: MutationHook[TRow, Partial[TRow], TParams]
    form: type[BackendForm[TRow]]
    unique: Sequence[str] = ()
    among: Mapping[str, Collection[Any]] = field(default_factory=dict)
    rows: PaginatedQueryHook[Any, ...] | None = None
    title: LazyText = NEW
    submit_label: LazyText = CREATE
    message: LazyText = CREATED

    def __post_init__(self) -> None:
        """Refuse a mutation that is not sent a form of this row."""
        self.check_mutation(has_params=self.of_a_row, form_row=_row_of(self, self.form))
        params: Any = self.rows and self.rows.params
        known = params.__struct_fields__ if params else self.form.base_fields
        for name in (each for each in self.unique if each not in known):
            self.refuse(f"unique names {name!r}, which is no {'parameter of rows' if params else 'field of the form'}")
        self.check_words(filled="message")

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """An empty form; POST creates the row, and leads to its page.

        :raises portal.errors.ApiError: the backend refused it, and no other input can help.
        """
        form_class = usable_form(request, self.form)
        matches = matches_response(request, form_class)
        if matches is not None:
            return matches
        if request.POST:
            form = form_class(with_rows_chosen(request, form_class, request.POST))
        else:
            form = form_class(initial=given_in_address(request, form_class))
        row_id, refused = values.get("row_id", ""), False
        create: Any = self.mutation(request, idempotency_key=submission_key(request) if request.POST else None)
        given: dict[str, Any] = {"params": RowParams(id=row_id)} if row_id else {}
        body: Any = form.body() if form.is_valid() else None
        if body is not None and not self._has_double(request, pages, form, create, {"body": body, **given}):
            result = create.mutate(body=body, **given)
            if result.is_success:
                name = _name_of(result.data, typed=body.record(**body.fields))
                new_id = result.data.id if result.data else ""
                created_toast(request, self.message % {"name": name}, row_id=new_id)
                if not row_id:
                    return page_of_new_row(request, pages, new_id)
                return see_other(f"{reverse(pages.detail, args=[row_id])}{self.section}")
            query = pages.row if row_id else None
            refused = is_not_taken_of_row(request, result.error, row_id, query=query)
            if not refused:
                form.show_backend_error(result)
        back_url, back_label = self._back(request, pages, row_id)
        about = {"title": str(self.title), "back_url": back_url, "back_label": back_label}
        if refused:
            return refused_page(request, form, text=self.refusal, **about)
        name_chosen_rows(request, form)
        return form_page(request, form, submit_label=str(self.submit_label), **about)

    def _has_double(self, request: PortalRequest, pages: PageNames, form: Any, create: Any, given: Any) -> bool:
        """Return whether a question is to be answered first. A form that was sent before is no double of itself."""
        rows = self.rows or pages.rows
        if rows is None or not self.unique or UNKNOWN_FIELD in request.POST:
            return False
        params: Any = given.get("params")
        values = {name: form.cleaned_data.get(name, params.id if params else "") for name in self.unique}
        route = "" if self.rows else pages.detail
        is_asked = ask_about_doubles(request, form, values=values, rows=rows, among=self.among, route=route)
        return is_asked and not create.was_sent(**given)

    def _back(self, request: PortalRequest, pages: PageNames, row_id: str) -> tuple[str, str]:
        """Where the form leads back to: the list as it was, or the page of the row to which the new one belongs.

        :raises portal.errors.ApiError: there is no such row.
        """
        if not row_id or pages.row is None:
            return list_url_before(request, pages.list), str(pages.title)
        row = record_if_answered(pages.row(request, id=row_id))
        return reverse(pages.detail, args=[row_id]), (str(row) if row else "") or row_id


@dataclass(frozen=True, kw_only=True, eq=False)
class CreateView(_NewRowView[TRow, None], Generic[TRow]):
    """A form that creates a row: `CreateView(mutation=…, form=ClientForm, title=_("New client"))`.

    :param unique: fields whose values no other row should have: what the list finds is asked about first.
    :param among: values by attribute: rows with others are not asked about.
    :param rows: another list than that of the rows, to look in.
    :param title: the form's heading, and the text of the list's button.
    :param submit_label: the form's button.
    :param message: what the new row's page says then, or the list where rows have no page; `%(name)s` is the new row.
    """


@dataclass(frozen=True, kw_only=True, eq=False)
class AddView(_NewRowView[TRow, RowParams], Generic[TRow]):
    """A form that creates something that belongs to a row, on a page below the row's, and leads back there.

    Its mutation takes the row's id, as `RowParams`: `adds={"report": AddView(mutation=…, form=FaultForm)}`.

    :param rows: the list of what the row has already. `unique` then is its parameter that takes the row's id.
    """

    of_a_row: ClassVar = True


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
    :param offered: whether a row, as it is when the form is sent, may be changed so. By default each may.
    """

    methods = ("GET", "HEAD", "POST")

    query: QueryHook[TRow, ...]
    mutation: MutationHook[Any, Partial[TRow], RowParams]
    form: type[BackendForm[TRow]]
    title: LazyText = EDIT
    submit_label: LazyText = SAVE
    message: LazyText = SAVED
    offered: Callable[[TRow], bool] | None = None

    def __post_init__(self) -> None:
        """Refuse a query that is not of this row, and a mutation that is not sent a form of it."""
        self.check_hook("query", QueryHook)
        row = _row_of(self, self.form)
        if not issubclass(self.query.data, row):
            self.refuse(f"the form is one of {row.__name__}, which {self.query.hook_name} does not return")
        self.check_mutation(has_params=True, form_row=row)
        self.check_words(filled="title")

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """A form with the row's fields; POST changes them.

        :raises portal.errors.ApiError: there is no such row; or the backend refused the change, and no other input can
            help.
        """
        row_id: str = values["row_id"]
        form_class = usable_form(request, self.form)
        matches = matches_response(request, form_class)
        if matches is not None:
            return matches
        if request.method != "POST":
            row = self.query(request, id=row_id).unwrap()
            return self._page(request, pages, form_class(row=row), row=row, row_id=row_id)
        resolved = with_rows_chosen(request, form_class, request.POST)
        sent, undecided = settle_conflicts(form_class, resolved)
        form = form_class(sent)
        if form.is_valid() and undecided:
            form = form_class(resolved)
            form.is_valid()
            show_conflicts(form, in_conflict(form), sent=request.POST)
        elif form.is_valid():
            saved = self._save(request, pages, form, row_id=row_id)
            if not isinstance(saved, BackendForm):
                return saved
            form = saved
        known = record_if_answered(self.query(request, id=row_id))
        return self._page(request, pages, form, row=known, row_id=row_id)

    def _save(
        self, request: PortalRequest, pages: PageNames, form: BackendForm[TRow], *, row_id: str
    ) -> HttpResponse | BackendForm[TRow]:
        """Send the changes, and lead to the row's page; or the form that says why that is not possible."""
        body, is_whole = form.changes(), self.mutation.method == "PUT"
        if not body.fields and not is_whole:
            return see_other(pages.detail, row_id)
        before = row_before(request, pages, query=self.query, row_id=row_id)
        try:
            change = change_row(
                request,
                query=self.query,
                mutation=self.mutation,
                row_id=row_id,
                body=body,
                shown=form,
                whole=form.body(nulls=True) if is_whole else None,
                still=self.offered,
            )
        except ApiNotFoundError as error:
            return self._not_found(request, pages, form, error, row_id=row_id)
        if change.result is not None and is_not_taken(change.result.error):
            return self._refused(request, pages, form, row_id=row_id)
        if change.is_done:
            changed = list_text(labels(form, change.theirs))
            also = [_("Meanwhile somebody else changed: %(fields)s.") % {"fields": changed}] if changed else []
            after = change.result.data if change.result else None
            text = " ".join([str(self.message), *also])
            say_changed(request, pages, text, before=before, after=after, names=change.names)
            return see_other(pages.detail, row_id)
        if change.now is not None and self.offered is not None and not self.offered(change.now):
            messages.error(request, CHANGED_MEANWHILE)
            return see_other(pages.detail, row_id)
        if change.now is not None:
            form = merged_form(form, change)
            form.is_valid()
        if change.result is not None:
            form.show_backend_error(change.result)
        return form

    def _not_found(
        self, request: PortalRequest, pages: PageNames, form: BackendForm[TRow], error: ApiNotFoundError, *, row_id: str
    ) -> HttpResponse | BackendForm[TRow]:
        """Tell a deleted row from a refused change after a 404; raise the error where nobody knows."""
        try:
            if is_not_taken_of_row(request, error, row_id, query=self.query):
                return self._refused(request, pages, form, row_id=row_id)
            form.show_backend_error(MutationResult(data=None, error=error))
        except ApiNotFoundError:
            return deleted_page(request, pages, form)
        except ApiUnavailableError as outage:
            form.show_backend_error(not_written(outage))
        return form

    def _refused(
        self, request: PortalRequest, pages: PageNames, form: BackendForm[TRow], *, row_id: str
    ) -> HttpResponse:
        return refused_page(request, form, text=NO_CHANGES, **self._about(pages, str(form.shown_row) or row_id, row_id))

    def _about(self, pages: PageNames, name: str, row_id: str) -> dict[str, str]:
        """The heading, and where the page leads back to."""
        url = reverse(pages.detail, args=[row_id])
        return {"title": self.title % {"name": name}, "back_url": url, "back_label": name}

    def _page(
        self, request: PortalRequest, pages: PageNames, form: BackendForm[TRow], *, row: TRow | None, row_id: str
    ) -> HttpResponse:
        name = (str(row) if row else "") or row_id
        name_chosen_rows(request, form)
        return form_page(request, form, submit_label=str(self.submit_label), **self._about(pages, name, row_id))
