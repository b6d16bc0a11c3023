"""The page of one row."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Generic, TypeVar

from django.http import HttpResponse

from portal.query import (
    ActivityEntry,
    MutationHook,
    PaginatedQueryHook,
    Partial,
    QueryHook,
    QueryResult,
    Row,
    RowParams,
    offers,
    use_queries,
    versions_of,
)
from portal.web.context_processors import render_kept
from portal.web.frame import part_shell_for
from portal.web.present import part_if_answered
from portal.web.request import PortalRequest, active_locale
from portal.web.templating import own_or_default
from portal_pages.forms import UndoPage
from portal_pages.lists import Cell, Column, column_fault, list_url_before, words_in, written_cells
from portal_pages.page_names import DeclaredPage, PageNames, ShownRow
from portal_pages.records.history import NOTE, NotePage, history_of, history_specs
from portal_pages.records.related import Related
from portal_pages.records.row_actions import UNDO, RowAction, action_page, offered_actions

TShown_co = TypeVar("TShown_co", bound=Row, covariant=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class DetailView(DeclaredPage, Generic[TShown_co]):
    """The page of one row: `DetailView(hook=ClientQueries.use_get_client_query)`.

    Its template has the variables `row`, `pages` and `back_url`, those of the resource, and those of `context`.

    :param mutation: changes the row, as the actions want it.
    :param actions: what people do with the row: buttons and small forms on its page, each of which can be undone.
    :param related: what belongs to the row: short lists below its facts, read at the same time as the row.
    :param beside: further rows for the template, by the names of the variables: each with the hook that reads it, and
        the attribute of the row that has its id. None where there is none.
    :param activity: the history of the row, read at the same time. A backend without it: no history is shown.
    :param note: writes a note into the history.
    :param facts: what its page shows of the row where it has no template of its own; by default the columns of the
        list. The first one is the page's heading. With a template they are labels of the history alone.
    :param template: extends `portal/detail.html`: the facts of the row. By default `detail.html` in the resource's
        folder, if it is there.
    :param context: makes further variables from the row, such as a chart.
    """

    methods = ("GET", "HEAD")
    about = "hook"

    hook: QueryHook[TShown_co, ...]
    related: Sequence[Related[Any]] = ()
    mutation: MutationHook[Any, Any, RowParams] | None = None
    actions: Sequence[RowAction[Any]] = ()
    beside: Mapping[str, tuple[QueryHook[Any, ...], str]] = field(default_factory=dict)
    activity: PaginatedQueryHook[ActivityEntry, ...] | None = None
    note: MutationHook[ActivityEntry, Partial[ActivityEntry], RowParams] | None = None
    facts: Mapping[str, Column] = field(default_factory=dict)
    template: str = ""
    context: Callable[[TShown_co], Mapping[str, object]] | None = None

    def __post_init__(self) -> None:
        """Refuse a hook that is none of one row."""
        self.check_hook("hook", QueryHook)
        if bool(self.actions) != (self.mutation is not None):
            self.refuse("give it actions and the mutation that they are sent to, or neither")
        if self.mutation is not None:
            self.check_mutation(has_params=True, form_row=self.hook.data)
        if self.activity is not None:
            self.check_hook("activity", PaginatedQueryHook)
        elif self.note is not None:
            self.refuse("a note stands in the history: give activity=… too")
        for name, fact in self.facts.items():
            if fault := column_fault(name, fact, self.hook.data):
                self.refuse(fault)
        names = [action.name for action in self.actions]
        if len(set(names)) < len(names):
            self.refuse(f"two actions have one name: {', '.join(names)}")

    def action_pages(self) -> dict[str, DeclaredPage]:
        """The pages behind the notes, the actions and what undoes them, by the ends of their addresses."""
        notes: dict[str, DeclaredPage] = {}
        if self.note is not None:
            notes[NOTE] = NotePage(permission=self.permission, mutation=self.note)
        if self.mutation is None:
            return notes
        own: dict[str, Any] = {"query": self.hook, "mutation": self.mutation}
        found = {
            each.name: action_page(each, permission=each.permission or self.permission, **own) for each in self.actions
        }
        return {**notes, **found, UNDO: UndoPage(permission=self.permission, **own)}

    def shown(self, pages: PageNames) -> ShownRow:
        """The template, and the class of the row."""
        return ShownRow(template=self._template(pages), row=self.hook.data, declared_at=self.declared_at)

    def _template(self, pages: PageNames) -> str:
        own = f"{pages.templates}/detail.html"
        return self.template or (own_or_default(own, "portal/detail.html") if self.facts or pages.columns else own)

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """Read the row, and render it.

        :raises portal.errors.ApiError: there is no row to show.
        """
        row_id: str = values["row_id"]
        open_lists = [each for each in self.related if each.is_open_to(request)]
        summed = [each for each in open_lists if each.totals is not None and offers(each.totals.hook)]
        specs: list[Any] = [self.hook.spec(id=row_id), *(each.spec(row_id) for each in open_lists)]
        specs += (each.totals_spec(row_id) for each in summed)
        told = history_specs(self.activity, request, row_id=row_id)
        result, *lists = use_queries(request, [*specs, *told])
        row: Any = result.unwrap()
        activity = lists.pop() if told else None
        totals = dict(zip(summed, lists[len(open_lists) :], strict=True))
        beside = {name: _beside(request, hook, getattr(row, id_of)) for name, (hook, id_of) in self.beside.items()}
        shell = part_shell_for(request)
        back = list_url_before(request, pages.list) if pages.list else ""

        def variables() -> dict[str, object]:
            found = (
                each.present(row_id, answer, row=row, shell=shell, totals=totals.get(each))
                for each, answer in zip(open_lists, lists, strict=False)
            )
            words = {**pages.context, **words_in(self.facts or pages.columns)}
            actions = self.actions if self.mutation is not None and offers(self.mutation) else ()
            history = activity and history_of(
                activity,
                pages,
                row=self.hook.data,
                row_id=row_id,
                takes_notes=self.note is not None and offers(self.note),
            )
            return {
                **words,
                "words": words,
                "facts": _facts_in(self, pages, active_locale()),
                **{name: each and part_if_answered(each) for name, each in beside.items()},
                **(self.context(row) if self.context else {}),
                "pages": pages.offered(request),
                "history": history,
                "row": row,
                "relations": [relation for relation in found if relation is not None],
                "actions": list(offered_actions(request, pages, actions, row=row, row_id=row_id)),
                "back_url": back,
            }

        versions = versions_of(result, *lists, *filter(None, (*beside.values(), activity)))
        key = None if versions is None else (*versions, back)
        return render_kept(request, self._template(pages), variables, key=key)


def _beside(request: PortalRequest, hook: Any, row_id: str | None) -> QueryResult[Any] | None:
    return hook(request, id=row_id) if row_id and offers(hook) else None


@lru_cache(maxsize=256)
def _facts_in(
    view: DetailView[Any],
    pages: PageNames,
    locale: str,  # noqa: ARG001  the key
) -> tuple[Cell, ...]:
    """The facts of a row in the active language `locale`: all but the first column, which is the heading."""
    return written_cells(view.facts or pages.columns, view.hook.data)[1:]
