"""The pages of one resource by the names of their URLs, and what a declared page is."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

from django.views.decorators.http import require_http_methods

from portal.config.places import declaring_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse

    from portal.query import Row
    from portal.web.present import LazyText

    #: A view: takes a request and the values of its URL, returns a response.
    View = Callable[..., HttpResponse]


#: The view's attribute.
_SHOWN: Final = "_portal_shown"


@dataclass(frozen=True, kw_only=True, eq=False)
class PageNames:
    """The pages of one resource, as their views and templates know them.

    :param list: name of the list's URL, as are `create`, `detail`, `edit` and `delete`; empty if there is no such page.
    :param title: the list's heading, and the text of links back to it.
    :param create_label: the text of the list's button.
    :param delete_label: the text of the button that deletes.
    :param delete_text: what the dialog says before.
    :param templates: the folder of its templates.
    :param context: what its templates get beside their rows.
    """

    list: str = ""
    create: str = ""
    detail: str = ""
    edit: str = ""
    delete: str = ""
    title: LazyText = ""
    create_label: LazyText = ""
    delete_label: LazyText = ""
    delete_text: LazyText = ""
    templates: str = ""
    context: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """What a declared page shows, for who looks for faults in its template.

    :param row: class of the template's variable `row`.
    :param declared_at: file and line of the page's declaration.
    """

    template: str
    row: type[Row]
    declared_at: tuple[str, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class DeclaredPage:
    """A page that is declared: its class knows how it responds.

    :ivar declared_at: file and line.
    """

    methods: ClassVar[tuple[str, ...]]

    declared_at: tuple[str, int] = field(
        default_factory=partial(declaring_line, "portal.web.pages"), init=False, repr=False
    )

    @property
    def call(self) -> str:
        """The key of the call that the page is about."""
        raise NotImplementedError

    def shown(self, pages: PageNames) -> ShownRow | None:  # noqa: ARG002  for those that show one
        """The row and the template that the page shows; None for a page of another kind."""
        return None

    def respond(self, request: HttpRequest, pages: PageNames, **values: Any) -> HttpResponse:
        """The response to a request.

        :param values: those of the URL.
        """
        raise NotImplementedError

    def as_view(self, pages: PageNames) -> View:
        """The view, as one of the pages of a resource. Any other method than its own is a 405."""

        def view(request: HttpRequest, **values: Any) -> HttpResponse:
            return self.respond(request, pages, **values)

        # `explain_route` prints it.
        view.__module__ = type(self).__module__
        view.__qualname__ = f"{type(self).__qualname__}({self.call})"
        # The decorators around a view keep it.
        setattr(view, _SHOWN, self.shown(pages))
        guarded: View = require_http_methods(list(self.methods))(view)
        return guarded


def shown_row(view: View) -> ShownRow | None:
    """What the view of a declared page shows; None for any other view."""
    shown: ShownRow | None = getattr(view, _SHOWN, None)
    return shown
