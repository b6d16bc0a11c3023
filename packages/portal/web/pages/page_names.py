"""The pages of one resource by the names of their URLs, and what a declared page is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from django.views.decorators.http import require_http_methods

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse

    from portal.web.present import LazyText

    #: A view: takes a request and the values of its URL, returns a response.
    View = Callable[..., HttpResponse]


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


@dataclass(frozen=True, kw_only=True, eq=False)
class DeclaredPage:
    """A page that is declared: its class knows how it responds."""

    methods: ClassVar[tuple[str, ...]]

    @property
    def call(self) -> str:
        """The key of the call that the page is about."""
        raise NotImplementedError

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
        guarded: View = require_http_methods(list(self.methods))(view)
        return guarded
