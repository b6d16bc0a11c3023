"""The page of one row, and the form that deletes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from django.contrib import messages
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from portal.query import QueryHook, Row, RowParams
from portal.web.pages.form_pages import see_other
from portal.web.pages.page_names import DeclaredPage, ShownRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse

    from portal.query import MutationHook
    from portal.web.pages.page_names import PageNames
    from portal.web.present import LazyText

TShown_co = TypeVar("TShown_co", bound=Row, covariant=True)


#: The texts of a page that has none of its own.
WARNING: Final = _("This can’t be undone.")
DELETE: Final = _("Delete")
DELETED: Final = _("The entry was deleted.")


@dataclass(frozen=True, kw_only=True, eq=False)
class DetailView(DeclaredPage, Generic[TShown_co]):
    """The page of one row: `DetailView(hook=ClientQueries.use_get_client_query)`.

    Its template has the variables `row` and `pages`, those of the resource, and those of `context`.

    :param template: extends `portal/detail.html`: the facts of the row. By default `detail.html` in the resource's
        folder.
    :param context: makes further variables from the row, such as a chart.
    """

    methods = ("GET", "HEAD")

    hook: QueryHook[TShown_co, ...]
    template: str = ""
    context: Callable[[TShown_co], Mapping[str, object]] | None = None

    def __post_init__(self) -> None:
        """Refuse a hook that is none of one row."""
        self.check_hook("hook", QueryHook)

    @property
    def call(self) -> str:
        """The key of the query."""
        return self.hook.key

    def shown(self, pages: PageNames) -> ShownRow:
        """The template, and the class of the row."""
        return ShownRow(template=self._template(pages), row=self.hook.data, declared_at=self.declared_at)

    def _template(self, pages: PageNames) -> str:
        return self.template or f"{pages.templates}/detail.html"

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Read the row, and render it.

        :raises portal.errors.ApiError: there is no row to show.
        """
        row = self.hook(request, id=values["row_id"]).unwrap()
        made = self.context(row) if self.context else {}
        return render(request, self._template(pages), {**pages.context, **made, "pages": pages, "row": row})


@dataclass(frozen=True, kw_only=True, eq=False)
class DeleteView(DeclaredPage):
    """Deletes a row, and leads to the list: `DeleteView(mutation=ClientMutations.use_delete_client_mutation)`.

    The row's page (`portal/detail.html`) has the button, and a dialog before it.

    :param text: what the dialog says.
    :param label: the dialog's button.
    :param message: what the list says then.
    """

    methods = ("POST",)

    mutation: MutationHook[Any, None, RowParams]
    text: LazyText = WARNING
    label: LazyText = DELETE
    message: LazyText = DELETED

    def __post_init__(self) -> None:
        """Refuse a mutation that does not delete."""
        self.check_mutation(has_params=True, form_row=None)
        self.check_words()

    @property
    def call(self) -> str:
        """The key of the mutation."""
        return self.mutation.key

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Delete the row. A row that is deleted already is a 404 page.

        :raises portal.errors.ApiError: the backend did not delete it.
        """
        self.mutation(request).mutate(params=RowParams(id=values["row_id"])).unwrap()
        messages.success(request, str(self.message))
        return see_other(pages.list)
