"""What people do with a row: buttons and small forms on its page. A change of fields can be undone."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from portal.errors import ApiConflictError, ApiNotFoundError, UsageError
from portal.query import MutationHook, Partial, QueryHook, Row, RowParams, offers
from portal.web.frame import page_is_denied
from portal.web.present import LazyText
from portal.web.request import PortalRequest
from portal.web.submissions import see_other, submission_key
from portal_pages.forms import (
    CHANGED_MEANWHILE,
    BackendForm,
    EditView,
    RowChange,
    change_row,
    name_chosen_rows,
    refusal_of_row,
    row_before,
    say_changed,
    usable_form,
    version_in,
)
from portal_pages.page_names import DeclaredPage, PageNames

TRow = TypeVar("TRow", bound=Row)

_NAME: Final = re.compile(r"[a-z]+(-[a-z]+)*")
#: The ends of the addresses that undo an action, and a deletion.
UNDO: Final = "undo"
RESTORE: Final = "restore"
#: Ends of a row's addresses that other pages have.
_TAKEN: Final = frozenset({"delete", "edit", "note", RESTORE, UNDO})


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

    def is_open_to(self, request: PortalRequest) -> bool:
        """Whether it is offered to this user at all."""
        is_denied = bool(self.permission) and page_is_denied(request, self.permission)
        return not is_denied and (self.mutation is None or offers(self.mutation))

    def fits(self, row: TRow) -> bool:
        """Whether this row offers it."""
        return self.offered is None or self.offered(row)

    def needs(self, row: TRow, body: Partial[TRow]) -> bool:
        """Whether this row offers it, and is not so already."""
        return self.fits(row) and any(getattr(row, name) != value for name, value in body.fields.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAction:
    """An action as the page of a row shows it.

    :param names: attributes that it changes.
    :param form: None for a button.
    :param question: before the button; empty for none.
    """

    declared: RowAction[Any]
    url: str
    names: tuple[str, ...]
    form: BackendForm[Any] | None
    question: str


def offered_actions(
    request: PortalRequest, pages: PageNames, actions: Iterable[RowAction[Any]], *, row: Row, row_id: str
) -> Iterator[ShownAction]:
    """The actions that this row offers this user."""
    for action in actions:
        if not action.is_open_to(request):
            continue
        body = action.body(request)
        if action.fits(row) if body is None else action.needs(row, body):
            url = reverse(f"{pages.detail}-{action.name}", args=[row_id])
            shown = shown_action(request, action, url=url, row=row, names=tuple(body.fields if body else ()))
            if shown.names or action.mutation:
                yield shown


def shown_action(
    request: PortalRequest,
    action: RowAction[Any],
    *,
    url: str,
    row: Row | None = None,
    names: tuple[str, ...] = (),
    form: BackendForm[Any] | None = None,
) -> ShownAction:
    """An action as a page shows it.

    :param row: the one that it changes; None for several.
    :param names: what its button changes.
    :param form: the form that was sent, with its errors; by default an empty one.
    """
    if form is None and action.form is not None:
        form = usable_form(request, action.form)(row=row, auto_id=f"{action.name}-%s")
    if form is not None:
        name_chosen_rows(request, form)
    return ShownAction(
        declared=action,
        url=url,
        names=names if form is None else tuple(form.fields),
        form=form,
        question=str(action.question) % _words_of(row) if action.question and row else "",
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

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Change the fields or make the call, unless somebody else has changed the row since the page was shown.

        :raises portal.errors.ApiError: the backend refused it, or did not answer.
        """
        row_id: str = values["row_id"]
        refusal = self._change(request, pages, row_id) if self.action.mutation is None else self._call(request, row_id)
        if refusal:
            messages.error(request, refusal)
        return see_other(pages.detail, row_id)

    def _change(self, request: PortalRequest, pages: PageNames, row_id: str) -> LazyText:
        """Set what the button sets; what is said where that is refused."""
        body = self.action.body(request)
        if body is None:
            return _("Your profile could not be loaded.")
        before = row_before(request, pages, query=self.query, row_id=row_id)
        try:
            change: RowChange[Any] = change_row(
                request, query=self.query, mutation=self.mutation, row_id=row_id, body=body, still=self.action.offered
            )
        except ApiNotFoundError as error:
            return refusal_of_row(request, error, row_id, page=self)
        if refusal := refusal_of_row(request, change.result.error if change.result else None, row_id, page=self):
            return refusal
        if change.conflicts:
            return CHANGED_MEANWHILE
        after = change.result.unwrap() if change.result else None
        text = self.action.message % _words_of(after or change.now or before or row_id)
        say_changed(request, pages, text, before=before, after=after, names=change.names)
        return ""

    def _call(self, request: PortalRequest, row_id: str) -> LazyText:
        """Make the action's own call; what is said where that is refused."""
        if not self.action.fits(self.query(request, id=row_id).refetch().unwrap()):
            return CHANGED_MEANWHILE
        call = self.mutation(request, idempotency_key=submission_key(request))
        result = call.mutate(params=RowParams(id=row_id), if_match=version_in(request.POST))
        if isinstance(result.error, ApiConflictError):
            return CHANGED_MEANWHILE
        if refusal := refusal_of_row(request, result.error, row_id, page=self):
            return refusal
        messages.success(request, self.action.message % _words_of(result.unwrap()))
        return ""


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
    if action.form is None:
        return ActionPage(action=action, query=query, mutation=action.mutation or mutation, permission=permission)
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
