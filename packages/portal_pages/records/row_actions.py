"""What people do with a row: buttons and small forms on its page. A change of fields can be undone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

from django.contrib import messages
from django.urls import reverse
from django.utils.translation import gettext as _

from portal.errors import (
    ApiConflictError,
    ApiForbiddenError,
    ApiNotFoundError,
    UsageError,
)
from portal.query import Partial, QueryHook, Row, RowParams, is_absent
from portal.web.frame import page_is_denied
from portal.web.submissions import see_other, submission_key
from portal_pages.forms import (
    CHANGED_MEANWHILE,
    NO_CHANGES,
    NOT_ALLOWED,
    BackendForm,
    EditView,
    change_row,
    is_not_taken_of_row,
    row_before,
    say_changed,
    usable_form,
    version_in,
)
from portal_pages.page_names import DeclaredPage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from django.http import HttpRequest, HttpResponse

    from portal.errors import ApiError
    from portal.query import MutationHook
    from portal.web.present import LazyText
    from portal.web.request import PortalRequest
    from portal_pages.forms import RowChange
    from portal_pages.page_names import PageNames

TRow = TypeVar("TRow", bound=Row)

_NAME: Final = re.compile(r"[a-z]+(-[a-z]+)*")
#: The end of the address that undoes an action.
UNDO: Final = "undo"
#: Ends of a row's addresses that other pages have.
_TAKEN: Final = frozenset({"delete", "edit", "note", "restore", UNDO})


@dataclass(frozen=True, kw_only=True, eq=False)
class RowAction(Generic[TRow]):
    """A change of some fields: `RowAction(name="start", label=_("Start"), values=…, message=_("…"))`.

    :param name: the end of its address, and of its URL's name: `operations/work-orders/<row_id>/start`.
    :param label: the button.
    :param message: what the row's page says then; of a button, `%(name)s` is the row, and `%(email)s` its attribute.
    :param values: what the button sets; a function of the request for what depends on the user, which may return None.
        A row that has these values already does not offer it.
    :param form: in place of `values`: a small form, which is shown below the facts.
    :param mutation: in place of `values`: another call about the row, without a body. It can't be undone.
    :param question: what is asked before the button does anything; it has the values of `message`.
    :param offered: whether this row offers it; by default each does. What a row does not offer is not done either.
        A page is kept for a quarter of an hour, so it must not depend on more than the row and the day.
    :param icon: before the label.
    :param is_main: whether its button stands beside the row's name, and not below the facts.
    :param permission: one that the action needs beside the platform: without it, it is neither offered nor done.
    :param bulk: whether it is offered for several rows too, which are selected in the list.
    """

    name: str
    label: LazyText
    message: LazyText
    values: Partial[TRow] | Callable[[PortalRequest], Partial[TRow] | None] | None = None
    form: type[BackendForm[TRow]] | None = None
    mutation: MutationHook[TRow, None, RowParams] | None = None
    question: LazyText = ""
    offered: Callable[[TRow], bool] | None = None
    icon: str = ""
    is_main: bool = False
    permission: str = ""
    bulk: bool = False

    def __post_init__(self) -> None:
        """Check `name`, and require exactly one of `values`, `form` and `mutation`."""
        if not _NAME.fullmatch(self.name) or self.name in _TAKEN:
            raise UsageError(f"RowAction: {self.name!r} is no name of an action, such as start; {_TAKEN} are taken")
        if [self.values, self.form, self.mutation].count(None) != 2:  # noqa: PLR2004  one of three is there
            raise UsageError(f"RowAction {self.name!r}: give it values, a form or a mutation")
        if self.bulk and self.mutation is not None:
            raise UsageError(f"RowAction {self.name!r}: what a mutation of its own does is not done to several rows")

    def body(self, request: PortalRequest) -> Partial[TRow] | None:
        """What the button sets; None if that is not known."""
        return self.values(request) if callable(self.values) else self.values


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAction:
    """An action as the page of a row shows it.

    :param names: attributes that it changes.
    :param form: None for a button.
    :param question: before the button; empty for none.
    """

    name: str
    label: str
    icon: str
    url: str
    names: tuple[str, ...]
    form: BackendForm[Any] | None
    question: str
    is_main: bool


def offered_actions(
    request: PortalRequest, pages: PageNames, actions: Iterable[RowAction[Any]], *, row: Row, row_id: str
) -> Iterator[ShownAction]:
    """The actions that this row offers this user."""
    for action in actions:
        is_open = not action.permission or not page_is_denied(request, action.permission)
        is_open = is_open and not (action.mutation and is_absent(action.mutation, request))
        if not is_open or (action.offered is not None and not action.offered(row)):
            continue
        form = usable_form(request, action.form)(row=row, auto_id=f"{action.name}-%s") if action.form else None
        body = None if form else action.body(request)
        names = tuple(form.fields) if form else tuple(body.fields) if body else ()
        if body is not None and all(getattr(row, name) == value for name, value in body.fields.items()):
            continue
        if names or action.mutation:
            yield ShownAction(
                name=action.name,
                label=str(action.label),
                icon=action.icon,
                url=reverse(f"{pages.detail}-{action.name}", args=[row_id]),
                names=names,
                form=form,
                question=str(action.question) % _words_of(row) if action.question else "",
                is_main=action.is_main,
            )


def shown_action(request: HttpRequest, action: RowAction[Any], *, form: BackendForm[Any] | None) -> ShownAction:
    """An action that this page offers for several rows.

    :param form: the form that was sent, with its errors.
    """
    empty = usable_form(request, action.form)(auto_id=f"{action.name}-%s") if action.form else None
    return ShownAction(
        name=action.name,
        label=str(action.label),
        icon=action.icon,
        url=request.path,
        names=(),
        form=form or empty,
        question="",
        is_main=action.is_main,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class ActionPage(DeclaredPage):
    """Takes a button's form, and leads back to the row's page."""

    methods = ("POST",)

    action: RowAction[Any]
    query: QueryHook[Any, ...]
    mutation: MutationHook[Any, Any, RowParams]

    @property
    def call(self) -> str:
        """The key of the mutation."""
        return f"{self.mutation.key}, {self.action.name}"

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Change the fields, unless somebody else has changed them since the page was shown.

        :raises portal.errors.ApiError: the backend refused it, or did not answer.
        """
        row_id: str = values["row_id"]
        body = self.action.body(cast("PortalRequest", request))
        if body is None:
            messages.error(request, _("Your profile could not be loaded."))
            return see_other(pages.detail, row_id)
        before = row_before(request, pages, query=self.query, row_id=row_id)
        change: RowChange[Any] | None = None
        try:
            change = change_row(
                request, query=self.query, mutation=self.mutation, row_id=row_id, body=body, still=self.action.offered
            )
            error = change.result.error if change.result else None
        except ApiNotFoundError as not_found:
            error = not_found
        if refusal := _refusal(request, error, mutation=self.mutation, query=self.query, row_id=row_id):
            messages.error(request, refusal)
        elif change is None:
            raise error or ApiNotFoundError
        elif change.conflicts:
            messages.error(request, CHANGED_MEANWHILE)
        else:
            after = change.result.unwrap() if change.result else None
            text = self.action.message % _words_of(after or change.now or before or row_id)
            say_changed(request, pages, text, before=before, after=after, names=change.names)
        return see_other(pages.detail, row_id)


@dataclass(frozen=True, kw_only=True, eq=False)
class CallPage(ActionPage):
    """Takes the form of a button with a call of its own."""

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Make the call, unless somebody else has changed the row since the page was shown.

        :raises portal.errors.ApiError: the backend refused it, or did not answer.
        """
        row_id: str = values["row_id"]
        now = self.query(request, id=row_id).refetch().unwrap()
        if self.action.offered is not None and not self.action.offered(now):
            messages.error(request, CHANGED_MEANWHILE)
            return see_other(pages.detail, row_id)
        call = self.mutation(request, idempotency_key=submission_key(request))
        result = call.mutate(params=RowParams(id=row_id), if_match=version_in(request.POST))
        if isinstance(result.error, ApiConflictError):
            messages.error(request, CHANGED_MEANWHILE)
        elif refusal := _refusal(request, result.error, mutation=self.mutation, query=self.query, row_id=row_id):
            messages.error(request, refusal)
        else:
            messages.success(request, self.action.message % _words_of(result.unwrap()))
        return see_other(pages.detail, row_id)


def _refusal(
    request: HttpRequest,
    error: ApiError | None,
    *,
    mutation: MutationHook[Any, Any, RowParams],
    query: QueryHook[Any, ...],
    row_id: str,
) -> str:
    """What is said where the backend does not do this, or not for this user; empty for anything else."""
    if is_not_taken_of_row(request, error, mutation=mutation, query=query, row_id=row_id):
        return str(NO_CHANGES)
    return str(NOT_ALLOWED) if isinstance(error, ApiForbiddenError) else ""


def _words_of(row: Row | str) -> dict[str, object]:
    """What stands for `%(…)s` in the texts of an action.

    :param row: its id where nothing else is known of it.
    """
    fields = () if isinstance(row, str) else row.__struct_fields__
    return {**{field: getattr(row, field) for field in fields}, "name": str(row)}


def action_page(
    action: RowAction[Any], *, query: QueryHook[Any, ...], mutation: MutationHook[Any, Any, RowParams], permission: str
) -> DeclaredPage:
    """The page behind an action: of a form, a page that can be opened too.

    :param permission: the action's own, else that of the row's page.
    """
    if action.mutation is not None:
        return CallPage(action=action, query=query, mutation=action.mutation, permission=permission)
    if action.form is None:
        return ActionPage(action=action, query=query, mutation=mutation, permission=permission)
    return EditView(
        permission=permission,
        query=query,
        mutation=mutation,
        form=action.form,
        title=action.label,
        submit_label=action.label,
        message=action.message,
        offered=action.offered,
    )
