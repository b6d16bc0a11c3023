"""The pages of one resource by the names of their URLs, and what a declared page is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, ClassVar, Final, NoReturn, get_args, get_origin

from django.http import HttpResponse
from django.urls import resolve, reverse
from django.views.decorators.http import require_http_methods

from portal.config.places import declaring_line
from portal.errors import ApiAbsentError, UsageError
from portal.query import Endpoint, MutationHook, PaginatedQueryHook, Partial, QueryHook, Row, offers
from portal.web.frame import is_not_offered, page_is_denied
from portal.web.guards import View
from portal.web.present import LazyText
from portal.web.request import SHOWS, PortalRequest

#: What hooks are called in messages.
_KINDS: Final[dict[type, str]] = {
    PaginatedQueryHook: "the hook of a list",
    QueryHook: "the hook of one row",
    MutationHook: "the hook of a mutation",
}
#: Parameters that are texts of a page, and what stands for a value in them.
_WORDS: Final = frozenset({"title", "text", "label", "submit_label", "message", "search_hint"})
_VALUE: Final = re.compile(r"%\((\w*)\)")
#: The view's attributes.
_SHOWN: Final = "_portal_shown"
_NAMES: Final = "_portal_names"


@dataclass(frozen=True, kw_only=True, eq=False)
class PageNames:
    """The pages of one resource, as their views and templates know them.

    :param list: name of the list's URL, as are `export`, `create`, `detail`, `edit` and `delete`; empty if there is no
        such page.
    :param bulk: name of the URL that does something to several rows; empty if there is none.
    :param undo: name of the URL that brings former values back; empty if nothing can be undone.
    :param restore: name of the URL that takes a deletion back.
    :param title: the list's heading, and the text of links back to it.
    :param create_label: the text of the list's button.
    :param create_form: class of the form that creates a row; None without one.
    :param delete_label: the text of the button that deletes.
    :param delete_text: what the dialog says before.
    :param templates: the folder of its templates.
    :param context: what its templates get beside their rows.
    :param row: reads one row; None where there is no declared page of one.
    :param rows: reads the list.
    :param writes: the mutation behind `create`, `edit`, `delete`, `restore` and `bulk`, as far as those are declared.
    :param permissions: those that these pages and `detail` need, as far as they need one of their own.
    :param columns: of the list, by their names.
    :param fields: what is known of the fields of a row, by their names on the wire.
    """

    list: str = ""
    export: str = ""
    create: str = ""
    detail: str = ""
    edit: str = ""
    delete: str = ""
    bulk: str = ""
    undo: str = ""
    restore: str = ""
    title: LazyText = ""
    create_label: LazyText = ""
    create_form: Any = None
    delete_label: LazyText = ""
    delete_text: LazyText = ""
    templates: str = ""
    context: Mapping[str, object] = field(default_factory=dict)
    row: QueryHook[Any, ...] | None = None
    rows: PaginatedQueryHook[Any, ...] | None = None
    writes: Mapping[str, MutationHook[Any, Any, Any]] = field(default_factory=dict)
    permissions: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)

    def offered(self, request: PortalRequest) -> PageNames:
        """Those that a page of this request offers: without the row and the writes that the backend does not offer, and
        those for which the user has no permission.
        """
        absent: dict[str, Any] = {page: "" for page, mutation in self.writes.items() if not offers(mutation)}
        absent |= {"detail": ""} if self.row is not None and not offers(self.row) else {}
        absent |= {page: "" for page, permission in self.permissions.items() if page_is_denied(request, permission)}
        return replace(self, **absent) if absent else self


def offered_pages(names: Mapping[str, LazyText], request: PortalRequest) -> list[tuple[str, str]]:
    """Those to which this user may be led, each as label and address.

    :param names: of their URLs, with the labels.
    """
    found = ((str(label), reverse(name)) for name, label in names.items())
    return [(label, url) for label, url in found if not is_not_offered(resolve(url).func, request)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """What a declared page shows, for who looks for faults in its template.

    :param row: class of the template's variable `row`.
    :param declared_at: file and line of the page's declaration.
    :param columns: of a list: its columns by their names, for which the template has cells.
    :param filters: of a list: what it can be narrowed to.
    """

    template: str
    row: type[Row]
    declared_at: tuple[str, int]
    columns: Mapping[str, Any] = field(default_factory=dict)
    filters: Sequence[Any] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class DeclaredPage:
    """A page that is declared: its class knows how it responds.

    :param permission: one that this page needs beside the platform, in place of that of its resource.
    :ivar about: the parameter with the call that the page is about.
    :ivar declared_at: file and line.
    """

    methods: ClassVar[tuple[str, ...]]
    about: ClassVar[str] = "mutation"

    permission: str = ""
    declared_at: tuple[str, int] = field(
        default_factory=partial(declaring_line, "portal_pages"), init=False, repr=False
    )

    @property
    def shows(self) -> Endpoint[Any]:
        """The call that the page is about: without it there is no such page."""
        endpoint: Endpoint[Any] = getattr(self, self.about)
        return endpoint

    def shown(self, pages: PageNames) -> ShownRow | None:  # noqa: ARG002  for those that show one
        """The row and the template that the page shows; None for a page of another kind."""
        return None

    def respond(self, request: PortalRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """The response to a request.

        :param values: those of the URL.
        """
        raise NotImplementedError

    def refuse(self, message: str) -> NoReturn:
        """Tell what is wrong with the declaration, in the line that makes it.

        :raises UsageError: always.
        """
        raise UsageError(f"{type(self).__name__}: {message}")

    def check_hook(self, role: str, kind: type) -> None:
        """Refuse a hook of another kind, which type checkers tell too.

        :param role: the parameter that takes the hook.
        """
        given = getattr(self, role)
        if not isinstance(given, kind):
            what = _KINDS.get(type(given), repr(given))
            self.refuse(f"{role} should be {_KINDS[kind]}, not {what} {getattr(given, 'hook_name', '')}".rstrip())

    def check_words(self, *, filled: str = "") -> None:
        """Refuse `%(…)s` for which the page has no value.

        :param filled: the parameter in which `%(name)s` is the row.
        """
        for parameter in _WORDS & {each.name for each in fields(self)}:
            known = {"name"} if parameter == filled else set()
            for name in _VALUE.findall(str(getattr(self, parameter))):
                if name not in known:
                    self.refuse(f"{parameter} has no value %({name})s{': the row is %(name)s' if known else ''}")

    def check_mutation(self, *, has_params: bool, form_row: type[Row] | None) -> None:
        """Refuse a mutation that takes other parts than the page has.

        :param has_params: whether the page is that of one row.
        :param form_row: the row of the page's form; None for a page without one.
        """
        self.check_hook("mutation", MutationHook)
        hook: MutationHook[Any, Any, Any] = getattr(self, "mutation")  # noqa: B009  the class does not declare it
        wanted = [name for name, is_given in (("body", form_row is not None), ("params", has_params)) if is_given]
        if [name for name in ("body", "params") if getattr(hook, name) is not None] != wanted:
            parts = ", ".join(f"{name}=…" for name in wanted)
            self.refuse(f"{hook.hook_name} takes {hook.call_shape}, and this page calls mutate({parts})")
        if form_row is not None and not (
            get_origin(hook.body) is Partial and issubclass(get_args(hook.body)[0], form_row)
        ):
            self.refuse(f"the form is one of {form_row.__name__}, which {hook.hook_name} does not take")

    def as_view(self, pages: PageNames) -> View:
        """The view, as one of the pages of a resource. Any other method than its own is a 405.

        A page whose call is not offered is a 404.
        """

        def view(request: PortalRequest, **values: Any) -> HttpResponse:
            if not offers(self.shows):
                raise ApiAbsentError
            return self.respond(request, pages, **values)

        # `explain_route` prints it.
        view.__module__ = type(self).__module__
        view.__qualname__ = f"{type(self).__qualname__}({self.shows.key})"
        # The decorators around a view keep it.
        setattr(view, _SHOWN, partial(self.shown, pages))
        setattr(view, _NAMES, pages)
        setattr(view, SHOWS, self.shows)
        guarded: View = require_http_methods(list(self.methods))(view)
        return guarded


def shown_row(view: View) -> ShownRow | None:
    """What the view of a declared page shows; None for any other view."""
    shown: Callable[[], ShownRow | None] | None = getattr(view, _SHOWN, None)
    return None if shown is None else shown()


def names_of(view: View) -> PageNames | None:
    """The pages of the resource of which a declared page is one; None for any other view."""
    names: PageNames | None = getattr(view, _NAMES, None)
    return names
